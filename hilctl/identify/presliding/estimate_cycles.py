"""From the samples of a sine to its cycles: rows of one period each, at full amplitude, its rise forgotten.

A single micrometre is below the displacement sensor's noise. But each cycle repeats the one before, and the mean of n
of them has the nth root of n less noise. The same cycles, taken in two halves, give two records with noise of their
own: one to fit, one to judge the fit by.

The mean cycle mixes displacement and acceleration, and half a percent of 1.3 mm is 6 µm: they must agree better than
the rig file says. The fastest swing shows the accelerometer's gain and delay to some 1e-4.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment import accelerometer
from hilctl.experiment.drive import Driven, LegFault
from hilctl.experiment.facts import Facts
from hilctl.experiment.noise import LEAST
from hilctl.experiment.policy import BRIDGED
from hilctl.experiment.record import Mask, fresh, longest, lost
from hilctl.experiment.sensors import SENSED

Reals = npt.NDArray[np.float64]

LEAST_CYCLES = 8  # of each swing: four blocks of two
_LOWEST = 0.5  # of the swing's frequency
FORGETS = 1  # cycles at full amplitude that do not count: friction remembers the rise, by 1200 N of 3100 on the twin


class Cycles(NamedTuple):
    """One row a cycle."""

    amplitude_m: float  # of the reference
    period_s: float
    x_m: Reals
    a_m_s2: Reals
    push_n: Reals  # A pL

    @property
    def rows(self) -> int:
        """How many."""
        return len(self.x_m)

    def part(self, first: int, step: int) -> "Cycles":
        """Every step-th, from the first."""
        rows = slice(first, None, step)
        return self._replace(x_m=self.x_m[rows], a_m_s2=self.a_m_s2[rows], push_n=self.push_n[rows])


def cut(driven: Driven, facts: Facts) -> Cycles:
    """The cycles of a sine of `period` samples, of what was driven."""
    record, period = driven.record, int(driven.about["period"])
    first = round(driven.facts["full_from_s"] * facts.rate_hz) + FORGETS * period
    count = min(
        int(driven.facts["full_s"] * facts.rate_hz + 0.5) // period - FORGETS, (record.ticks - first) // period
    )  # fmt: skip
    rows = slice(first, first + count * period)
    kept = _kept(~lost(record, *SENSED)[rows].reshape(count, period))

    def of(channel: str) -> Reals:
        values: Reals = np.asarray(record.bridged[channel][rows], np.float64).reshape(count, period)
        return np.asarray(_averaged(values, fresh(record, channel)[rows].reshape(count, period))[kept])

    load = of("pressure_a_pa") - of("pressure_b_pa")
    return Cycles(
        driven.about["amplitude_m"], period / facts.rate_hz, of("displacement_m"), of("acceleration_m_s2"),
        facts["machine.A"] * load,
    )  # fmt: skip


def aligned(swings: Sequence[Cycles], facts: Facts) -> tuple[list[Cycles], Facts]:
    """With the accelerometer's gain and delay as the fastest shows them. LegFault where they cannot be right."""
    fastest = max(swings, key=lambda c: c.amplitude_m / c.period_s**2)
    both = accelerometer.Both(fastest.x_m.ravel(), fastest.a_m_s2.ravel(), _LOWEST / fastest.period_s)
    noise = (max(facts[f"sensors.{name}.noise"], LEAST[name]) for name in ("displacement", "acceleration"))
    found = accelerometer.compare([both], facts.rate_hz, *noise)
    if found is None:
        return list(swings), facts
    problem = accelerometer.wrong(found.gain)
    if problem:
        raise LegFault(problem)
    late_s = facts["sensors.displacement.delay_s"] + found.later_s
    return [c._replace(a_m_s2=c.a_m_s2 / found.gain) for c in swings], facts.but("sensors.acceleration.delay_s", late_s)


def _kept(there: Mask) -> npt.NDArray[np.bool_]:
    """Without the cycles that have a gap beyond what is bridged: the table went its own way meanwhile. The longest gaps
    first, and no more of them than leave LEAST_CYCLES."""
    gaps = np.array([longest(~row) for row in there], int)
    kept = np.ones(len(there), bool)
    for worst in np.argsort(-gaps, kind="stable")[: max(len(there) - LEAST_CYCLES, 0)]:
        kept[worst] = gaps[worst] <= BRIDGED
    return kept


def _averaged(values: Reals, there: Mask) -> Reals:
    """What one cycle lost, the mean of the others says best: it moves no mean, and adds no noise of its own."""
    if there.all():
        return values
    seen = there.sum(0)
    mean = np.where(there, values, 0.0).sum(0) / np.maximum(seen, 1)
    return np.asarray(np.where(there | (seen == 0), values, mean))
