"""A pytest session that does not run its tests once, but against every mutant those that meet it."""

import importlib
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.accepted import FILE, accepted
from tests.mutants.covering import Cover
from tests.mutants.forked import Fate, Trial, try_all
from tests.mutants.operators import Mutant, mutants_of

HOUSE = Path(__file__).resolve().parents[2]
ROOMS = ("hilctl/law", "hilctl/loop")
LONGEST_S = 3.0  # a longer test, traced, meets no mutant: it is a test of the whole, and the blocks have their own
BUDGET_S = 12.0  # of traced tests for a mutant
SLOWER = 4.0  # than when it was measured: then a mutant does not come to an end
AT_LEAST_S = 4.0


class Settings(NamedTuple):
    """What is asked for."""

    sample: int
    seed: int
    jobs: int
    room: str
    least: float


class Session:
    """Takes the place of pytest's own loop over the tests."""

    def __init__(self, asked: Settings) -> None:
        self.asked, self.good = asked, False

    def pytest_configure(self) -> None:
        """After the tests' own conftest, before the tests are imported."""
        from hypothesis import Phase, settings  # pytest rewrites it first

        # The same examples each time, and no search for a smaller one that fails: failing is enough.
        settings.register_profile("mutants", deadline=None, derandomize=True, database=None,
                                  phases=(Phase.explicit, Phase.generate))  # fmt: skip
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Measures, breaks, counts."""
        begun = time.monotonic()
        items = [item for item in session.items if "forms" in getattr(item, "fixturenames", ())]  # unit tests of blocks
        files = {str(path) for path in _sources("")}
        cover = Cover(files, LONGEST_S)
        failed = [item.nodeid for item in items if not cover.measure(item, lambda item=item: _passes([item]))]
        mutants = list(all_mutants(self.asked.room))
        chosen = mutants
        if 0 < self.asked.sample < len(mutants):
            chosen = sorted(random.Random(self.asked.seed).sample(mutants, self.asked.sample))
        print(f"\n{len(cover.took_s)} tests in plain Python; left out, as too slow or failing: {len(failed)}")
        print(f"{len(mutants)} mutants of {len(files)} files, {len(chosen)} of them tried; measured in "
              f"{time.monotonic() - begun:.0f} s", flush=True)  # fmt: skip
        fates = dict(try_all(_trials(chosen, cover), self.asked.jobs))
        fates = {mutant: fates.get(mutant, Fate.NOT_COVERED) for mutant in chosen}
        self._report(mutants, fates, time.monotonic() - begun)
        return True

    def _report(self, mutants: list[Mutant], fates: dict[Mutant, Fate], took_s: float) -> None:
        counts = Counter(fates.values())
        reasons = accepted(FILE.read_text())
        alive = [mutant for mutant, fate in fates.items() if fate in (Fate.SURVIVED, Fate.NOT_COVERED)]
        for mutant in alive:
            reason = reasons.get(f"{mutant.path} {mutant.name}")
            print(f"{mutant.path}:{mutant.line}: {mutant.old} -> {mutant.new}"
                  f"{'  (not covered)' if fates[mutant] is Fate.NOT_COVERED else ''}"
                  f"{f'  (accepted: {reason})' if reason else ''}")  # fmt: skip
        known, dead = {f"{m.path} {m.name}" for m in mutants}, {f"{m.path} {m.name}" for m in fates if m not in alive}
        still = {f"{m.path} {m.name}" for m in alive}
        for name in reasons:
            if not self.asked.room and name not in known:
                print(f"{FILE.name}: no such mutant, take it out: {name}")
            elif name in dead - still:
                print(f"{FILE.name}: is killed now, take it out: {name}")
        killed = counts[Fate.KILLED] + counts[Fate.TIMED_OUT]
        percent = 100.0 * killed / max(len(fates), 1)
        self.good = percent >= self.asked.least
        print(f"\n{', '.join(f'{counts[fate]} {fate.value}' for fate in Fate)}: {percent:.1f} % of {len(fates)} die, "
              f"at least {self.asked.least:g} % must; {took_s:.0f} s", flush=True)  # fmt: skip


def all_mutants(room: str) -> Iterator[Mutant]:
    """Of every function that runs in a tick."""
    for path in _sources(room):
        yield from mutants_of(path, path.relative_to(HOUSE), lambda name: name.lstrip("_").startswith("rt_"))


def _sources(room: str) -> Iterator[Path]:
    for folder in ROOMS:
        for path in sorted((HOUSE / folder).rglob("*.py")):
            if str(path.relative_to(HOUSE)).startswith(room):
                yield path


def _trials(mutants: list[Mutant], cover: Cover) -> Iterator[Trial]:
    for mutant in mutants:
        tests = cover.covering(str(HOUSE / mutant.path), mutant.first, mutant.last, BUDGET_S)
        if tests:
            module = importlib.import_module(".".join(mutant.path.with_suffix("").parts))
            took_s = sum(cover.took_s[test] for test in tests)
            yield Trial(mutant, getattr(module, mutant.function), mutant.code, lambda tests=tests: _passes(tests),
                        max(AT_LEAST_S, SLOWER * took_s))  # fmt: skip


def _passes(items: list[Any]) -> bool:
    """Runs tests until the first that fails."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        reports = runtestprotocol(item, log=False, nextitem=following)
        if any(report.failed or report.skipped for report in reports):
            return False
    return True
