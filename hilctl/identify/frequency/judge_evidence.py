"""Figures from the samples of a record alone: extremes, pauses, band, coherence, and which signal leads."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.signal import csd

from hilctl.experiment.record import Mask, runs
from hilctl.results.response import Reals

_RUN = 3  # consecutive samples at the extreme
_RUNS = 3  # at least: a signal may rest at an end once before and once after the motion
_LEVELS = 10  # values: a signal with fewer switches between them, and its extremes are intended
_PILED = 4.0  # times as many samples at the extreme as in the next three steps below: a quantised peak has about one
_SEGMENTS = 15  # at least, that a spectrum is averaged over
_LONGEST = 4096  # samples of one
_COHERENT, _CLEAR = 0.5, 0.8  # coherence that counts for the delay; for the phase from line to line
_STEADY = 0.5  # net change of phase over its total variation: above it the phase goes one way
_AUDIBLE = 1e-10  # of the strongest line's power: less is rounding
_BESIDE, _LITTLE = 1.5, 2e-4  # times the line's frequency; of all power
_RELAXED = 20  # visits of the extreme: so many count without runs


class Related(NamedTuple):
    """How an output is related to an input."""

    coherence: float  # mean, weighted with the power of the input or of the output, the greater of both
    beside: float  # the same beside the input's strongest line; 0 where there is too little power for it
    rise_deg: float  # of the phase over the coherent band; negative for a lag
    ahead_s: float  # by which the output leads
    line: float  # share of the input's power in its strongest line
    line_hz: float


def clipping(values: Reals, allowed: tuple[float, float] | None) -> tuple[float, float]:
    """Share of the samples at an end, and that end: of a known range, else of the signal's own extremes."""
    if allowed is not None:
        low, high = allowed
        slack = 1e-9 * (high - low)
        below, above = np.mean(values <= low + slack), np.mean(values >= high - slack)
        return (float(below), low) if below > above else (float(above), high)
    if len(np.unique(values[:: max(1, len(values) // 1000)])) < _LEVELS:
        return 0.0, float(values[0])
    best, at = 0.0, float(values.max())
    for sign in (1.0, -1.0):
        share = _piled(sign * values)
        if share > best:
            best, at = share, float(sign * (sign * values).max())
    return best, at


def _piled(values: Reals) -> float:
    """Share of the samples at the greatest value, if the signal reaches it repeatedly."""
    top = values.max()
    levels = np.unique(values)
    step = float(top - levels[-2])
    here = values == top
    if np.count_nonzero(here) < _PILED * np.count_nonzero((values < top) & (values >= top - 3.5 * step)):
        return 0.0
    lengths = np.array([part.stop - part.start for part in runs(here)])
    long = lengths >= _RUN
    if len(lengths) >= _RELAXED:
        return float(lengths.sum() / len(values))
    return float(lengths[long].sum() / len(values)) if np.count_nonzero(long) >= _RUNS else 0.0


def dead_stretch(values: Reals, driven: Reals) -> tuple[int, int]:
    """The longest stretch of exactly one value while the input moves, and its first sample."""
    held, first = _longest(np.diff(values) == 0)
    moves = held and float(np.std(driven[first : first + held + 1])) > 0.1 * float(np.std(driven))
    return (held, first) if moves else (0, 0)


def longest_freeze(channels: Sequence[Reals]) -> tuple[int, int]:
    """The longest stretch within a motion in which no channel changes at all, and its first sample."""
    same = np.all([np.diff(values) == 0 for values in channels], axis=0)
    moving = np.flatnonzero(~same)
    if len(moving):
        same[: moving[0]] = same[moving[-1] :] = False
    return _longest(same) if len(moving) else (0, 0)


def _longest(here: Mask) -> tuple[int, int]:
    """The most in a row, and where they begin."""
    return max(((part.stop - part.start, part.start) for part in runs(here)), default=(0, 0), key=lambda one: one[0])


def band_of(values: Reals, rate_hz: float) -> tuple[float, float]:
    """The frequencies between which nearly all of a signal's power lies."""
    power = np.abs(np.fft.rfft(values - values.mean())) ** 2  # no window: it would weaken both ends of a sweep
    total = np.cumsum(power)
    low, high = np.searchsorted(total, (0.02 * total[-1], 0.97 * total[-1]))
    low = max(low, 1)
    return float(low * rate_hz / len(values)), float(high * rate_hz / len(values))


def coherence_and_delay(driven: Reals, output: Reals, rate_hz: float) -> Related:
    """From spectra averaged over half-overlapping pieces. Delay: the slope of the phase, weighted with power.

    The rise is that over the band, or that from line to line with equal weights if the phase goes one way; 0 if the
    two differ in sign.
    """
    length = min(_LONGEST, 2 * len(driven) // (_SEGMENTS + 1))
    u, y = driven - driven.mean(), output - output.mean()

    def spectrum(one: Reals, other: Reals) -> Any:
        return csd(one, other, rate_hz, nperseg=length, noverlap=length - length // 2, detrend=False)[1][1:]

    uu, yy, cross = spectrum(u, u).real, spectrum(y, y).real, spectrum(u, y)
    coherence = np.abs(cross) ** 2 / np.maximum(uu * yy, np.finfo(float).tiny)
    step_hz = rate_hz / length
    good = coherence > _COHERENT
    pairs = np.where(good[1:] & good[:-1], cross[1:] * np.conj(cross[:-1]), 0.0)
    weight = np.abs(pairs)
    turn = float(np.angle(pairs.sum()))  # change of phase from a line to the next
    centre = float(np.sum(weight * np.arange(len(weight))) / max(weight.sum(), np.finfo(float).tiny))
    spread = np.sqrt(np.sum(weight * (np.arange(len(weight)) - centre) ** 2) / max(weight.sum(), np.finfo(float).tiny))
    clear = (coherence > _CLEAR) & (uu > _AUDIBLE * uu.max()) & (yy > _AUDIBLE * yy.max())
    turns = np.angle(cross[1:] * np.conj(cross[:-1]))[clear[1:] & clear[:-1]]
    steady = float(np.abs(turns.sum()) / max(np.abs(turns).sum(), np.finfo(float).tiny))
    rise = 0.0
    if turn * turns.sum() > 0:  # both estimates have the same sign
        rise = float(turn * 4 * spread)
        if steady > _STEADY and abs(turns.sum()) > abs(rise):
            rise = float(turns.sum())
    full = np.abs(np.fft.rfft(u * np.hanning(len(driven) + 1)[:-1])) ** 2
    strongest = int(np.argmax(full))
    line = float(full[max(0, strongest - 2) : strongest + 3].sum() / full.sum())
    at_hz = strongest * rate_hz / len(driven)
    hz = step_hz * np.arange(1, len(uu) + 1)
    beside = np.where((hz < at_hz / _BESIDE) | (hz > at_hz * _BESIDE), uu, 0.0)
    shared = [float(np.sum(coherence * weight) / weight.sum()) for weight in (uu, yy)]
    rest = float(np.sum(coherence * beside) / beside.sum()) if beside.sum() > _LITTLE * uu.sum() else 0.0
    return Related(max(shared), rest, float(np.rad2deg(rise)), turn / (2 * np.pi * step_hz), line, at_hz)
