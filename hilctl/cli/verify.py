"""`hilctl verify DIR`: whether the commissioning in DIR still holds; what has changed, why, and what to do."""

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import connect
from hilctl.cli import identify_parts as parts
from hilctl.cli.arguments import number
from hilctl.cli.output import say, show
from hilctl.cli.progress import progress
from hilctl.cli.progress import show as show_progress
from hilctl.errors import DONE, NO_LONGER_VALID

if TYPE_CHECKING:
    from hilctl.results.verified import Compared, Verified


def verify(parser: argparse.ArgumentParser) -> None:
    """The arguments of `verify`."""
    parser.add_argument("source", metavar="DIR|FILE", help="the folder of a commissioning, or its JSON file")
    parts.twin_options(parser)
    connect.options(parser, moves=True)
    parser.add_argument("--out", default="", metavar="DIR", help="for samples and the result (out/verify-DATE)")
    parser.add_argument("--warm-up", type=number(0, 3600, "s"), default=10.0, metavar="S",
                        help="how long the oil is warmed up first (10)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the result as one JSON object")
    parser.set_defaults(do=_verify, job=0)


def _verify(given: argparse.Namespace) -> int:
    from hilctl.commission.notes import FILE
    from hilctl.results.stored import as_json, read
    from hilctl.verify import Asked, verify

    parts.check(given)
    folder, source = parts.folder_of(given, "verify"), Path(given.source)
    file = source / FILE if source.is_dir() else source
    asked = Asked(read(file), file, folder, given.warm_up, _commission(given))
    with progress() as bar:
        line = bar.add_task("connecting", total=None)
        with parts.rig_of(given) as rig, parts.recording(rig):
            answer = verify(rig, asked, lambda text, now: show_progress(bar, line, text, now))
    kept = folder / "verify.json"
    parts.keep(answer, kept)
    if given.json:
        say(as_json(answer, indent=0).decode().rstrip())
    else:
        _tell(answer)
        say(str(kept))
    return NO_LONGER_VALID if answer.compensation.may_stay is False else DONE


def _commission(given: argparse.Namespace) -> str:
    """The command that commissions the same rig."""
    if given.job:
        return "hilctl job start commission"
    if given.twin:
        changes = ["--set", *given.changes] if given.changes else []
        return shlex.join(["hilctl", "commission", given.rig, "--twin", *changes, "--out", "DIR"])
    at = ["--connect", given.connect] if given.connect else []
    return shlex.join(["hilctl", "commission", *at, "--out", "DIR"])


_HEADLINE = {
    "unchanged": "nothing has changed",
    "changed": "the rig has changed",
    "undecided": "no change is seen, but what could matter is not decided",
}
_MAY = {True: "compensation may stay on", False: "compensation must not stay on", None: "compensation"}


def _tell(answer: "Verified") -> None:
    say(f"{_HEADLINE[answer.verdict]} since the commissioning of {answer.commissioned}")
    show(_table(answer))
    for cause in answer.causes:
        say(f"{cause.text}; {cause.remedy}")
    judged = answer.compensation
    say(f"{_MAY[judged.may_stay]}: {judged.text}" + (f"; {judged.remedy}" if judged.remedy else ""))
    open_ones = [one.name for one in answer.compared.values() if one.verdict in ("undecided", "not measured")]
    if open_ones:
        say(f"not decided: {', '.join(open_ones)}: the intervals are wider than what matters, or there is no value")
    for note in answer.notes:
        say(f"note: {note}")
    say(f"rig time {answer.rig_seconds:.0f} s, elapsed {answer.wall_seconds:.0f} s")


def _table(answer: "Verified") -> Any:
    from rich.table import Table

    made = Table(title="Stored and now", title_justify="left")
    for name in ("", "unit", "stored", "now", "change", "95 %, ±", "matters from", "verdict"):
        made.add_column(name, justify="left" if name in ("", "unit", "verdict") else "right", no_wrap=True)
    for one in answer.compared.values():
        made.add_row(one.name, *_cells(one), one.verdict)
    return made


def _cells(one: "Compared") -> list[str]:
    stored, now = one.stored, one.now
    unit = (stored or now).unit if stored or now else ""  # type: ignore[union-attr]
    values = [parts.figure(q.value) if q and q.value is not None else "" for q in (stored, now)]
    amounts = ["" if x is None else f"{x:.3g}" for x in (one.change, one.interval, one.relevant)]
    return [unit, *values, *amounts]
