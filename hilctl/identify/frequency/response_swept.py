"""The frequency response from a motion that passes through its frequencies.

*A stepped sine*: a least-squares sine in each step, of input and output.

    s(t) = b cos wt - c sin wt + d       S = b + jc

over whole periods. What is left of both shows the noise near that frequency: their spectra at the neighbouring lines
of the step, from its first on, without the step's own. Samples of a step before its settling has ended are left out.

A step that rides on a carrier is measured over whole periods of it. What repeats with the other sign after half a
period, in input and output, has odd multiples of its frequency and is fitted beside the sine, whose frequency is an
even one; the other even ones show noise, and by how much the gain differs along the carrier. The gain is the mean of
both directions of sliding.

*A sweep*, or any input that is not periodic: the local polynomial method.

    Y(k + r) = G(k + r) U(k + r) + T(k + r) + N

around each frequency that is asked for, G a parabola in r and T a line. G U and T are separable because U turns fast
from line to line while G and T are smooth. What they leave is noise. The input is taken to be exact.

What a sweep rides on is part of its input; lines around its odd multiples are left out where enough others are left.

Schoukens, Vandersteen, Barbé and Pintelon 2009.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.identify.frequency.excite_stepped import Step
from hilctl.identify.frequency.judge import Finding, RecordFault
from hilctl.identify.frequency.response import leading
from hilctl.results.response import Complexes, Reals, Response, quotient

NEIGHBOURS = 6  # lines beyond the step's own that show the noise
IMPURE = 0.1  # of the input's sine: the input is another


def stepped_response(
    driven: npt.ArrayLike,
    output: npt.ArrayLike,
    rate_hz: float,
    steps: Sequence[Step],
    *,
    begins: int = 0,
) -> Response:
    """From a record whose sample `begins` is the first of the signal."""
    u, y = np.asarray(driven, np.float64), np.asarray(output, np.float64)
    last = max(begins + step.first + step.length for step in steps)
    if last > min(len(u), len(y)):
        text = f"{min(len(u), len(y))} samples, the signal's last is {last}; record to its end"
        raise RecordFault((Finding("too short", "input", text),))
    rows = []
    for step in steps:
        at = slice(begins + step.first, begins + step.first + step.length)
        rows.append(_step(u[at], y[at], step.hz, rate_hz, step.carrier_hz))
    hz = np.array([step.hz for step in steps])
    gain, variance, freedom, coherence = (np.array(each) for each in zip(*rows, strict=True))
    return Response(hz, gain, variance, freedom, coherence)


def _step(u: Reals, y: Reals, hz: float, rate_hz: float, carrier_hz: float) -> tuple[complex, float, float, float]:
    count = len(u)
    t = np.arange(count) / rate_hz
    periods = round(count / rate_hz * hz)
    if periods < 1 or count < 8:
        text = f"{count} samples of {hz:g} Hz are left; measure more periods of it"
        raise RecordFault((Finding("too short", "input", text),))
    own, every = (round(hz / carrier_hz), 2) if carrier_hz else (periods, 1)
    line_hz = hz / own
    lines_of_noise = [k for k in range(every, own + every * NEIGHBOURS + 1, every) if k != own]
    others = np.array([k for k in lines_of_noise if k * line_hz < rate_hz / 2])
    fitted = [hz, *(odd * line_hz for odd in range(1, int(others[-1]), 2) if carrier_hz)]
    turned = 2 * np.pi * np.outer(t, fitted)
    basis = np.concatenate([np.stack([np.cos(turned), -np.sin(turned)], 2).reshape(count, -1), np.ones((count, 1))], 1)
    both = np.stack([u, y], 1)
    found = np.linalg.lstsq(basis, both, rcond=None)[0]
    left = both - basis @ found
    sines = found[0] + 1j * found[1]
    if np.sqrt(2 * np.mean(left[:, 0] ** 2)) > IMPURE * abs(sines[0]):
        text = f"it is not a sine of {hz:g} Hz in that step; check the sampling rate, and where the record begins"
        raise RecordFault((Finding("wrong rate", "input", text),))
    lines = np.exp(-2j * np.pi * line_hz * np.outer(others, t)) @ left * (2 / count)
    spread = lines.T @ np.conj(lines) / len(others)  # [a, b] = mean a conj(b), of a line of this length
    gain, variance = quotient(
        sines[1:], sines[:1], spread[1, 1].real[None], spread[0, 0].real[None], spread[1, 0][None]
    )
    signal = abs(sines[1]) ** 2 / 2
    coherence = signal / (signal + float(np.mean(left[:, 1] ** 2)))
    return complex(gain[0]), float(variance[0]), 2.0 * len(others), float(coherence)


ORDER = 2
TRANSIENT = 1
LEAST_LINES = 20  # on which the six numbers of a place are found
WIDTH = 0.05  # of a frequency to both sides: where parabolas still hold, a damping of 0.05 included
BESIDE = 3.0  # lines to both sides of a carrier's: it rises and falls within the record
WEAK = 1e-3  # of the input's usual size: nothing was driven there


def sweep_response(
    driven: npt.ArrayLike, output: npt.ArrayLike, rate_hz: float, hz: npt.ArrayLike, *, carrier_hz: float = 0.0
) -> Response:  # fmt: skip
    """At the frequencies `hz`, which the record has to have driven; it begins at rest and ends when nothing moves."""
    u, y = np.asarray(driven, np.float64), np.asarray(output, np.float64)
    f = np.asarray(hz, np.float64)
    count = len(u)
    U, Y = (np.fft.rfft(each - each[0]) * (2 / count) for each in (u, y))
    step_hz = rate_hz / count
    nearest = np.round(f / step_hz).astype(int)
    if nearest.min() < 1 or nearest.max() > len(U) - LEAST_LINES:
        text = (
            f"{rate_hz:g} Hz for {count / rate_hz:.4g} s cannot show {f.min():g} to {f.max():g} Hz; record longer, or "
            "faster"
        )
        raise RecordFault((Finding("too short", "input", text),))
    usual = float(np.median(np.abs(U[nearest])))
    rows = []
    for one, k in zip(f, nearest, strict=True):
        reach = int(reach_hz(one, count / rate_hz) / step_hz + 1e-9)
        lines = np.arange(max(1, k - reach), min(len(U) - 1, max(k + reach, LEAST_LINES)) + 1)
        free = _free(lines, step_hz, carrier_hz)
        lines = free if len(free) >= LEAST_LINES else lines
        if np.sqrt(np.mean(np.abs(U[lines]) ** 2)) < WEAK * usual:
            text = f"it has nothing at {one:g} Hz; ask for frequencies that it drives, or sweep over them"
            raise RecordFault((Finding("unexcited", "input", text),))
        row = _place(U[lines], Y[lines], (lines * step_hz - one) / (reach * step_hz))
        if row is None:
            text = (
                f"around {one:.4g} Hz all of its power is in one or two lines, which do not tell how the response "
                "goes; drive a sweep or noise, or six periods at least of a multisine"
            )
            raise RecordFault((Finding("unexcited", "input", text),))
        rows.append(row)
    gain, variance, freedom, coherence = (np.array(each) for each in zip(*rows, strict=True))
    return Response(f, gain, variance, freedom, coherence)


def _free(lines: npt.NDArray[np.int64], step_hz: float, carrier_hz: float) -> npt.NDArray[np.int64]:
    """Without those near odd multiples of a carrier: what friction makes of its turns stands there."""
    if not carrier_hz:
        return lines
    beside = np.abs(lines * step_hz / carrier_hz % 2 - 1) * carrier_hz / step_hz
    return np.asarray(lines[beside > BESIDE])


def reach_hz(hz: Any, seconds: float) -> Any:
    """From how far to each side of a frequency its estimate draws, in a record of so many seconds."""
    return np.maximum(LEAST_LINES // 2 / seconds, WIDTH * np.asarray(hz))


def _place(u: Complexes, y: Complexes, r: Reals) -> tuple[complex, float, float, float] | None:
    """Gain, variance, freedom and coherence; None where the input's lines are too few for a parabola."""
    powers = r[:, None] ** np.arange(ORDER + 1)
    size = float(np.sqrt(np.mean(np.abs(u) ** 2)))
    basis = np.hstack([powers * (u / size)[:, None], powers[:, : TRANSIENT + 1]])
    try:
        fit = leading(basis, y)
    except np.linalg.LinAlgError:
        return None
    power = float(np.mean(np.abs(y) ** 2))
    coherence = max(0.0, 1 - fit.noise / max(power, 1e-300))
    return complex(fit.value / size), fit.noise * fit.grows / size**2, 2.0 * fit.spare, coherence
