"""`hilctl demo`: a private service of the twin on the virtual clock, driven as any client would."""

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli.errors import DONE
from hilctl.cli.output import finite, note, say

if TYPE_CHECKING:
    from rich.progress import Progress

    from hilctl.demo.course import Run

RIG = "table-500"
NULL_BIAS = 0.01  # of full opening: what a real valve has, and no controller knows


def demo(parser: argparse.ArgumentParser) -> None:
    """The arguments of `demo`."""
    parser.add_argument("--out", default="out/demo", metavar="DIR", help="for the figures and demo.json (out/demo)")
    parser.add_argument("--json", default="", metavar="FILE", help="where the JSON object goes instead")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the sensors' noise (1)")
    parser.add_argument("--friction", default="", metavar="NAME", help="the twin's, by the model's name (karnopp)")
    parser.set_defaults(do=_demo)


def changes(seed: int, friction: str) -> dict[str, Any]:
    """What the demonstration lays over the rig file."""
    made: dict[str, Any] = {"twin.valve.null_bias": NULL_BIAS, "twin.seed": seed}
    if friction:
        from hilctl.friction import MODELS

        typical = MODELS[friction].typical if friction in MODELS else {}  # of an unknown one the rig's check tells
        made["twin.friction.model"] = friction
        made |= {f"twin.friction.{name}": value for name, value in typical.items()}
    return made


def _demo(given: argparse.Namespace) -> int:
    from hilctl import rig
    from hilctl.demo.figures import NoFigures, draw
    from hilctl.demo.report import as_object, remarks, tables

    begun_s = time.monotonic()
    over = changes(given.seed, given.friction)
    rig.load(RIG, twin=True, changes=over)  # wrong use is told before anything starts
    folder, without = Path(given.out), ""
    with _progress() as bar:
        runs, rig_s = _drive(bar, over)
        try:
            figures = draw(runs, folder)
        except NoFigures as none:
            figures, without = [], str(none)
    wall_s = time.monotonic() - begun_s
    answer = {
        "rig": RIG, "seed": given.seed, "friction": given.friction or None, "valve_null_bias": NULL_BIAS,
        "tracking": as_object(runs), "figures": [str(path) for path in figures],
        "rig_seconds": rig_s, "wall_seconds": wall_s,
    }  # fmt: skip
    file = Path(given.json) if given.json else folder / "demo.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(finite(answer), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    _print(*tables(runs))
    for remark in remarks(runs):
        say(f"tripped: {remark}")
    say(f"{rig_s:.0f} s of the rig in {wall_s:.0f} s")
    for path in (file, *figures):
        say(str(path))
    if without:
        note(without)
    return DONE


def _drive(bar: "Progress", over: dict[str, Any]) -> "tuple[list[Run], float]":
    """The course, with its progress; and how long it took the rig."""
    from hilctl.client import Client, private_service
    from hilctl.demo.course import COURSE, LAWS, drive
    from hilctl.rt.cache import is_warm

    start = "starting the twin" if is_warm("rt_run") else "compiling the loop, once for this version: up to a minute"
    line = bar.add_task(start, total=len(COURSE) * len(LAWS))
    with private_service(RIG, changes=over) as service, Client(service.commands, name="demo") as client:
        runs = list(drive(client, lambda text, done: bar.update(line, description=text, completed=done)))
        rig_s = client.status()["tick"] / client.hello["rate_hz"]
    bar.update(line, description="drawing", completed=len(runs))
    return runs, rig_s


def _progress() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _print(*tables: Any) -> None:
    from rich.console import Console

    Console().print(*tables, sep="\n")
