"""A multisine: many sines at once, each with whole periods in one period of all.

    u = Σ A_k sin(2π k t/T + φ_k)               every k in the band, A_k as shaped, φ_k random by a seed

The same record repeats, so what differs from period to period is noise, and is measured.

Random phases have crest factors near 3.5. They are then made better by clipping again and again and keeping the phases
of what is left (van der Ouderaa, Schoukens and Renneboog 1988): about 1.7 for a flat spectrum.

Lines that ride on a carrier have equal acceleration, low ones equal speed, and it is the acceleration that is clipped.
The carrier has an odd number of half periods in one of the multisine, so its own lines, odd ones, fall in the middle
between the driven ones.
"""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.identify.frequency.excite_carrier import CARRIER, Carrier, carrier_for, left
from hilctl.identify.frequency.excite_shape import Room, Shape, scale_into, smooth
from hilctl.params import Params, Problem, number, whole
from hilctl.results.response import Reals

_CLIPPINGS = 200
_FINE = 32  # samples a period of the highest line: they show the peaks


class Multisine(Params, kw_only=True):
    """A multisine."""

    start_hz: Annotated[float, number(1e-3, 500, "Hz", "lowest line, at least")] = 1.0
    end_hz: Annotated[float, number(1e-3, 500, "Hz", "highest line, at most")] = 100.0
    period_s: Annotated[float, number(0.01, 1000, "s", "of all lines: they are 1/period apart")] = 1.0
    periods: Annotated[int, whole(1, 10_000, "", "measured")] = 14
    settle_periods: Annotated[int, whole(0, 1000, "", "before them, not measured")] = 1
    soft_s: Annotated[float, number(0, 60, "s", "soft start, within the settling, and soft stop behind")] = 0.0
    seed: Annotated[int, whole(0, 2**31 - 1, "", "of the phases")] = 1
    carrier_m_s: Annotated[float, number(0, 20, "m/s", CARRIER)] = 0.0
    rate_hz: Annotated[float, number(10, 20_000, "Hz", "samples; a period is a whole number of them")] = 1000.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Whole samples a period, at least one line, below a quarter of the rate; a soft start within the settling."""
        if abs(self.rate_hz * self.period_s - round(self.rate_hz * self.period_s)) > 1e-6:
            yield Problem(
                f"{at}.period_s", self.period_s, f"must be a whole number of samples of {1 / self.rate_hz:g} s"
            )
        if self.end_hz > self.rate_hz / 4:
            yield Problem(f"{at}.end_hz", self.end_hz, f"must be at most a quarter of rate_hz = {self.rate_hz:g} Hz")
        if len(lines_of(self)) < 2:
            yield Problem(
                f"{at}.end_hz", self.end_hz, f"holds fewer than two lines, {1 / self.period_s:g} Hz apart",
                "widen the band",
            )
        if self.soft_s > self.settle_periods * self.period_s:
            yield Problem(f"{at}.soft_s", self.soft_s, "must end within the settling", "raise settle_periods")
        if self.carrier_m_s and (self.periods % 2 or self.periods < 4):
            yield Problem(f"{at}.periods", self.periods, "must be even with a carrier, which fills two, and 4 at least")
        if self.carrier_m_s and not self.soft_s:
            yield Problem(f"{at}.carrier_m_s", self.carrier_m_s, "must be 0 where soft_s is 0: it rises from rest")


class Tones(NamedTuple):
    """The signal: where its periods begin, and its lines."""

    values: Reals
    rate_hz: float
    first: int  # sample of the first measured period
    period: int  # samples
    periods: int
    lines: npt.NDArray[np.int64]  # multiples of 1/period
    carrier_hz: float = 0.0

    @property
    def hz(self) -> Reals:
        """The lines' frequencies."""
        return np.asarray(self.lines * (self.rate_hz / self.period))

    @property
    def band_hz(self) -> tuple[float, float]:
        """Lowest and highest line."""
        return float(self.hz[0]), float(self.hz[-1])


def lines_of(asked: Multisine) -> npt.NDArray[np.int64]:
    """The lines that are driven."""
    first = max(1, int(np.ceil(asked.start_hz * asked.period_s - 1e-9)))
    return np.arange(first, int(np.floor(asked.end_hz * asked.period_s + 1e-9)) + 1)


def multisine(asked: Multisine, shape: Shape) -> Tones:
    """The signal with its settling: shaped as `shape` allows each line alone, scaled so that all of it has room."""
    carrier = _between(carrier_for(asked.carrier_m_s, shape), asked)
    if carrier is not None:
        return _carried(asked, shape, carrier)
    lines = lines_of(asked)
    amplitude = shape(lines / asked.period_s)
    phases = _flatten(lines, amplitude, 0.0, asked.seed)
    one = _filling(asked, lines, amplitude * np.exp(1j * phases), shape.amplitude, shape.room)
    return _tones(asked, np.tile(one, asked.settle_periods + asked.periods + 1), lines, 0.0)


