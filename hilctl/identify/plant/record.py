"""One motion's samples, as the fit takes them: evenly spaced, at rest at both ends."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.identify.gaps import evened, late_text

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


def evened_record(record: Record) -> tuple[Record, str]:
    """With a few ticks put in that the loop was late for, and a note of it; the same where none is missing."""
    made = evened(record.samples)
    return (record._replace(samples=made.samples), f"{record.name}: {late_text(made)}") if made.put_in else (record, "")


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
