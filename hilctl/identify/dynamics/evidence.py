"""What the samples of a record show by themselves: their extremes, pauses, band, and which signal comes first."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

_RUN = 3  # samples at the extreme, one after the other
_RUNS = 3  # times: a signal may rest at an end once before and once after
_LEVELS = 10  # of a signal that switches: its extremes are meant
_PILED = 4.0  # times as many samples at the extreme as in the next three steps below: a quantised peak has about one
_SEGMENTS = 15  # at least, that a spectrum is averaged over
_LONGEST = 4096  # samples of one
_COHERENT = 0.5


class Related(NamedTuple):
    """How an output belongs to an input."""

    coherence: float  # mean, weighted with the input's power
    rise_deg: float  # of the phase over the coherent band; a lag falls
    ahead_s: float  # by which the output comes first
    line: float  # share of the input's power in its strongest line
    line_hz: float


def clipping(values: Reals, allowed: tuple[float, float] | None) -> tuple[float, float]:
    """Share of the samples that stand at an end, and which one; of a known range, or of what the signal shows."""
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
    """Share of the samples at the greatest value, where they stand there again and again."""
    top = values.max()
    levels = np.unique(values)
    step = float(top - levels[-2])
    here = values == top
    if np.count_nonzero(here) < _PILED * np.count_nonzero((values < top) & (values >= top - 3.5 * step)):
        return 0.0
    edges = np.flatnonzero(np.diff(np.concatenate([[0], here.astype(np.int8), [0]])))
    lengths = edges[1::2] - edges[::2]
    long = lengths >= _RUN
    return float(lengths[long].sum() / len(values)) if np.count_nonzero(long) >= _RUNS else 0.0


def longest_freeze(channels: Sequence[Reals]) -> tuple[int, int]:
    """How many samples all channels repeat at most, to the last bit, in the midst of motion; and where."""
    same = np.all([np.diff(values) == 0 for values in channels], axis=0)
    moving = np.flatnonzero(~same)
    if len(moving) < 2:
        return 0, 0
    pauses = np.diff(moving) - 1
    at = int(np.argmax(pauses))
    return int(pauses[at]), int(moving[at]) + 1


def band_of(values: Reals, rate_hz: float) -> tuple[float, float]:
    """Between which frequencies nearly all of a signal's power lies."""
    power = np.abs(np.fft.rfft(values - values.mean())) ** 2  # no window: it would hide where a sweep begins and ends
    total = np.cumsum(power)
    low, high = np.searchsorted(total, (0.02 * total[-1], 0.97 * total[-1]))
    low = max(low, 1)
    return float(low * rate_hz / len(values)), float(high * rate_hz / len(values))


def coherence_and_delay(driven: Reals, output: Reals, rate_hz: float) -> Related:
    """From spectra averaged over half-overlapping pieces. The delay is the slope of the phase, weighted with power."""
    length = min(_LONGEST, 2 * len(driven) // (_SEGMENTS + 1))
    window = np.hanning(length + 1)[:-1]
    begins = range(0, len(driven) - length + 1, length // 2)
    u, y = (
        np.fft.rfft(np.array([(each[b : b + length] - each.mean()) * window for b in begins]))[:, 1:]
        for each in (driven, output)
    )
    uu, yy = np.sum(np.abs(u) ** 2, 0), np.sum(np.abs(y) ** 2, 0)
    cross = np.sum(y * np.conj(u), 0)
    coherence = np.abs(cross) ** 2 / np.maximum(uu * yy, np.finfo(float).tiny)
    step_hz = rate_hz / length
    good = coherence > _COHERENT
    pairs = np.where(good[1:] & good[:-1], cross[1:] * np.conj(cross[:-1]), 0.0)
    weight = np.abs(pairs)
    turn = float(np.angle(pairs.sum()))  # of the phase from a line to the next
    centre = float(np.sum(weight * np.arange(len(weight))) / max(weight.sum(), np.finfo(float).tiny))
    spread = np.sqrt(np.sum(weight * (np.arange(len(weight)) - centre) ** 2) / max(weight.sum(), np.finfo(float).tiny))
    full = np.abs(np.fft.rfft((driven - driven.mean()) * np.hanning(len(driven) + 1)[:-1])) ** 2
    strongest = int(np.argmax(full))
    line = float(full[max(0, strongest - 2) : strongest + 3].sum() / full.sum())
    return Related(
        float(np.sum(coherence * uu) / uu.sum()), float(np.rad2deg(turn) * 4 * spread),
        turn / (2 * np.pi * step_hz), line, strongest * rate_hz / len(driven),
    )  # fmt: skip
