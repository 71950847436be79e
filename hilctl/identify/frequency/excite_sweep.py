"""A logarithmic sweep: equal times for equal ratios of frequency.

    φ' = 2π f,   f = f0 (f1/f0)^(t/T)            x = e(t) A(f) sin φ

e rises from nothing over the soft start and falls over the soft stop, both within the sweep. Where it becomes slower
than a carrier it rides on one, to its end: A goes over to what the carrier leaves room for while that rises.
"""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np

from hilctl.identify.frequency.excite_carrier import CARRIER, Carrier, carrier_for, needs, over
from hilctl.identify.frequency.excite_shape import Shape, smooth
from hilctl.params import Params, Problem, number
from hilctl.results.response import Reals


class Sweep(Params, kw_only=True):
    """A logarithmic sweep."""

    start_hz: Annotated[float, number(1e-3, 500, "Hz", "first frequency")] = 1.0
    end_hz: Annotated[float, number(1e-3, 500, "Hz", "last frequency")] = 100.0
    duration_s: Annotated[float, number(0.1, 3600, "s", "how long, soft start and stop included")] = 15.0
    rest_s: Annotated[float, number(0, 60, "s", "afterwards: what still swings belongs to the sweep")] = 0.5
    soft_s: Annotated[float, number(0, 60, "s", "soft start and stop, each")] = 0.5
    carrier_m_s: Annotated[float, number(0, 20, "m/s", CARRIER)] = 0.0
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
    ride: Reals | float = 0.0  # of the values: the carrier
    carrier_hz: float = 0.0
    carried_from_hz: float = np.inf  # where it rides on it


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
    sizes = shape(f)
    carrier, begin = _carried(carrier_for(asked.carrier_m_s, shape), shape, f, t, asked.duration_s)
    if carrier is None:
        values = np.asarray(ends * sizes * np.sin(phase))
        values *= shape.fitting(values, asked.rate_hz)
        return Swept(values, asked.rate_hz, (asked.start_hz, asked.end_hz))
    rise = smooth((t - begin) / carrier.period_s)
    fall = smooth((asked.duration_s - t) / carrier.period_s)
    sizes = sizes + rise * (over(carrier, shape, f) - sizes)
    ride = rise * fall * carrier.at(t - begin)
    values = np.asarray(ends * sizes * np.sin(phase)) + ride
    factor = shape.fitting(values, asked.rate_hz)
    from_hz = float(np.interp(begin + carrier.period_s, t, f))
    band = (asked.start_hz, asked.end_hz)
    return Swept(factor * values, asked.rate_hz, band, factor * ride, 1 / carrier.period_s, from_hz)


def _carried(
    carrier: Carrier | None, shape: Shape, f: Reals, t: Reals, duration_s: float
) -> tuple[Carrier | None, float]:
    """From when on it rides: from where it stays slow; not at all where that is too short to rise and fall in."""
    if carrier is None:
        return None, 0.0
    fast = np.flatnonzero(~needs(carrier, shape, f))
    begin = float(t[fast[-1]]) if len(fast) else 0.0
    return (carrier, begin) if duration_s - begin > 4 * carrier.period_s else (None, 0.0)
