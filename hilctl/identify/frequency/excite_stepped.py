"""A stepped sine: one frequency after the other, each for some whole periods after settling.

    x = A(f) sin φ,   φ' = 2π f                  between two steps f and A go along S = 35 s⁴ - 84 s⁵ + 70 s⁶ - 20 s⁷

so displacement and three derivatives are continuous over the blend, and the settling time begins with it.

Steps that are slower than a carrier ride on it. Its period is an even number of theirs and is measured as a whole, so
nothing that it causes by half periods of either sign falls on their frequency; it changes in the middle of a stroke.
"""

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np

from hilctl.identify.frequency.excite_carrier import CARRIER, Carrier, carrier_for, needs, over
from hilctl.identify.frequency.excite_shape import Shape, risen, smooth
from hilctl.params import Params, Problem, number, whole
from hilctl.results.response import Reals


class SteppedSine(Params, kw_only=True):
    """A stepped sine."""

    start_hz: Annotated[float, number(1e-3, 500, "Hz", "first frequency")] = 1.0
    end_hz: Annotated[float, number(1e-3, 500, "Hz", "last frequency, included")] = 100.0
    step_hz: Annotated[float, number(1e-3, 100, "Hz", "from one frequency to the next")] = 1.0
    periods: Annotated[int, whole(1, 1000, "", "measured at each frequency")] = 3
    settle_periods: Annotated[int, whole(1, 1000, "", "before them, not measured; the first blends over")] = 1
    carrier_m_s: Annotated[float, number(0, 20, "m/s", CARRIER)] = 0.0
    rate_hz: Annotated[float, number(10, 20_000, "Hz", "samples")] = 1000.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A band that grows, below half the rate."""
        if self.end_hz < self.start_hz:
            yield Problem(f"{at}.end_hz", self.end_hz, f"must be at least start_hz = {self.start_hz:g} Hz")
        if self.end_hz > self.rate_hz / 4:
            yield Problem(f"{at}.end_hz", self.end_hz, f"must be at most a quarter of rate_hz = {self.rate_hz:g} Hz")


class Step(NamedTuple):
    """One frequency, and the samples that are measured there."""

    hz: float
    amplitude: float
    first: int  # sample of the signal
    length: int
    carrier_hz: float = 0.0  # of what it rides on: even numbers of its half periods are measured; 0: on nothing


class Stepped(NamedTuple):
    """The signal, and where its steps stand."""

    values: Reals
    rate_hz: float
    steps: tuple[Step, ...]

    @property
    def band_hz(self) -> tuple[float, float]:
        """Lowest and highest frequency."""
        return self.steps[0].hz, self.steps[-1].hz


class Planned(NamedTuple):
    """A step in time."""

    hz: float
    amplitude: float
    settle_s: float
    measured_s: float
    carrier: Carrier | None

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.settle_s + self.measured_s


def planned(asked: SteppedSine, shape: Shape) -> list[Planned]:
    """The steps, one after the other; a carrier rises, or falls, while the next settles."""
    count = math.floor((asked.end_hz - asked.start_hz) / asked.step_hz + 1e-9) + 1
    hz: Reals = np.asarray(asked.start_hz + asked.step_hz * np.arange(count))
    carrier = carrier_for(asked.carrier_m_s, shape)
    amplitudes = shape(hz)
    carried = np.zeros(count, bool)
    if carrier is not None:
        carried = needs(carrier, shape, hz)
        amplitudes = np.where(carried, over(carrier, shape, hz), amplitudes)
    out: list[Planned] = []
    for f, amplitude, rides in zip(hz.tolist(), amplitudes.tolist(), carried.tolist(), strict=True):
        before = out[-1].carrier if out else None
        settle_s = asked.settle_periods / f
        if not (rides and carrier):
            falls = math.ceil(f * before.period_s) / f if before else 0.0
            out.append(Planned(f, amplitude, max(settle_s, falls), asked.periods / f, None))
            continue
        half = math.floor(f * carrier.period_s / 2) / f
        own = carrier._replace(period_s=2 * half)
        halves = max(1, math.ceil(settle_s / half)) + (0 if before else 2)
        whole_periods = math.ceil(asked.periods / (2 * half * f) - 1e-9)
        out.append(Planned(f, amplitude, halves * half, whole_periods * 2 * half, own))
    return out


def stepped_sine(asked: SteppedSine, shape: Shape) -> Stepped:
    """The whole signal: it rises from rest, and falls back to it in as long a blend."""
    steps = planned(asked, shape)
    dt = 1 / asked.rate_hz
    values, told = _sines(steps, dt)
    if any(step.carrier for step in steps):
        values = values + _carriers(steps, len(values), dt)
    factor = shape.fitting(values, asked.rate_hz)
    return Stepped(
        factor * values, asked.rate_hz, tuple(each._replace(amplitude=factor * each.amplitude) for each in told)
    )


def _sines(steps: list[Planned], dt: float) -> tuple[Reals, list[Step]]:
    """One after the other, without what they ride on."""
    pieces: list[Reals] = []
    told, done = [], 0.0
    f_before, a_before, phase = steps[0].hz, 0.0, 0.0
    for f, amplitude, settle, measured, carrier in steps:
        blend_s = 1 / f
        end = done + settle + measured
        first, last = math.ceil(done / dt - 1e-9), math.ceil(end / dt - 1e-9)
        t: Reals = np.asarray(np.arange(first, last) * dt - done)
        pieces.append(_blended(t, blend_s, f_before, f, a_before, amplitude, phase))
        phase += math.pi * blend_s * (f_before + f) + 2 * math.pi * f * (end - done - blend_s)
        begin = math.ceil((done + settle) / dt - 1e-9)
        told.append(Step(f, amplitude, begin, last - begin, 1 / carrier.period_s if carrier else 0.0))
        done, f_before, a_before = end, f, amplitude
    blend_s = 1 / f_before
    rest_s = max(blend_s, steps[-1].carrier.period_s if steps[-1].carrier else 0.0)
    behind = np.asarray(np.arange(math.ceil(done / dt - 1e-9), math.ceil((done + rest_s) / dt) + 1) * dt - done)
    pieces.append(_blended(behind, blend_s, f_before, f_before, a_before, 0.0, phase))
    return np.concatenate(pieces), told


def _carriers(steps: list[Planned], count: int, dt: float) -> Reals:
    """What the steps ride on: each step's own, from the middle of a stroke on."""
    t: Reals = np.asarray(np.arange(count) * dt)
    values = np.zeros(count)
    done, sign = 0.0, 1.0
    for step, before in zip([*steps, None], [None, *steps], strict=True):
        own, was = step.carrier if step else None, before.carrier if before else None
        end = done + step.seconds if step else np.inf
        here = slice(math.ceil(done / dt - 1e-9), None if step is None else math.ceil(end / dt - 1e-9))
        since: Reals = np.asarray(t[here] - done)
        if own:
            values[here] = sign * own.at(since) * (1.0 if was else smooth(since / own.period_s))
            sign *= (-1.0) ** round(2 * (end - done) / own.period_s)
        elif was:
            values[here] = sign * was.at(since) * smooth(1 - since / was.period_s)
        done = end
    return values


def _blended(t: Reals, blend_s: float, f0: float, f1: float, a0: float, a1: float, phase: float) -> Reals:
    s = t / blend_s
    turned = 2 * np.pi * (f0 * t + (f1 - f0) * blend_s * risen(s))
    return np.asarray((a0 + (a1 - a0) * smooth(s)) * np.sin(phase + turned))
