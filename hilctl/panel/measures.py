"""What the cursors read: each channel at both, its change, mean, rms, peak to peak and distortion between them."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.panel.samples import Samples
from hilctl.results.distortion import HIGHEST_HZ, LEAST_CYCLES, NoMotion, distortion_of, last_harmonic

_LINES = 2000  # of a spectrum that is drawn
_HARMONICS = 3  # noise is seen between the second and the last


def between(samples: Samples, channel: str, first: int, last: int) -> dict[str, float | None]:
    """Of one channel, `first` to `last`. None is unknown: a gap, or older than what is kept at the full rate."""
    row = samples.rows([channel])[0]
    values = samples.between(row, first, last).astype(float)
    known = values[np.isfinite(values)]
    if not len(known):
        return dict.fromkeys(("at_first", "at_last", "change", "mean", "rms", "peak_to_peak", "slope"))
    a, b = _at(samples, row, first), _at(samples, row, last)
    change = None if a is None or b is None else b - a
    mean = float(known.mean())
    return {
        "at_first": a, "at_last": b, "change": change, "mean": mean,
        "rms": float(np.sqrt(np.mean(known**2))), "peak_to_peak": float(np.ptp(known)),
        "slope": change / (last - first) * samples.rate_hz if change is not None and last > first else None,
    }  # fmt: skip


def _at(samples: Samples, row: int, tick: int) -> float | None:
    values = samples.between(row, tick, tick)
    return float(values[0]) if len(values) and math.isfinite(values[0]) else None


def spectrum(samples: Samples, channel: str, first: int, last: int) -> dict[str, Any]:
    """Amplitude by frequency (Hann window), and the distortion where the record holds whole cycles of a fundamental.

    A gap ends it: what is looked at is the longest part without one.
    """
    values = _longest(samples.between(samples.rows([channel])[0], first, last).astype(float))
    if len(values) < 16:
        return {
            "hz": [],
            "amplitude": [],
            "why": "too few samples without a gap at the full rate; choose a later or longer window",
        }
    window = np.hanning(len(values))
    lines = 2 * np.abs(np.fft.rfft((values - values.mean()) * window)) / window.sum()
    hz = np.fft.rfftfreq(len(values), 1 / samples.rate_hz)
    fold = -(-len(lines) // _LINES)  # the highest of each group stays
    padded = np.append(lines, np.zeros(-len(lines) % fold)).reshape(-1, fold)
    at = np.minimum(padded.argmax(1) + np.arange(len(padded)) * fold, len(lines) - 1)
    return {"hz": hz[at].tolist(), "amplitude": lines[at].tolist(), **_distortion(values, samples.rate_hz)}


def _longest(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The longest part without a gap."""
    edges = np.flatnonzero(np.diff(np.r_[False, np.isfinite(values), False]))
    if not len(edges):
        return values[:0]
    begins, ends = edges[::2], edges[1::2]
    longest = int(np.argmax(ends - begins))
    return values[begins[longest] : ends[longest]]


def _distortion(values: npt.NDArray[np.float64], rate_hz: float) -> dict[str, Any]:
    """The fundamental is the highest line; the record is cut to whole cycles of it."""
    hz = fundamental(values, rate_hz)
    cycles = int(len(values) * hz / rate_hz)
    if cycles < 2 * LEAST_CYCLES:
        return {"thd_percent": None, "why": f"distortion needs {2 * LEAST_CYCLES} whole cycles in the window"}
    if last_harmonic(hz) < _HARMONICS:
        why = f"distortion needs harmonics 2 to {_HARMONICS} of {hz:.3g} Hz below {HIGHEST_HZ:g} Hz"
        return {"thd_percent": None, "why": why}
    try:
        found = distortion_of(values[: round(cycles * rate_hz / hz)], cycles, hz)
    except NoMotion:
        return {"thd_percent": None, "why": "nothing moves in this window"}
    return {"thd_percent": found.percent, "fundamental_hz": hz, "cycles": cycles, "why": ""}


def fundamental(values: npt.NDArray[np.float64], rate_hz: float) -> float:
    """Frequency of the highest line, to a fraction of a line: from the phase's advance from one half to the other.

    0 where a half holds less than two cycles: a slope looks the same.
    """
    n = len(values) // 2
    if n < 8:
        return 0.0
    window = np.hanning(n)
    halves = [np.fft.rfft((part - part.mean()) * window) for part in (values[:n], values[n : 2 * n])]
    line = 1 + int(np.argmax(np.abs(halves[0][1:]) + np.abs(halves[1][1:])))
    if line < LEAST_CYCLES:
        return 0.0
    turned = np.angle(halves[1][line] / halves[0][line]) if halves[0][line] != 0 else 0.0
    return float((line + turned / (2 * np.pi)) * rate_hz / n)
