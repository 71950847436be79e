"""What a trigger has caught, whole: every sample of the loop, from the service, as exact as it has them."""

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.client import Client
from hilctl.panel.scope import Caught


class Capture(NamedTuple):
    """Samples around the instant."""

    caught: Caught
    rate_hz: float
    columns: dict[str, npt.NDArray[Any]]

    @property
    def ran(self) -> int:
        """Samples."""
        return len(self.columns["tick"])

    @property
    def missing(self) -> int:
        """Ticks that the loop missed, or whose samples were no longer there."""
        return self.caught.last - self.caught.first + 1 - self.ran

    def csv(self) -> bytes:
        """A line a sample; the time counts from the trigger."""
        time_s = (self.columns["tick"] - self.caught.tick) / self.rate_hz
        names = [name for name in self.columns if name != "tick"]
        text = io.StringIO()
        text.write(",".join(["time_s", "tick", *names]) + "\n")
        rows = zip(time_s.tolist(), *(self.columns[name].tolist() for name in ["tick", *names]), strict=True)
        text.writelines(",".join(map(repr, row)) + "\n" for row in rows)
        return text.getvalue().encode()


def fetch(client: Client, caught: Caught, channels: Sequence[str], newest: tuple[int, int], rate_hz: float) -> Capture:
    """`newest`: number and tick of a sample after it. Numbers grow by one, ticks by one or, after missed ones, more."""
    number, tick = newest
    status = client.status()
    first = max(status["history"]["first"], number - (tick - caught.first), 0)
    found = client.samples(first, number, ["tick", *channels])
    inside = (found["tick"] >= caught.first) & (found["tick"] <= caught.last)
    return Capture(caught, rate_hz, {name: np.ascontiguousarray(column[inside]) for name, column in found.items()})
