"""One motion's rows as they were fetched, at rest at both ends; for the fit, with a value at every tick."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment.policy import BRIDGED
from hilctl.experiment.record import Losses, fresh, record_of, runs
from hilctl.experiment.sensors import SENSED

Reals = npt.NDArray[np.float64]

CHANNELS = (
    "tick", "epoch", "mode", "displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa",
    "supply_pressure_pa", "u_applied", "xd_m", "rejected", "saturated",
)  # fmt: skip

_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)  # that a fast transform takes well


class Record(NamedTuple):
    """The samples of a motion with some rest behind it."""

    name: str
    lowest_hz: float  # of what the motion asks for
    rate_hz: float
    samples: Mapping[str, npt.NDArray[Any]]
    again: tuple[str, ...] = ()  # why it was driven before, and did not count

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples["tick"]) / self.rate_hz

    def of(self, channel: str) -> Reals:
        """A channel, as long as a fast transform likes it: a little of the rest behind is left out, no motion."""
        values = self.samples[channel]
        return np.asarray(values[: fast_length(len(values))], float)


def gaps(record: Record) -> list[slice]:
    """Of a record with a value at every tick: where more is missing than may be bridged."""
    gone = ~fresh(record.samples, *SENSED)[: fast_length(len(record.samples["tick"]))]
    return [part for part in runs(gone) if part.stop - part.start > BRIDGED]


def whole(record: Record) -> tuple[Record, Losses]:
    """With a value at every tick, and what was lost."""
    made = record_of(record.samples, record.rate_hz).bridged
    return record._replace(samples=made.columns), made.losses(SENSED)


def fast_length(count: int) -> int:
    """The greatest number without a large prime factor that is no more."""
    for length in range(count, 1, -1):
        left = length
        for prime in _PRIMES:
            while left % prime == 0:
                left //= prime
        if left == 1:
            return length
    return count
