"""Defects put back on purpose: random sequences must find each of them, without knowing them.

A defect is a few lines of the program as they must not be. They are put into a copy of the tree, which is compiled by
itself and then tried in a process of its own. `python -m tests.invariants.defects NAME` does one, without a name all.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.invariants.seeded import DEFECTS, Edit

HOUSE = Path(__file__).resolve().parents[2]
_COPIED = ("hilctl", "firmware_bridge", "sim", "deploy", "tests/invariants")


class Found(NamedTuple):
    """What came of one defect."""

    name: str
    found: bool
    seconds: float
    output: str


def damaged(house: Path, edits: tuple[Edit, ...]) -> None:
    """A copy of the tree with a defect in it."""
    for folder in _COPIED:
        shutil.copytree(HOUSE / folder, house / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for edit in edits:
        file = house / edit.file
        text = file.read_text(encoding="utf-8")
        if text.count(edit.good) != 1:
            raise ValueError(
                f"{edit.file}: the lines to be damaged stand there {text.count(edit.good)} times, not once"
            )
        file.write_text(text.replace(edit.good, edit.bad), encoding="utf-8")


def tried(name: str, *, sequences: int = 1000, seed: int = 1, processes: int = 1, but: str = "") -> Found:
    """Random sequences against the program with this defect, until one breaks an invariant."""
    begun_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hilctl-defect-") as place:
        house = Path(place)
        damaged(house, DEFECTS[name])
        done = subprocess.run(
            [
                *(sys.executable, "-m", "tests.invariants.soak", "--until-found", "--seeds", str(seed)),
                *("--sequences", str(sequences), "--processes", str(processes), "--but", but),
            ],
            cwd=house,
            env={**os.environ, "PYTHONPATH": str(house)},
            capture_output=True,
            text=True,
            check=False,
        )
    return Found(
        name, done.returncode == 1 and "rig " in done.stdout, time.monotonic() - begun_s, done.stdout + done.stderr
    )


def main() -> int:
    """As the options say."""
    parser = argparse.ArgumentParser(prog="defects", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(DEFECTS)}; none: all")
    parser.add_argument("--sequences", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--but", default="", help="invariants that are left out, with commas between")
    chosen = parser.parse_args()
    missed = []
    for name in chosen.names or DEFECTS:
        found = tried(name, sequences=chosen.sequences, seed=chosen.seed, processes=chosen.processes, but=chosen.but)
        print(f"=== {name}: {'found' if found.found else 'MISSED'}, {found.seconds:.0f} s\n{found.output}", flush=True)
        missed += [] if found.found else [name]
    print(f"missed: {', '.join(missed)}" if missed else "all found")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