def _carried(asked: Multisine, shape: Shape, carrier: Carrier) -> Tones:
    """The lines in what the carrier leaves of the room, and the carrier under them."""
    room, lines = left(carrier, shape.room), lines_of(asked)
    jw = 2j * np.pi * lines / asked.period_s
    corner = room.acceleration_m_s2 / room.velocity_m_s
    amplitude = 1 / np.abs(jw * np.maximum(np.abs(jw), corner))
    phases = _flatten(lines, amplitude * np.abs(jw) ** 2, np.pi, asked.seed)
    one = _filling(
        asked, lines, amplitude * np.exp(1j * phases), max(shape.amplitude - carrier.position_m, 1e-9), room
    )
    values = np.tile(one, asked.settle_periods + asked.periods + 1)
    made = _tones(
        asked, values + carrier.at(np.arange(len(values)) / asked.rate_hz), lines, 1 / carrier.period_s
    )
    return made._replace(values=shape.fitting(made.values, asked.rate_hz) * made.values)


def _between(carrier: Carrier | None, asked: Multisine) -> Carrier | None:
    """With the longest period of which an odd number of halves fills the multisine's; None where it only turns."""
    if carrier is None:
        return None
    halves = 2 * max(0, int(np.ceil(asked.period_s / carrier.period_s - 0.5 - 1e-9))) + 1
    period_s = 2 * asked.period_s / halves
    return carrier._replace(period_s=period_s) if period_s >= 2 * carrier.turn_s else None


def _soft(asked: Multisine, values: Reals) -> Reals:
    """Of periods of which one is too many: that begins with the soft stop."""
    count = len(values) - round(asked.period_s * asked.rate_hz)
    if not asked.soft_s:
        return values[:count]
    softly = np.arange(count + round(asked.soft_s * asked.rate_hz) + 1)
    behind = smooth((softly - count) / (asked.soft_s * asked.rate_hz))
    return np.asarray(values[softly] * smooth(softly / (asked.soft_s * asked.rate_hz)) * (1 - behind))


def _tones(asked: Multisine, values: Reals, lines: npt.NDArray[np.int64], carrier_hz: float) -> Tones:
    period = round(asked.rate_hz * asked.period_s)
    first = asked.settle_periods * period
    return Tones(_soft(asked, values), asked.rate_hz, first, period, asked.periods, lines, carrier_hz)


def _fine(lines: npt.NDArray[np.int64]) -> int:
    """Samples of a period that show the peaks between the signal's own samples."""
    return int(2 ** np.ceil(np.log2(_FINE * int(lines[-1]))))


def _time(lines: npt.NDArray[np.int64], spectrum: npt.NDArray[np.complex128], count: int) -> Reals:
    bins = np.zeros(count // 2 + 1, np.complex128)
    bins[lines] = spectrum * (count / 2) * -1j  # a line is A sin(w t + φ)
    return np.fft.irfft(bins, count)


def _flatten(lines: npt.NDArray[np.int64], size: Reals, turned: float, seed: int) -> Reals:
    """Phases by which what is watched, `size` large and `turned` against the displacement, has a low crest factor."""
    fine = _fine(lines)
    phases = np.random.default_rng([seed, 0]).uniform(0, 2 * np.pi, len(lines)) + turned
    best, kept = np.inf, phases
    for step in range(_CLIPPINGS):
        x = _time(lines, size * np.exp(1j * phases), fine)
        peak = float(np.abs(x).max())
        if peak < best:
            best, kept = peak, phases
        level = peak * (0.8 + 0.19 * step / _CLIPPINGS)
        phases = np.angle(1j * np.fft.rfft(np.clip(x, -level, level))[lines])
    return np.asarray(kept - turned)


def _filling(
    asked: Multisine, lines: npt.NDArray[np.int64], spectrum: npt.NDArray[np.complex128], amplitude: float, room: Room
) -> Reals:  # fmt: skip
    """A period, down or up to where it has the amplitude as its peak, or fills its room."""
    fine, jw = _fine(lines), 2j * np.pi * lines / asked.period_s
    x, v, a = (_time(lines, spectrum * jw**n, fine) for n in range(3))
    factor = min(amplitude / float(np.abs(x).max()), scale_into(room, x, v, a))
    return _time(lines, factor * spectrum, round(asked.rate_hz * asked.period_s))
