"""`hilctl track ... --learn`, and drives that are kept in files.

hilctl track sine --frequency 1 --amplitude 0.05 --learn --name five      also --drive five.drive.json, which is assumed
hilctl track waveform elcentro.csv --peak 0.05 --learn --name elcentro
hilctl track waveform elcentro.drive.json --wait                          plays it
hilctl track waveform elcentro.drive.json --learn                         learns further
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import connect
from hilctl.cli.arguments import count, number
from hilctl.cli.files import result_file, source_file
from hilctl.cli.motion import follow, motions
from hilctl.cli.output import json_line, say
from hilctl.errors import DONE, WrongUse
from hilctl.learning import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Callable

    from hilctl.experiment.facts import Facts
    from hilctl.law.motions import Samples
    from hilctl.learning.drive_file import Drive
    from hilctl.learning.wanted import Wanted
    from hilctl.results.proof import Repeat



def options(parser: argparse.ArgumentParser) -> None:
    """Of a motion that can be learned."""
    group = parser.add_argument_group("iterative learning control (ILC)")
    group.add_argument("--learn", action="store_true",
                       help="repeat the motion, and correct its drive until the table makes the motion")  # fmt: skip
    group.add_argument("--name", default="learned", metavar="NAME", help="of the learned drive (learned)")
    group.add_argument("--drive", default="", metavar="FILE", help=f"where the drive is kept (NAME{SUFFIX})")
    group.add_argument("--drives", type=count(1, 100), default=10, metavar="N", help="how many are played at most (10)")
    group.add_argument("--target", type=number(0.001, 100, "%%"), default=0.0, metavar="%",
                       help="distortion, or error of a record, at which it ends (0.5, of a record 2)")  # fmt: skip


def is_drive(file: str | None) -> bool:
    """Whether a file is named like a drive."""
    return bool(file) and str(file).endswith(SUFFIX)


def learned(given: argparse.Namespace, parameters: Mapping[str, Any], history: "Samples | None" = None) -> int:
    """Learns a motion from its begin."""
    file = Path(given.drive or f"{given.name}{SUFFIX}")
    if file.exists():
        raise WrongUse(
            f"{file} exists; learn further with `hilctl track waveform {file} --learn`, or give another --name or "
            "--drive", key=str(file),
        )  # fmt: skip
    result_file("--drive", file)
    motion = {"kind": given.kind, **parameters}
    return _run(given, file, lambda facts: _planned(facts, given.kind, parameters, history), given.name, motion, None)


def further(given: argparse.Namespace) -> int:
    """Learns a drive further, from the best so far."""
    from hilctl.learning.drive_file import refuse_other

    file = Path(given.file)
    before = _opened(file)

    def motion(facts: "Facts") -> "Wanted":
        refuse_other(before, facts, file)
        return before.wanted

    return _run(given, file, motion, before.name, before.course.asked, before)


def _planned(
    facts: "Facts", kind: str, parameters: Mapping[str, Any], history: "Samples | None"
) -> "Wanted":  # fmt: skip
    from hilctl.learning.wanted import wanted

    return wanted(facts, kind, parameters, history)


def _run(
    given: argparse.Namespace, file: Path, motion: "Callable[[Facts], Wanted]", name: str, described: dict[str, Any],
    before: "Drive | None",
) -> int:  # fmt: skip
    import msgspec

    from hilctl.experiment.facts import read_facts
    from hilctl.learning.learn import Asked, learn

    with connect.attended(given, "learn", restore=True) as rig:
        facts = read_facts(rig)
        wanted = motion(facts)
        left = "distortion" if wanted.repeats else "error"

        def tell(index: int, repeat: "Repeat") -> None:
            if not given.json:
                said = f"distortion {repeat.percent:.2f} %, " if wanted.repeats else ""
                say(f"repeat {index}: {said}error {repeat.error_percent:.2f} %")

        asked = Asked(name, given.drives, given.target, file, described, before)
        found = learn(rig, facts, wanted, asked, tell)
    if given.json:
        say(json_line({**msgspec.to_builtins(found), "percent": found.percent}))
    else:
        say(f"{found.why}; {left} {found.percent:.2f} %, the drive is uploaded as {found.name!r} and kept in {file}")
    return DONE


def play(given: argparse.Namespace) -> int:
    """Tracks a drive from its file."""
    from hilctl.experiment.facts import read_facts
    from hilctl.learning import drive_file
    from hilctl.learning.played import accepted, how

    file = Path(given.file)
    drive = _opened(file)
    with motions(given) as rig:
        drive_file.refuse_other(drive, read_facts(rig), file)
        accepted(rig, drive.wanted, drive.best_m, drive.name)
        return follow(rig, lambda: rig.track("waveform", **how(drive.wanted, drive.name)), given)


def _opened(file: Path) -> "Drive":
    from hilctl.learning.drive_file import opened

    source_file(f"FILE{SUFFIX}", file)
    return opened(file)
