"""Filters without delay, over a whole record: a straight line is taken off first, the rest is a sum of waves.

The record is at rest at both ends, so the sum of waves is smooth across them but for what noise leaves there. What it
leaves dies out within EDGE_S, and a window keeps that out of the fit; likewise around gaps that are not bridged.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment.drive import Driven
from hilctl.experiment.policy import BRIDGED
from hilctl.experiment.record import Mask, fresh
from hilctl.experiment.sensors import SENSED

Reals = npt.NDArray[np.float64]

PRESSURES_HZ = "pressures_hz"  # kept with a slow sine that is driven alone: up to there pressures are read often enough
EDGE_S, TAPER_S = 0.06, 0.15  # of the window at either end
_CUT_HZ, _STEEP = 200.0, 8  # of the low-pass that keeps products of signals from folding
_ENDS = 15  # samples that say where the line begins and ends
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)  # that a fast transform takes well


class Waves(NamedTuple):
    """A signal as a line and a sum of waves."""

    lines: Any  # complex
    begin: float
    slope: float  # per sample


class Grid:
    """The instants and frequencies of a record."""

    def __init__(self, count: int, dt_s: float, gaps: Sequence[slice] = ()) -> None:
        self.count, self.dt_s = count, dt_s
        self.w: Reals = np.asarray(2 * np.pi * np.fft.rfftfreq(count, dt_s), float)
        self.low_pass: Reals = 1 / (1 + (self.w * dt_s / (2 * np.pi) * self._samples_per_cut()) ** (2 * _STEEP))
        s = 1j * self.w * dt_s
        self.held: Any = np.ones(len(s), complex)  # what holding a command for a tick does to it
        self.held[1:] = -np.expm1(-s[1:]) / s[1:]
        along = np.arange(count) * dt_s
        far = np.minimum(along, along[::-1])
        for gap in gaps:
            begin, end = gap.start * dt_s, (gap.stop - 1) * dt_s
            far = np.minimum(far, np.maximum(np.maximum(begin - along, along - end), 0.0))
        near = np.clip((far - EDGE_S) / TAPER_S, 0.0, 1.0)
        self.window: Reals = 0.5 - 0.5 * np.cos(np.pi * near)

    def _samples_per_cut(self) -> float:
        return 1 / (min(_CUT_HZ, 0.4 / self.dt_s) * self.dt_s)

    def waves(self, values: Reals) -> Waves:
        """A signal, taken apart."""
        ends = min(_ENDS, self.count // 2)
        begin, end = float(np.mean(values[:ends])), float(np.mean(values[-ends:]))
        slope = (end - begin) / (self.count - 1)
        return Waves(fft().rfft(values - begin - slope * np.arange(self.count)), begin, slope)

    def values(self, waves: Waves, shape: Any = 1.0) -> Reals:
        """The signal again, its waves through a filter."""
        line = waves.begin + waves.slope * np.arange(self.count)
        return np.asarray(fft().irfft(waves.lines * self.low_pass * shape, self.count) + line)

    def rate(self, waves: Waves, shape: Any = 1.0) -> Reals:
        """Its derivative."""
        lines = waves.lines * self.low_pass * shape * 1j * self.w
        return np.asarray(fft().irfft(lines, self.count) + waves.slope / self.dt_s)

    def seen(self, values: Reals, chosen: Any) -> Any:
        """The lines of what the window shows of a signal, or of each of several."""
        return fft().rfft(self.window * values)[..., chosen]


def fft() -> Any:
    """scipy's transforms, in half of the time that numpy's take; loaded where something is transformed."""
    from scipy import fft as transforms

    return transforms


class Shown(NamedTuple):
    """A motion with some rest behind it, as long as a fast transform likes it: a little of the rest is left out."""

    driven: Driven
    grid: Grid

    @property
    def lowest_hz(self) -> float:
        """Of what the motion asks for."""
        return float(self.driven.about["lowest_hz"])

    @property
    def pressures_hz(self) -> float:
        """Up to which the pressures of a slow sine show it, where it is driven alone; else infinite."""
        return float(self.driven.about.get(PRESSURES_HZ, math.inf))

    @property
    def fresh(self) -> Mask:
        """Where every sensor's reading is of its tick."""
        return fresh(self.driven.record, *SENSED)[: self.grid.count]

    def of(self, channel: str) -> Reals:
        """A channel with a value at every tick."""
        return np.asarray(self.driven.record.bridged[channel][: self.grid.count], float)


def shown(driven: Driven) -> Shown:
    """On its grid, whose window is closed around what is not bridged."""
    record = driven.record
    return Shown(driven, Grid(fast_length(record.ticks), 1 / record.rate_hz, record.gaps(SENSED, BRIDGED)))


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
