"""Random sequences against the whole controller: `python -m tests.invariants.soak`, or `make soak`.

Prints what was tried and every sequence that broke an invariant, shortened, ready to be kept as a test.
"""

import argparse
import multiprocessing
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hilctl.signals import Mode, Trip
from tests.invariants.chance import Chance
from tests.invariants.judge import Violation, judged
from tests.invariants.run import Run
from tests.invariants.script import CLIENTS, Play
from tests.invariants.session import on_rig_time, runtime_folder
from tests.invariants.shrink import as_test, shrunk, violations

_EXAMPLES = 3  # shortened sequences of one invariant, of each process


@dataclass
class Tried:
    """What was tried, and what came of it."""

    sequences: int = 0
    rig_s: float = 0.0
    wall_s: float = 0.0
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    found: list[tuple[list[str], Violation]] = field(default_factory=list)

    def count(self, what: str, name: str, number: int = 1) -> None:
        """One more."""
        self.counts.setdefault(what, Counter())[name] += number

    def add(self, other: "Tried") -> None:
        """Both together."""
        self.sequences += other.sequences
        self.rig_s += other.rig_s
        self.wall_s = max(self.wall_s, other.wall_s)
        self.found += other.found
        for what, counter in other.counts.items():
            self.counts.setdefault(what, Counter()).update(counter)

    def text(self) -> str:
        """For people."""
        wall_s = max(self.wall_s, 1e-9)
        done = f"{self.sequences} sequences, {self.rig_s / 3600:.2f} h of the rig's time in {wall_s:.0f} s"
        lines = [f"{done}: {self.sequences / wall_s:.1f} sequences/s, {self.rig_s / wall_s:.0f} times real time"]
        for what, counter in sorted(self.counts.items()):
            lines.append(f"{what}: " + ", ".join(f"{name} {n}" for name, n in counter.most_common()))
        return "\n".join(lines)


def one(seed: int, runtime: Path) -> tuple[list[str], list[Violation], Play | None, Run | None]:
    """The sequence of a seed: its lines, and what it broke."""
    chance = Chance(seed)
    lines = [chance.first()]
    play = Play(chance.rig, runtime)
    try:
        while len(lines) <= chance.lines and not play.over:
            for line in chance.next(play).split("; "):
                lines.append(line)
                play.line(line)
        lines.append(chance.last())
        play.line(lines[-1])
        run = Run(play)
        return lines, judged(run), play, run
    except Exception as error:  # a program that gives up is as bad as one that moves
        if not play.over:
            play.session.end()
        return lines, [Violation(type(error).__name__, play.session.tick, str(error))], None, None


def work(*job: Any) -> Tried:
    """See `_work`."""
    with on_rig_time():
        return _work(*job)


def _work(
    seed: int, sequences: int, seconds: float, shorten: bool = True, until_found: bool = False, but: str = ""
) -> Tried:
    """Sequences until their number, or the time, is over; or until one fails."""
    tried, runtime = Tried(), runtime_folder()
    begun_s, examples = time.monotonic(), Counter[str]()
    while tried.sequences < sequences and time.monotonic() - begun_s < seconds:
        number = seed * 1_000_000 + tried.sequences
        lines, found, play, run = one(number, runtime)
        found = [violation for violation in found if violation.judge not in but.split(",")]
        tried.sequences += 1
        if play is not None and run is not None:
            _count(tried, play, run)
        for violation in found:
            tried.count("violations", violation.judge)
        for violation in found[:1]:
            examples[violation.judge] += 1
            if examples[violation.judge] <= _EXAMPLES:
                kept = _short(lines, violation, runtime) if shorten else (lines, violation)
                tried.found.append(kept)
                print(f"seed {number}, sequence {tried.sequences}:\n{as_test(*kept)}", flush=True)
        if found and until_found:
            break
    tried.wall_s = time.monotonic() - begun_s
    return tried


def _short(lines: list[str], violation: Violation, runtime: Path) -> tuple[list[str], Violation]:
    short = shrunk(lines, violation.judge, runtime)
    try:
        return short, next(v for v in violations(short, runtime) if v.judge == violation.judge)
    except Exception:
        return lines, violation


def _count(tried: Tried, play: Play, run: Run) -> None:
    tried.rig_s += float(run.tick[-1]) * run.dt_s
    tried.count("rigs", play.rig)
    for note in play.notes:
        words = note.line.split()
        if words[0] in CLIENTS:
            tried.count("requests accepted" if note.ok else "requests refused", words[1])
        elif words[0] not in ("wait", "end"):
            tried.count("faults", " ".join(words[: 3 if words[0] in ("sensor", "wire") else 2])
                        if words[0] not in ("push", "stall", "stalls") else words[0])  # fmt: skip
    for mode in {int(m) for m in run.mode}:
        tried.count("modes reached", Mode(mode).name.lower())
    begins = run.trip[1:][(run.trip[1:] != run.trip[:-1]) & (run.trip[1:] != 0)]
    for trip in begins:
        tried.count("trips", Trip(int(trip)).name.lower())


def main() -> int:
    """As the options say."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--seeds", default="1,2,3,4,5", help="one run each")
    parser.add_argument("--sequences", type=int, default=2000, help="of each seed")
    parser.add_argument("--seconds", type=float, default=1e9, help="of each seed at most, by the wall")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--as-found", action="store_true", help="do not shorten what fails")
    parser.add_argument("--until-found", action="store_true", help="end with the first violation of each process")
    parser.add_argument("--but", default="", help="invariants that are left out, with commas between")
    chosen = parser.parse_args()
    seeds = [int(seed) for seed in chosen.seeds.split(",")]
    begun_s, total = time.monotonic(), Tried()
    share = -(-chosen.sequences // chosen.processes)
    jobs = [(seed * 100 + part, share, chosen.seconds, not chosen.as_found, chosen.until_found, chosen.but)
            for seed in seeds for part in range(chosen.processes)]  # fmt: skip
    if chosen.processes == 1:
        results = [work(*job) for job in jobs]
    else:
        with multiprocessing.get_context("spawn").Pool(chosen.processes) as pool:
            results = pool.starmap(work, jobs, chunksize=1)
    for result in results:
        total.add(result)
    total.wall_s = time.monotonic() - begun_s
    print(f"seeds {chosen.seeds}: {total.text()}")
    print(f"{len(total.found)} violations" if total.found else "no violation")
    return 1 if total.found else 0


if __name__ == "__main__":
    raise SystemExit(main())
