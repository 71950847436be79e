"""A logarithmic sweep: equal times for equal ratios of frequency.

    φ' = 2π f,   f = f0 (f1/f0)^(t/T)            x = e(t) A(f) sin φ

e rises from nothing over the soft start and falls over the soft stop, both within the sweep.
"""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np

from hilctl.identify.dynamics.excitation.room import Reals
from hilctl.identify.dynamics.excitation.shape import Shape
from hilctl.identify.dynamics.excitation.stepped import smooth
from hilctl.params import Params, Problem, number


class Sweep(Params, kw_only=True):
    """A logarithmic sweep."""

    start_hz: Annotated[float, number(1e-3, 500, "Hz", "first frequency")] = 1.0
    end_hz: Annotated[float, number(1e-3, 500, "Hz", "last frequency")] = 100.0
    duration_s: Annotated[float, number(0.1, 3600, "s", "how long, soft start and stop included")] = 15.0
    rest_s: Annotated[float, number(0, 60, "s", "afterwards: what still swings belongs to the sweep")] = 0.5
    soft_s: Annotated[float, number(0, 60, "s", "soft start and stop, each")] = 0.5
    rate_hz: Annotated[float, number(10, 20_000, "Hz", "samples")] = 1000.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A band that grows, below a quarter of the rate; soft ends and two of the slowest periods within the sweep."""
        if self.end_hz <= self.start_hz:
            yield Problem(f"{at}.end_hz", self.end_hz, f"must be above start_hz = {self.start_hz:g} Hz")
        if self.end_hz > self.rate_hz / 4:
            yield Problem(f"{at}.end_hz", self.end_hz, f"must be at most a quarter of rate_hz = {self.rate_hz:g} Hz")
        if 2 * self.soft_s >= self.duration_s:
            yield Problem(f"{at}.soft_s", self.soft_s, f"must be below half of duration_s = {self.duration_s:g} s")
        if self.duration_s * self.start_hz < 2:
            yield Problem(
                f"{at}.duration_s", self.duration_s, f"must hold two periods of start_hz = {self.start_hz:g} Hz",
                f"at least {2 / self.start_hz:g} s",
            )  # fmt: skip


class Swept(NamedTuple):
    """The signal and its band."""

    values: Reals
    rate_hz: float
    band_hz: tuple[float, float]


def sweep(asked: Sweep, shape: Shape) -> Swept:
    """The whole signal, with the rest behind it."""
    count = round((asked.duration_s + asked.rest_s) * asked.rate_hz)
    t = np.arange(count) / asked.rate_hz
    inside = np.minimum(t, asked.duration_s)
    ratio = np.log(asked.end_hz / asked.start_hz)
    f = asked.start_hz * np.exp(ratio * inside / asked.duration_s)
    phase = 2 * np.pi * asked.duration_s / ratio * (f - asked.start_hz)
    ends = np.where(t < asked.duration_s, 1.0, 0.0)
    if asked.soft_s:
        ends = smooth(t / asked.soft_s) * smooth((asked.duration_s - t) / asked.soft_s)
    values = np.asarray(ends * shape(f) * np.sin(phase))
    values *= shape.fitting(values, asked.rate_hz)
    return Swept(values, asked.rate_hz, (asked.start_hz, asked.end_hz))
