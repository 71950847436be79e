"""From the samples of a sine to its cycles: rows of one period each, at full amplitude, its rise forgotten.

A single micrometre is below the displacement sensor's noise. But each cycle repeats the one before, and the mean of n
of them has the nth root of n less noise. The same cycles, taken in two halves, give two records with noise of their
own: one to fit, one to judge the fit by.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment.policy import BRIDGED
from hilctl.experiment.record import Mask, fresh, longest
from hilctl.experiment.sensors import SENSED
from hilctl.identify.presliding.facts import Facts

Reals = npt.NDArray[np.float64]

CHANNELS = (
    "tick", "displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa", "xr_m", "rejected", "saturated",
)  # fmt: skip

LEAST_CYCLES = 8  # of each swing: four blocks of two
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


def cut(samples: Mapping[str, npt.NDArray[Any]], motion: Mapping[str, float], amplitude_m: float, period: int,
        facts: Facts) -> Cycles:
    """The cycles of a sine of so many samples a period; `motion`: the facts of the plan, as `track` returns them."""
    first = round(motion["full_from_s"] * facts.rate_hz) + FORGETS * period
    count = min(
        int(motion["full_s"] * facts.rate_hz + 0.5) // period - FORGETS, (len(samples["tick"]) - first) // period
    )
    rows = slice(first, first + count * period)

    there = {channel: fresh(samples, channel)[rows].reshape(count, period) for channel in SENSED}
    kept = _kept(np.all(list(there.values()), axis=0))

    def of(channel: str) -> Reals:
        values: Reals = np.asarray(samples[channel][rows], np.float64).reshape(count, period)
        return np.asarray(_averaged(values, there[channel])[kept])

    load = of("pressure_a_pa") - of("pressure_b_pa")
    return Cycles(
        amplitude_m, period / facts.rate_hz, of("displacement_m"), of("acceleration_m_s2"), facts.area_m2 * load,
    )  # fmt: skip


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
