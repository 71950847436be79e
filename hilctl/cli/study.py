"""`hilctl study RIG --vary …`: many runs on simulated rigs that differ, and what becomes of them.

hilctl study table-500 --vary twin.machine.m=±20% --vary twin.friction.fs=1000:4000 --runs 200
hilctl study table-500 --vary twin.machine.m=±20% --motion "triangle --speed 0.1 --amplitude 0.02 --cycles 4" --paired
hilctl study out/study-20261126-101500 --resume
hilctl study out/study-20261126-101500 --run 47
"""

import argparse
import shlex
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import rig_options, study_workers
from hilctl.cli.arguments import count, number
from hilctl.cli.files import result_file, result_folder, source_file
from hilctl.cli.output import note, pairs, say, show, text_of
from hilctl.cli.parser import Parser
from hilctl.cli.progress import working
from hilctl.cli.track import add_options, parameters_of
from hilctl.errors import DONE, RIG_SAID_NO, WrongUse

if TYPE_CHECKING:
    from hilctl.results.runs import StudiedRuns
    from hilctl.study.folder import Folder
    from hilctl.study.plan import Motion, Plan
    from hilctl.study.spread import Workers

_PARAMETERS = "identified.toml"


def study(parser: argparse.ArgumentParser) -> None:
    """The arguments of `study`."""
    parser.add_argument("rig", metavar="RIG|DIR",
                        help="a rig file or a preset's name; with --resume or --run the folder of a study")  # fmt: skip
    what = parser.add_argument_group("what varies, and what each run does")
    what.add_argument("--vary", action="extend", nargs="+", default=[], metavar="KEY=VALUES",
                      help="LOW:HIGH, LOW:HIGH:log, ±20%%, -10%%:+20%%, ±0.5 or a,b,c; any number or choice of the rig "
                      "file; twin.… is the rig alone, without it the controller believes it too")  # fmt: skip
    what.add_argument("--motion", action="append", default=[], metavar="'KIND …'",
                      help="what follows `hilctl track`, in quotes; or earthquake (--peak); several run one after the "
                      "other (default: a sine of 1 Hz for 5 s)")  # fmt: skip
    what.add_argument("--rest", type=number(0, 60, "s"), default=1.0, metavar="S",
                      help="how long the table is watched at rest afterwards (1)")  # fmt: skip
    what.add_argument("--runs", type=count(1, 10_000_000), default=None, metavar="N", help="how many (256)")
    what.add_argument("--seed", type=count(0, 2**31 - 1), default=None, metavar="N", help="of values and noise (1)")
    what.add_argument("--design", choices=("sobol", "lhs", "random"), default="sobol",
                      help="how values are spread: Sobol sequence (default), Latin hypercube, independent")  # fmt: skip
    under = parser.add_argument_group("the parameter set under test")
    rig_options.changes(under, "values laid over the rig file")  # type: ignore[arg-type]
    under.add_argument("--params", default="", metavar="FILE",
                       help="parameters laid over the rig file: TOML, or the folder of a commissioning")  # fmt: skip
    half = under.add_mutually_exclusive_group()
    half.add_argument("--with-compensation", action="store_true", help="friction compensation on (law.feed.inverse)")
    half.add_argument("--paired", action="store_true", help="every run twice: without and with compensation")
    where = parser.add_argument_group("where it is computed")
    study_workers.options(where)
    where.add_argument("--resume", action="store_true", help="go on with the study in DIR")
    where.add_argument("--run", type=count(0, 10_000_000), default=None, metavar="N",
                       help="make this run of the study in DIR again, compare it, and record it")  # fmt: skip
    parser.add_argument("--out", default="", metavar="DIR", help="for plan, table and page (out/study-DATE)")
    parser.add_argument("--json", default="", metavar="FILE", help="also write the JSON object here")
    parser.set_defaults(do=_study, twin=True)


