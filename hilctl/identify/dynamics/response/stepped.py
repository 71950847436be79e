"""The frequency response from a stepped sine: a least-squares sine in each step, of input and output.

    s(t) = b cos wt - c sin wt + d       S = b + jc

over whole periods. What is left of both shows the noise near that frequency: their spectra at the neighbouring lines
of the step, from its first on, without the step's own. Samples of a step before its settling has ended are left out.

A step that rides on a carrier is measured over whole periods of it. What repeats with the other sign after half a
period, in input and output, has odd multiples of its frequency and is fitted beside the sine, whose frequency is an
even one; the other even ones show noise, and by how much the gain differs along the carrier. The gain is the mean of
both directions of sliding.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.excitation import Step
from hilctl.identify.dynamics.judge import Finding, RecordFault
from hilctl.identify.dynamics.response.result import Reals, Response, quotient

NEIGHBOURS = 6  # lines beyond the step's own that show the noise
IMPURE = 0.1  # of the input's sine: the input is another


def stepped_response(
    driven: npt.ArrayLike,
    output: npt.ArrayLike,
    rate_hz: float,
    steps: Sequence[Step],
    *,
    begins: int = 0,
    skip_periods: float = 0.0,
) -> Response:
    """From a record whose sample `begins` is the first of the signal. `skip_periods` of each step settle still."""
    u, y = np.asarray(driven, np.float64), np.asarray(output, np.float64)
    last = max(begins + step.first + step.length for step in steps)
    if last > min(len(u), len(y)):
        text = f"{min(len(u), len(y))} samples, the signal's last is {last}; record to its end"
        raise RecordFault((Finding("too short", "input", text),))
    rows = []
    for step in steps:
        skipped = 0 if step.carrier_hz else round(skip_periods / step.hz * rate_hz)
        at = slice(begins + step.first + skipped, begins + step.first + step.length)
        rows.append(_one(u[at], y[at], step.hz, rate_hz, step.carrier_hz))
    hz = np.array([step.hz for step in steps])
    gain, variance, freedom, coherence = (np.array(each) for each in zip(*rows, strict=True))
    return Response(hz, gain, variance, freedom, coherence)


def _one(u: Reals, y: Reals, hz: float, rate_hz: float, carrier_hz: float) -> tuple[complex, float, float, float]:
    count = len(u)
    t = np.arange(count) / rate_hz
    periods = round(count / rate_hz * hz)
    if periods < 1 or count < 8:
        text = f"{count} samples of {hz:g} Hz are left; measure more periods of it, or skip fewer"
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
