"""One motion's samples, as the fit takes them: evenly spaced, at rest at both ends."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

CHANNELS = (
    "tick", "epoch", "mode", "displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa",
    "supply_pressure_pa", "u_applied", "xd_m", "rejected", "saturated",
)  # fmt: skip


class Record(NamedTuple):
    """The samples of a motion with some rest behind it."""

    name: str
    lowest_hz: float  # of what the motion asks for
    rate_hz: float
    samples: Mapping[str, npt.NDArray[Any]]

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples["tick"]) / self.rate_hz

    def of(self, channel: str) -> Reals:
        """A channel, as long as a fast transform likes it: at most some per cent of rest are left out."""
        values = self.samples[channel]
        return np.asarray(values[: fast_length(len(values))], float)


def fast_length(count: int) -> int:
    """The greatest product of 2, 3 and 5 that is no more."""
    best, two = 1, 1
    while two <= count:
        three = two
        while three <= count:
            five = three
            while five * 5 <= count:
                five *= 5
            best = max(best, five)
            three *= 3
        two *= 2
    return best