def _study(given: argparse.Namespace) -> int:
    if given.json:
        result_file("--json", Path(given.json))
    if given.resume or given.run is not None:
        _need_folder(given)
        return _again(given) if given.run is not None else _resumed(given)
    from hilctl.study.folder import Folder

    out = given.out or f"out/study-{datetime.now():%Y%m%d-%H%M%S}"
    plan = _plan(given)
    workers = study_workers.chosen(given)
    try:
        folder = Folder.begin(result_folder("--out", Path(out)), plan)
    except BaseException:
        workers.close()
        raise
    return _computed(given, folder, workers)


def _need_folder(given: argparse.Namespace) -> None:
    shapes = {"--vary": given.vary, "--motion": given.motion, "--runs": given.runs, "--seed": given.seed,
              "--set": given.changes, "--params": given.params, "--with-compensation": given.with_compensation,
              "--paired": given.paired, "--out": given.out}  # fmt: skip
    beside = [name for name, value in shapes.items() if value not in (None, False, "", [])]
    if given.resume and given.run is not None:
        raise WrongUse("--run makes one run again, --resume computes what is missing; give one of them")
    if beside:
        raise WrongUse(f"{', '.join(beside)}: the study in {given.rig} has its own; leave them out, or begin another "
                       "study")  # fmt: skip


