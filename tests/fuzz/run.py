"""Fuzzes one target in this process: every input is in a file before the reader sees it, for it may not return."""

import argparse
import gzip
import json
import os
import random
import signal
import sys
import time
import traceback
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.mutate import mutated

if TYPE_CHECKING:
    from tests.fuzz.target import Target

CORPUS = Path(__file__).with_name("corpus")
_LONGEST_S = 20  # of one input
_SETTLED = 0.2  # of the runs: afterwards memory must stay as it is
# Whose branches guide atheris. Nothing that is compiled: numba does not understand what atheris makes of functions.
_WATCHED = [
    "hilctl.wire",
    "hilctl.params",
    "hilctl.rig",
    "hilctl.recording",
    "hilctl.experiment.store",
    "hilctl.learning",
    "hilctl.results",
    "hilctl.identify.friction.from_file",
    "hilctl.service.waveforms",
    "hilctl.law.motions.samples",
    "firmware_bridge.serial_frame.frames",
    "firmware_bridge.serial_frame.messages",
]


def corpus_of(name: str) -> list[bytes]:
    """Inputs that once were findings."""
    files = sorted((CORPUS / name).glob("*"))
    return [gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes() for file in files]


def ends_hdf5() -> bytes:
    """A recording with one byte that makes HDF5 2.0 end the process that opens it."""
    return corpus_of("recordings")[0]


class Runner:
    """Counts; and tells how it went when so many have run."""

    def __init__(self, target: "Target", runs: int, folder: Path) -> None:
        self.seeds = target.seeds() + corpus_of(target.name)
        self.most = max(1 << 12, 2 * max(map(len, self.seeds)))
        self.runs = self.taken = 0
        self._until, self._settles, self._settled = runs, int(_SETTLED * runs), 0.0
        self._opened, self._begun_s = target.open(), time.monotonic()
        self._take = self._opened.__enter__()
        self._now = (folder / "now").open("w+b", buffering=0)

    def __call__(self, data: bytes) -> None:
        self._now.seek(0)
        self._now.truncate()
        self._now.write(data)
        signal.alarm(_LONGEST_S)  # ends the process: a reader that hangs is a finding too
        try:
            self.taken += self._take(data)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        self.runs += 1
        if self.runs == self._settles:
            self._settled = resident_mb()
        if self.runs >= self._until:
            self._end()

    def _end(self) -> None:
        """atheris never returns: neither does this."""
        signal.alarm(0)
        try:
            self._opened.__exit__(None, None, None)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        grown_mb, seconds = resident_mb() - self._settled, time.monotonic() - self._begun_s
        told = {"runs": self.runs, "taken": self.taken, "seconds": seconds, "grown_mb": grown_mb}
        print(json.dumps(told), flush=True)
        os._exit(0)


def by_chance(runner: Runner, seed: int) -> None:
    """Guided by nothing: the same inputs for the same seed."""
    chance = random.Random(seed)
    for data in runner.seeds:
        runner(data)
    while True:
        runner(mutated(chance, runner.seeds, runner.most))


def guided(runner: Runner, seed: int, folder: Path) -> None:
    """By atheris: what reaches new branches is kept, and changed further."""
    import atheris

    for k, data in enumerate(runner.seeds):
        (folder / f"{k:03d}").write_bytes(data)
    chance = random.Random(seed)

    def change(data: bytes, most: int, number: int) -> bytes:
        if number % 3:
            return bytes(atheris.Mutate(data, min(len(data) + 64, most)))
        return mutated(chance, [data, *runner.seeds], most)

    atheris.Setup([sys.argv[0], f"-seed={seed or 1}", f"-max_len={runner.most}", "-verbosity=0", str(folder)], runner,
                  custom_mutator=change)  # fmt: skip
    atheris.Fuzz()


def resident_mb() -> float:
    """Of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) / 256


def main() -> None:
    """The command of one target; a line of JSON tells how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target")
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--guided", action="store_true")
    parser.add_argument("--folder", type=Path, required=True, help="for what is being read, and what atheris keeps")
    given = parser.parse_args()
    watching = nullcontext()
    if given.guided:
        import atheris

        watching = atheris.instrument_imports(include=_WATCHED, enable_loader_override=False)
    with watching:
        from tests.fuzz.targets import TARGETS
    runner = Runner(TARGETS[given.target], given.runs, given.folder)
    if given.guided:
        kept = given.folder / "kept"
        kept.mkdir(exist_ok=True)
        guided(runner, given.seed, kept)
    by_chance(runner, given.seed)


if __name__ == "__main__":
    main()
