"""What must never be, judged on the plant's true state in every tick."""

from tests.invariants.judges import asked, jolts, motions, outputs, ticks
from tests.invariants.judges.registry import JUDGES, Violation
from tests.invariants.run import Run

__all__ = ["JUDGES", "Violation", "asked", "jolts", "judged", "motions", "outputs", "ticks"]


def judged(run: Run) -> list[Violation]:
    """The first violation of each invariant, in the order of time."""
    found = [violation for check in JUDGES.values() for violation in check(run)]
    return sorted(found, key=lambda v: v.tick)