def _plan(given: argparse.Namespace) -> "Plan":
    """Everything checked, before a worker starts."""
    from hilctl import rig as rigs
    from hilctl import rig_file
    from hilctl.study.keys import keys_of, seed_key
    from hilctl.study.motions import checked, usual
    from hilctl.study.plan import COMPENSATION, WITH, WITHOUT, Plan
    from hilctl.study.program import program
    from hilctl.study.vary import parse

    path = rig_file.find(given.rig)
    tree = rig_file.read_tree(path)
    if given.params:
        rig_file.lay(_parameters(Path(given.params)), tree)
    changes = pairs(given.changes)
    text = rigs.load(given.rig, twin=True).text + (f"# {given.params}\n" if given.params else "")
    rig = rigs.from_tree(tree, path, twin=True, changes=changes)
    rigs.refuse_unstable(rig)
    varied = parse(given.vary, keys_of(rig), seed_key(rig))
    compensation = [WITHOUT, WITH] if given.paired else [WITH] if given.with_compensation else []
    if compensation and any(one.key == COMPENSATION for one in varied):
        raise WrongUse(f"--vary {COMPENSATION}: --paired and --with-compensation set it; leave one of them out")
    tested = rig if not compensation else rigs.from_tree(
        tree, path, twin=True, changes={**changes, COMPENSATION: rig.tables.law.feed.inverse or 1.0})  # fmt: skip
    motions = checked(_motions(given) or [usual(rig)], tested)
    runs, seed = given.runs or 256, 1 if given.seed is None else given.seed
    return Plan(rig=rig.name, path=str(path), text=text, tree=tree, changes=changes, varied=varied, motions=motions,
                runs=runs, seed=seed, design=given.design, compensation=compensation, rest_s=given.rest,
                chunk=max(1, min(16, runs // 64)), program=program())  # fmt: skip


def _parameters(file: Path) -> dict[str, Any]:
    """The tables of a file, or of a commissioning's."""
    from hilctl import rig_file

    file = file / _PARAMETERS if file.is_dir() else file
    tables = rig_file.read_tree(source_file("--params", file))
    return {key: value for key, value in tables.items() if key != "schema"}


def _motions(given: argparse.Namespace) -> list["Motion"]:
    from hilctl.study.motions import motion

    found: list[Motion] = []
    for text in given.motion:
        kind, parameters, samples = _motion(text)
        found.append(motion(kind, parameters, samples, found))
    return found


def _motion(text: str) -> tuple[str, dict[str, Any], Any]:
    """What follows `hilctl track`: kind, parameters, and the history of a waveform."""
    from hilctl.cli.track import _history
    from hilctl.law.motions.requests import MOTIONS
    from hilctl.params import leaves, nearest
    from hilctl.study.motions import EARTHQUAKE

    try:
        words = shlex.split(text)
    except ValueError as error:
        raise WrongUse(f"--motion {text!r}: {error}") from None
    kind = words[0] if words else ""
    known = (*MOTIONS, EARTHQUAKE)
    if kind not in known:
        raise WrongUse(f"--motion {text!r}: no such motion; {nearest(kind, known)}")
    parser = Parser(prog=f"hilctl study --motion '{kind}'", add_help=False)
    table = MOTIONS["waveform" if kind == EARTHQUAKE else kind]
    if kind == "waveform":
        parser.add_argument("file", metavar="FILE")
    add_options(parser, [leaf for leaf in leaves(table) if leaf.path != "upload"])
    parsed = parser.parse_args(words[1:])
    return kind, parameters_of(parsed), _history(parsed.file) if kind == "waveform" else None


def _resumed(given: argparse.Namespace) -> int:
    from hilctl.study.folder import Folder
    from hilctl.study.program import need_same

    folder = Folder.open(Path(given.rig))
    if folder.missing():
        need_same(folder.plan.program, "this machine")
    return _computed(given, folder, study_workers.chosen(given))


def _computed(given: argparse.Namespace, folder: "Folder", workers: "Workers") -> int:
    from hilctl.study.conclude import conclude
    from hilctl.study.spread import spread

    begun_s = time.monotonic()
    try:
        with folder.locked(), working(f"{folder.plan.runs} runs") as tell:
            spread(folder, workers, tell)
            tell(text="table and page")
            made = conclude(folder, time.monotonic() - begun_s)
    except (KeyboardInterrupt, Exception):
        note(f"what is finished is kept: `hilctl study {folder.path} --resume` goes on")
        raise
    finally:
        workers.close()
    if made.note:
        note(made.note)
    _say(made.result, made.page)
    _keep(given, _told(made.result))
    return DONE


def _keep(given: argparse.Namespace, told: dict[str, Any]) -> None:
    if given.json:
        Path(given.json).write_text(text_of(told) + "\n", encoding="utf-8")


def _told(made: "StudiedRuns") -> dict[str, Any]:
    """For a program: the summary, with what is asked for at the head."""
    from msgspec import to_builtins

    head = ("runs", "failed", "workers", "real_time_per_core", "wall_seconds", "outcomes")
    whole = to_builtins(made)
    return {**{key: whole[key] for key in head}, **whole}


def _say(made: "StudiedRuns", page: Path) -> None:
    from rich.table import Table

    from hilctl.report.brief import Brief
    from hilctl.report.runs.page import first

    for name, line in zip(Brief._fields, first(made), strict=True):
        say(f"{name.capitalize() + ':':<9}{line}")
    table = Table(title="outcomes", title_justify="left")
    for name, justify in (("outcome", "left"), ("5 %", "right"), ("median", "right"), ("95 %", "right"),
                          ("greatest", "right"), ("in run", "right")):  # fmt: skip
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for one in made.spreads:
        figures = [f"{x:.4g}" if x is not None else "–" for x in (one.low, one.median, one.high, one.most)]
        table.add_row(f"{one.column} {one.unit}".rstrip(), *figures, str(one.most_run))
    show(table)
    say(f"{made.real_time_per_core:.0f} × real time a core, {made.workers} workers, {made.wall_seconds:.1f} s")
    say(str(page))


def _again(given: argparse.Namespace) -> int:
    from hilctl.study.again import again
    from hilctl.study.folder import Folder
    from hilctl.study.program import program

    folder = Folder.open(Path(given.rig))
    with working(f"run {given.run}"):
        made = again(folder, given.run)
    for key, value in made.row.items():
        say(f"{key:<40} {value:.6g}" if isinstance(value, float) else f"{key:<40} {value}")
    for path in made.recordings:
        say(f"{path}: `hilctl report {path}` shows it")
    _keep(given, {"run": given.run, "row": made.row, "stored": made.stored, "differs": made.differs,
                  "recordings": [str(path) for path in made.recordings]})  # fmt: skip
    if not made.stored:
        note("the study has not computed this run yet: there is nothing to compare it with")
    elif made.differs:
        why = "" if program() == folder.plan.program else "; this is another version of the program than the study's"
        note(f"differs from the study in {', '.join(made.differs)}{why}")
        return RIG_SAID_NO
    else:
        say("every value is the study's, to the last bit")
    return DONE
