"""`make fuzz`: every target in a process of its own, by chance and, with atheris, guided by the branches it reaches.

What a reader neither takes nor refuses, and what ends its process, is kept as `out/fuzz/TARGET-SEED`: put it into
`tests/fuzz/corpus/TARGET` together with the remedy, and every later run begins with it.
"""

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

FLAT_MB = 32.0  # of growth, in what is by chance; atheris keeps what it finds
_LIMIT_S = 3600
_GUIDED = 0.25  # of the runs: each costs several times as much
OUT = Path("out/fuzz")
_FIGURES = "{runs:>8} inputs  {taken:>7} taken  {seconds:7.1f} s  {grown_mb:+6.1f} MB"


class Found(NamedTuple):
    """How one run over one target went."""

    target: str
    way: str  # by chance, guided
    told: dict[str, Any]
    problem: str = ""


def fuzz(target: Target, runs: int, seed: int, *, guided: bool, program: str = "tests.fuzz.run") -> Found:
    """One run in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="hilctl-fuzz-") as folder:
        command = [sys.executable, "-m", program, target.name, "--runs", str(runs), "--seed", str(seed)]
        command += ["--folder", folder, *(["--guided"] if guided else [])]
        way = "guided" if guided else "by chance"
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT_S, check=False,
                                  env={**os.environ, "TMPDIR": folder})  # fmt: skip
            said, code = done.stdout, done.returncode
            why = done.stderr.strip().splitlines()[-12:]
        except subprocess.TimeoutExpired:
            said, code, why = "", -1, [f"not over after {_LIMIT_S} s"]
        if code == 0 and said.strip():
            told = json.loads(said.strip().splitlines()[-1])
            grown = told["grown_mb"] > FLAT_MB and not guided
            return Found(target.name, way, told, f"memory grew by {told['grown_mb']:.0f} MB" if grown else "")
        now, kept = Path(folder) / "now", OUT / f"{target.name}-{seed}"
        if not now.exists():
            return Found(target.name, way, {}, "\n".join([f"exit code {code} before the first input", *why]))
        OUT.mkdir(parents=True, exist_ok=True)
        shutil.copy(now, kept)
        return Found(target.name, way, {}, "\n".join([f"exit code {code}; the input is kept as {kept}", *why]))


def everything(names: list[str], share: float, seed: int, *, guided: bool) -> Iterator[Found]:
    """Every target that is named, all without a name, in so large a part of its own count."""
    for target in (TARGETS[name] for name in names or TARGETS):
        runs = max(100, round(share * target.runs))
        yield fuzz(target, runs, seed, guided=False)
        if guided and not target.apart:
            yield fuzz(target, max(100, round(_GUIDED * runs)), seed, guided=True)


def main() -> int:
    """Prints a line a run; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"one of {', '.join(TARGETS)}; none: all")
    parser.add_argument("--share", type=float, default=1.0, help="of each target's own count")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    unknown = [name for name in given.targets if name not in TARGETS]
    if unknown:
        parser.error(f"no target {unknown[0]!r}; there are {', '.join(TARGETS)}")
    guided = importlib.util.find_spec("atheris") is not None
    if not guided:
        print("by chance only: `pip install atheris` (Linux, Python up to 3.13) lets it be guided", file=sys.stderr)
    runs, problems = 0, 0
    for found in everything(given.targets, given.share, given.seed, guided=guided):
        told = found.told
        runs += told.get("runs", 0)
        figures = _FIGURES.format(**told) if told else ""
        print(f"{found.target:12} {found.way:9} {figures}  {found.problem}", flush=True)
        problems += bool(found.problem)
    print(f"{runs} inputs, {problems} findings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
