"""Filters without delay, over a whole record: a straight line is taken off first, the rest is a sum of waves.

The record is at rest at both ends, so the sum of waves is smooth across them but for what noise leaves there. What it
leaves dies out within EDGE_S, and a window keeps that out of the fit; likewise around gaps.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hilctl.identify.plant.record import Reals

EDGE_S, TAPER_S = 0.06, 0.15  # of the window at either end
_CUT_HZ, _STEEP = 200.0, 8  # of the low-pass that keeps products of signals from folding
_ENDS = 15  # samples that say where the line begins and ends


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
        return Waves(np.fft.rfft(values - begin - slope * np.arange(self.count)), begin, slope)

    def values(self, waves: Waves, shape: Any = 1.0) -> Reals:
        """The signal again, its waves through a filter."""
        line = waves.begin + waves.slope * np.arange(self.count)
        return np.asarray(np.fft.irfft(waves.lines * self.low_pass * shape, self.count) + line)

    def rate(self, waves: Waves, shape: Any = 1.0) -> Reals:
        """Its derivative."""
        lines = waves.lines * self.low_pass * shape * 1j * self.w
        return np.asarray(np.fft.irfft(lines, self.count) + waves.slope / self.dt_s)

    def seen(self, values: Reals, chosen: Any) -> Any:
        """The lines of what the window shows of a signal."""
        return np.fft.rfft(self.window * values)[chosen]
