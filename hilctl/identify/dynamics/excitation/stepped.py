"""A stepped sine: one frequency after the other, each for some whole periods once the rig has swung in.

    x = A(f) sin φ,   φ' = 2π f                  between two steps f and A go along S = 35 s⁴ - 84 s⁵ + 70 s⁶ - 20 s⁷

so displacement and three derivatives are continuous over the blend, and the settling time begins with it. Without a
blend each step begins at phase zero at once, as in the paper's sweep: its velocity jumps.
"""

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np

from hilctl.identify.dynamics.excitation.room import Reals
from hilctl.identify.dynamics.excitation.shape import Shape
from hilctl.params import Params, Problem, number, whole


class SteppedSine(Params, kw_only=True):
    """A stepped sine."""

    start_hz: Annotated[float, number(1e-3, 500, "Hz", "first frequency")] = 1.0
    end_hz: Annotated[float, number(1e-3, 500, "Hz", "last frequency, included")] = 100.0
    step_hz: Annotated[float, number(1e-3, 100, "Hz", "from one frequency to the next")] = 1.0
    periods: Annotated[int, whole(1, 1000, "", "measured at each frequency")] = 3
    settle_periods: Annotated[int, whole(0, 1000, "", "before them, not measured")] = 1
    settle_s: Annotated[float, number(0, 60, "s", "before them at least, in whole periods")] = 0.0
    blend_periods: Annotated[float, number(0, 10, "", "of them: from the frequency before to this; 0: at once")] = 1.0
    rate_hz: Annotated[float, number(10, 20_000, "Hz", "samples")] = 1000.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A band that grows, below half the rate; a blend within the settling."""
        if self.end_hz < self.start_hz:
            yield Problem(f"{at}.end_hz", self.end_hz, f"must be at least start_hz = {self.start_hz:g} Hz")
        if self.end_hz > self.rate_hz / 4:
            yield Problem(f"{at}.end_hz", self.end_hz, f"must be at most a quarter of rate_hz = {self.rate_hz:g} Hz")
        if self.blend_periods > self.settle_periods:
            yield Problem(
                f"{at}.blend_periods", self.blend_periods, f"must be at most settle_periods = {self.settle_periods}"
            )


class Step(NamedTuple):
    """One frequency, and the samples that are measured there."""

    hz: float
    amplitude: float
    first: int  # sample of the signal
    length: int


class Stepped(NamedTuple):
    """The signal, and where its steps stand."""

    values: Reals
    rate_hz: float
    steps: tuple[Step, ...]

    @property
    def band_hz(self) -> tuple[float, float]:
        """Lowest and highest frequency."""
        return self.steps[0].hz, self.steps[-1].hz


def stepped_sine(asked: SteppedSine, shape: Shape) -> Stepped:
    """The whole signal; a blended one rises from rest, and falls back to it in as long a blend."""
    count = math.floor((asked.end_hz - asked.start_hz) / asked.step_hz + 1e-9) + 1
    hz = asked.start_hz + asked.step_hz * np.arange(count)
    amplitudes = shape(hz)
    dt = 1 / asked.rate_hz
    pieces: list[Reals] = []
    steps, done = [], 0.0
    f_before, a_before, phase = float(hz[0]), 0.0, 0.0
    for f, amplitude in zip(hz, amplitudes, strict=True):
        settle = max(asked.settle_periods, math.ceil(asked.settle_s * f)) / f
        blend_s = asked.blend_periods / f
        end = done + settle + asked.periods / f
        first, last = math.ceil(done / dt - 1e-9), math.ceil(end / dt - 1e-9)
        t = np.arange(first, last) * dt - done
        if blend_s > 0:
            pieces.append(_blended(t, blend_s, f_before, f, a_before, amplitude, phase))
            phase += math.pi * blend_s * (f_before + f) + 2 * math.pi * f * (end - done - blend_s)
        else:
            pieces.append(amplitude * np.sin(2 * np.pi * f * t))
        begin = math.ceil((done + settle) / dt - 1e-9)
        steps.append(Step(float(f), float(amplitude), begin, last - begin))
        done, f_before, a_before = end, float(f), float(amplitude)
    if asked.blend_periods > 0:
        blend_s = asked.blend_periods / f_before
        behind = np.asarray(np.arange(math.ceil(done / dt - 1e-9), math.ceil((done + blend_s) / dt) + 1) * dt - done)
        pieces.append(_blended(behind, blend_s, f_before, f_before, a_before, 0.0, phase))
    values = np.concatenate(pieces)
    factor = shape.fitting(values, asked.rate_hz)
    return Stepped(
        factor * values, asked.rate_hz, tuple(each._replace(amplitude=factor * each.amplitude) for each in steps)
    )


def smooth(s: Reals) -> Reals:
    """From 0 to 1 as s does; three derivatives are zero at both ends."""
    x = np.asarray(np.clip(s, 0.0, 1.0))
    return np.asarray(x**4 * (35 + x * (-84 + x * (70 - 20 * x))))


def _risen(s: Reals) -> Reals:
    """The integral of `smooth` from 0."""
    inside = np.clip(s, 0.0, 1.0)
    return np.asarray(inside**5 * (7 + inside * (-14 + inside * (10 - 2.5 * inside))) + np.maximum(s - 1, 0.0))


def _blended(t: Reals, blend_s: float, f0: float, f1: float, a0: float, a1: float, phase: float) -> Reals:
    s = t / blend_s
    turned = 2 * np.pi * (f0 * t + (f1 - f0) * blend_s * _risen(s))
    return np.asarray((a0 + (a1 - a0) * smooth(s)) * np.sin(phase + turned))
