"""`hilctl track KIND`: the options of a kind are its declaration; short names leave the unit out.

hilctl track triangle --speed 0.02 --amplitude 0.005 --cycles 4 --wait
hilctl track waveform elcentro.csv --peak 0.05
hilctl track sine --frequency 1 --amplitude 0.05 --learn
hilctl track waveform learned.drive.json
model | hilctl track external --interval 0.01
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import connect, external, learn, queue
from hilctl.cli.arguments import of_leaf
from hilctl.cli.files import source_file
from hilctl.cli.motion import follow, follow_options, motions
from hilctl.cli.progress import working
from hilctl.errors import WrongUse
from hilctl.law.motions.requests import MOTIONS
from hilctl.learning import KINDS, SUFFIX
from hilctl.params import Leaf, leaves

if TYPE_CHECKING:
    from hilctl.client import Client

_SUFFIXES = {"m": "_m", "m/s": "_m_s", "Hz": "_hz", "s": "_s"}
_PREFIX = "motion_"  # of the destinations of generated options: they must not meet the others'


def track(parser: argparse.ArgumentParser) -> None:
    """The arguments of `track`."""
    kinds = parser.add_subparsers(
        metavar="KIND", required=True, parser_class=type(parser), help="which motion; `hilctl track KIND --help`"
    )
    for kind, table in MOTIONS.items():
        text = (table.__doc__ or kind).strip()
        below = kinds.add_parser(kind, help=text[0].lower() + text[1:].rstrip("."), description=text)
        connect.options(below, moves=True)
        follow_options(below)
        declared = leaves(table)
        if kind == "waveform":
            below.add_argument(
                "file",
                nargs="?",
                metavar="FILE",
                help="CSV: a header, time_s and displacement_m or acceleration_m_s2, then numbers; or a learned drive "
                f"(NAME{SUFFIX})",
            )
            below.add_argument("--uploaded", metavar="NAME", help="a history that the service has, as a learned one")
            declared = tuple(leaf for leaf in declared if leaf.path != "upload")
        if kind == "external":
            external.options(below)
        else:
            queue.options(below)
        if kind in KINDS:
            learn.options(below)
        add_options(below, declared)
        below.set_defaults(do=_track, kind=kind)


def add_options(parser: argparse.ArgumentParser, declared: Sequence[Leaf]) -> None:
    """One option for each declared parameter; what is not given stays undecided."""
    group = parser.add_argument_group("motion", "The names with their units do as well: --amplitude-m, --amplitude_m.")
    shorts = [short_of(leaf) for leaf in declared]
    for leaf, short in zip(declared, shorts, strict=True):
        full = leaf.path.replace("_", "-")
        # Two parameters that differ only in the unit keep it.
        shown = full if shorts.count(short) > 1 else short
        others = [f"--{name}" for name in dict.fromkeys((full, leaf.path)) if name != shown]
        named: dict[str, Any] = {"dest": _PREFIX + leaf.path, "default": None, "help": _help(leaf)}
        match leaf.kind:
            case "bool":
                named["action"] = argparse.BooleanOptionalAction
            case "choice":
                named["choices"] = leaf.choices
            case "text":
                named["metavar"] = "TEXT"
            case "int":
                named |= {"type": of_leaf(leaf), "metavar": "N"}
            case _:
                named |= {"type": of_leaf(leaf), "metavar": leaf.unit.upper() or "X"}
        group.add_argument(f"--{shown}", **named)
        if others:
            group.add_argument(*others, **{**named, "help": argparse.SUPPRESS})


def short_of(leaf: Leaf) -> str:
    """The option's name without the unit."""
    suffix = _SUFFIXES.get(leaf.unit, "")
    stem = leaf.path.removesuffix(suffix) if suffix else leaf.path
    return stem.replace("_", "-")


def _help(leaf: Leaf) -> str:
    default = "required" if not isinstance(leaf.default, (bool, int, float, str)) else f"default {leaf.default}"
    unit = f", {leaf.unit}" if leaf.unit else ""
    return f"{leaf.meaning}{unit} ({default})".replace("%", "%%")


def parameters_of(given: argparse.Namespace) -> dict[str, Any]:
    """The parameters that were given."""
    found = {k.removeprefix(_PREFIX): v for k, v in vars(given).items() if k.startswith(_PREFIX)}
    return {key: value for key, value in found.items() if value is not None}


def _track(given: argparse.Namespace) -> int:
    parameters = parameters_of(given)
    learns, history = getattr(given, "learn", False), None
    if given.kind == "waveform":
        if bool(given.file) == bool(given.uploaded):
            raise WrongUse("track waveform: give FILE, or --uploaded NAME, and one of them only")
        if learn.is_drive(given.file):
            if parameters:
                raise WrongUse(f"{given.file} is a drive, whose motion is fixed; leave out {', '.join(parameters)}")
            return learn.further(given) if learns else learn.play(given)
        if given.uploaded and learns:
            raise WrongUse("--learn needs the history's FILE; the service does not give back what was uploaded")
        if given.uploaded:
            parameters["upload"] = given.uploaded
        else:
            history = _history(given.file)
    queued = given.kind != "external" and queue.asked_for(given)
    if learns and queued:
        raise WrongUse("--learn repeats the motion, and cannot wait in the queue; leave --queue out")
    if learns:
        return learn.learned(given, parameters, history)
    if given.kind == "external":
        return external.tracked(given, parameters)
    with motions(given) as rig:
        if history is not None:
            parameters["upload"] = _upload(rig, Path(given.file).stem, history)
        if queued:
            return queue.put(given, rig, given.kind, parameters)
        return follow(rig, lambda: rig.track(given.kind, **parameters), given)


def _history(file: str) -> Any:
    from hilctl.law.motions.samples import read_csv
    from hilctl.params import BadValues, Problem

    source_file("FILE.csv", Path(file))
    try:
        return read_csv(Path(file).read_text(encoding="utf-8"), file)
    except UnicodeDecodeError as error:
        raise BadValues([Problem(file, "", f"is not text: {error}")]) from None


def _upload(rig: "Client", stem: str, history: Any) -> str:
    from hilctl.wire.op import MAX_NAME

    name = "".join(c for c in stem if c.isprintable())[:MAX_NAME] or "waveform"
    with working(f"sending {name}") as tell:
        rig.upload(name, history.values, history.quantity, times_s=history.times_s, progress=tell)
    return name
