"""`hilctl export fmu RIG`: a rig's twin as a unit for other simulation tools."""

import argparse
from pathlib import Path

from hilctl.cli import rig_options
from hilctl.cli.files import result_file
from hilctl.cli.output import json_line, note, pairs, say
from hilctl.cli.progress import working
from hilctl.errors import DONE, WrongUse

WORD = "fmu"  # in the place of a recording
EVER_S = 1e9  # of --from and --to: the whole recording
_OF_RECORDINGS: dict[str, object] = {
    "format": None, "channels": [], "every": 1, "from_s": -EVER_S, "to_s": EVER_S, "alone": False,
}  # fmt: skip


def options(parser: argparse.ArgumentParser) -> None:
    """What `export` takes for a unit."""
    parser.add_argument("rig", metavar="RIG", nargs="?", default="",
                        help="fmu: the rig file, or a preset's name, whose twin becomes an FMI 3.0 unit")  # fmt: skip
    rig_options.changes(parser, "fmu: values laid over the rig file")
    parser.add_argument("--sources-only", action="store_true", help="fmu: no library for this machine, C sources alone")


def asked(given: argparse.Namespace) -> bool:
    """Whether it is this form of `export`; WrongUse where it is neither."""
    if given.file == WORD and (given.rig or not Path(WORD).exists()):
        return True
    if given.rig:
        raise WrongUse(f"{given.rig!r} is one argument too many: a recording is exported alone")
    if given.changes or given.sources_only:
        raise WrongUse("--set and --sources-only belong to `hilctl export fmu RIG`; a recording takes neither")
    return False


def run(given: argparse.Namespace) -> int:
    """Writes the unit."""
    if not given.rig:
        raise WrongUse("RIG is missing; example: hilctl export fmu table-500 --out table.fmu")
    wrong = [name for name, usual in _OF_RECORDINGS.items() if getattr(given, name) != usual]
    if wrong:
        option = f"--{given.format if wrong[0] == 'format' else wrong[0].removesuffix('_s')}"
        raise WrongUse(f"{option} is for recordings; a unit takes --out, --set, --sources-only and --json")
    from firmware_bridge.firmware.build import compiler
    from hilctl import rig
    from hilctl.fmu.write import unit_of, write

    loaded = rig.load(given.rig, twin=True, changes=pairs(given.changes))
    target = result_file("--out", Path(given.out or f"{loaded.name}.fmu"))
    found = None if given.sources_only else compiler()
    with working(f"writing {target.name}"):
        made = write(unit_of(loaded), target, found)
    if given.json:
        say(json_line({**made._asdict(), "path": str(made.path)}))
        return DONE
    say(f"{made.path}: {made.variables} variables, {made.parameters} of them parameters; "
        f"communication step: a multiple of {made.period_s:g} s")  # fmt: skip
    if made.library:
        say(f"library for this machine: {made.library}")
    elif not given.sources_only:
        note("no C compiler (CC, gcc, cc): the unit holds C sources only, which FMPy and other tools compile; "
             "install gcc and write it again for a library")  # fmt: skip
    return DONE
