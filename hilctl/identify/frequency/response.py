"""What the estimators of a frequency response share, and what is done with any response.

*Several measurements* of one response: what they differ by counts as error. A rig with friction answers a multisine not
only with noise but with distortion, which repeats, so no period averages it away. It does differ from one set of phases
to the next: the scatter of records with different seeds holds both, and their mean is the best linear approximation of
the rig (Pintelon and Schoukens 2012, chapter 4).

*The hold*: an input that stands still between samples (a converter) has, at frequency f and period T, the factor
sinc(fT) exp(-jπfT) on what its samples say; one that goes straight has sinc(fT)². At 100 Hz and 1 kHz that is 1.6 % and
18°, or 3.3 %. A sampled recording of a smooth signal has neither.

*Bandwidth*: where a response has fallen by 3 dB, and where it lags by 90°. Between lines that scatter, the crossing is
that of a parabola through the lines around it, weighted by their variance, in log frequency. It is known as well as the
parabola, and the level that it falls from, divided by its slope.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.params import BadValues, Problem
from hilctl.results.response import Bandwidth, Crossing, Reals, Response
from hilctl.servo import Hold

SINGULAR = 1e-3  # the part of a column, of size about one, that those before it do not make


class Leading(NamedTuple):
    """The first unknown, or one for each column of what was fitted."""

    value: Any
    grows: float  # its variance, as a share of the noise's
    left: npt.NDArray[np.complex128]  # what the basis does not explain
    spare: int  # equations beyond the unknowns

    @property
    def noise(self) -> float:
        """Mean |left|², one column."""
        return float(np.sum(np.abs(self.left) ** 2) / self.spare)


def leading(basis: npt.NDArray[Any], y: npt.NDArray[np.complex128]) -> Leading:
    """LinAlgError where the columns of the basis are linearly dependent."""
    q, triangle = np.linalg.qr(basis)
    if np.abs(np.diag(triangle)).min() < SINGULAR:
        raise np.linalg.LinAlgError("the columns of the basis are linearly dependent")
    inner = np.conj(q.T) @ y
    found = np.linalg.solve(triangle, inner)
    first = np.linalg.solve(np.conj(triangle.T), np.eye(len(triangle))[0])
    return Leading(found[0], float(np.sum(np.abs(first) ** 2)), y - q @ inner, len(y) - len(triangle))


def average(responses: Sequence[Response]) -> Response:
    """Their mean, with the variance that their scatter shows; at the same frequencies, two of them at least."""
    count = len(responses)
    if count < 2:
        raise BadValues([Problem("responses", count, "must be two at least", "measure again, with another seed")])
    hz = responses[0].hz
    if any(not np.array_equal(each.hz, hz) for each in responses):
        raise BadValues([Problem("responses", "different frequencies", "must all be at the same frequencies")])
    gains = np.stack([each.gain for each in responses])
    scatter = np.sum(np.abs(gains - gains.mean(0)) ** 2, 0) / (count - 1)
    coherence = np.mean([each.coherence for each in responses], 0)
    explained = np.abs(gains.mean(0)) ** 2
    shared = explained / np.maximum(explained + scatter, 1e-300)
    return Response(
        hz, gains.mean(0), scatter / count, np.full(len(hz), 2.0 * (count - 1)), np.minimum(coherence, shared)
    )


def hold_factor(hz: Reals, rate_hz: float, hold: Hold) -> "np.ndarray[tuple[int], np.dtype[np.complex128]]":
    """By which the response from samples differs from that of what they drive."""
    turn = hz / rate_hz
    if hold is Hold.first:
        return np.asarray(np.sinc(turn) ** 2, np.complex128)
    return np.asarray(np.sinc(turn) * np.exp(-1j * np.pi * turn))


def without_hold(response: Response, rate_hz: float, hold: Hold) -> Response:
    """The response of what the samples drive, when they were held so."""
    factor = hold_factor(response.hz, rate_hz, hold)
    return response._replace(gain=response.gain / factor, variance=response.variance / np.abs(factor) ** 2)


AROUND = 3  # lines on each side
BEYOND_DOUBT = 3.0  # standard errors
LOWEST, CURVED = 5, 8  # lines that show the static gain, at least; and how it bends
FAR_BELOW, ROUNDS = 0.5, 3  # of the crossing: up to where they go; how often that is looked for
_DB = 20 / np.log(10)


def bandwidth(
    response: Response, *, reference: float = 0.0, reach_hz: npt.ArrayLike | None = None
) -> Bandwidth:
    """Of a response that begins well below it.

    `reference`: the magnitude that falls; 0: where the lowest lines go. `reach_hz`: from how far to each side of it the
    estimate of each line draws; neighbours within share errors.
    """
    from scipy.ndimage import median_filter

    reach = np.zeros(len(response.hz)) if reach_hz is None else np.broadcast_to(np.asarray(reach_hz), response.hz.shape)
    typical = median_filter(response.magnitude, 2 * AROUND + 1)  # of its own, a line that scatters up would weigh more
    share = np.sqrt(response.variance / 2) / np.maximum(typical, 1e-300)
    start, unsure = (reference, 0.0) if reference else (float(np.median(response.magnitude[:LOWEST])), 0.0)
    for _ in range(0 if reference else ROUNDS):  # what is far below the fall hangs on where it is
        first = _crossing(response.hz, _fallen(response, start), _DB * share, reach)
        start, unsure = _static(response, FAR_BELOW * (first.hz if first else float(response.hz[-1])))
    gain = _crossing(response.hz, _fallen(response, start), _DB * share, reach, _DB * unsure)
    return Bandwidth(gain, _crossing(response.hz, response.phase_deg + 90.0, np.rad2deg(share), reach))


def _fallen(response: Response, start: float) -> Reals:
    return np.asarray(response.magnitude_db - 20 * np.log10(max(start, 1e-300)) + 3.0)


def _static(response: Response, below_hz: float) -> tuple[float, float]:
    """The magnitude towards frequency zero, and its standard error as a share.

    1/|H|² is even, and of a system without zeros a polynomial: a parabola in f² through the lines far below the fall.
    """
    count = max(LOWEST, int(np.searchsorted(response.hz, below_hz)))
    hz, magnitude = response.hz[:count], response.magnitude[:count]
    error = np.sqrt(np.maximum(response.variance[:count], 1e-12 * magnitude**2) / 2)  # half of a gain's variance
    weight = magnitude**3 / (2 * error)
    order = 0 if len(hz) < 3 else 1 if len(hz) < CURVED else 2
    basis = (hz[:, None] / hz[-1]) ** (2 * np.arange(order + 1)) * weight[:, None]
    pull = np.linalg.pinv(basis)[0]
    inverse = float(pull @ (weight / magnitude**2))
    if not inverse > 0:
        return float(magnitude[0]), float(error[0] / magnitude[0])
    return inverse**-0.5, 0.5 * float(np.linalg.norm(pull)) / inverse


def _first_below(hz: Reals, above: Reals, error: Reals) -> tuple[int, int]:
    """The first line below zero from which a mean is so beyond doubt, and of how many lines that is; (0, 0): none.

    Of two where they scatter little, of up to half an octave where they scatter much. The last line stands alone.
    """
    for at in np.flatnonzero(above[1:] < 0) + 1:
        end = max(int(at) + 2, int(np.searchsorted(hz, hz[at] * 2**0.5)))
        rest, doubt = above[at:end], error[at:end]
        count = np.arange(1, len(rest) + 1)
        enough = np.cumsum(rest) < -BEYOND_DOUBT * np.sqrt(np.cumsum(doubt**2))
        enough &= (count > 1) | (len(rest) == 1)
        if enough.any():
            return int(at), int(count[np.argmax(enough)])
    return 0, 0


def _crossing(hz: Reals, above: Reals, error: Reals, reach: Reals, unsure: float = 0.0) -> Crossing | None:
    """Where a series first goes below zero, by more than its scatter; `unsure`: the error of that zero."""
    at, lines = _first_below(hz, above, error)
    if above[0] < 0 or not lines:
        return None
    around = max(AROUND, lines)
    near = slice(max(0, at - around), min(len(hz), at + around))
    x, y = np.log(hz[near] / hz[at]), above[near]
    weight = 1 / np.maximum(error[near], 1e-9 * np.abs(above).max())
    order = min(2, len(x) - 1)
    basis = x[:, None] ** np.arange(order + 1)
    found = np.linalg.lstsq(basis * weight[:, None], y * weight, rcond=None)[0]
    roots = np.roots(found[::-1])
    real = roots[np.abs(roots.imag) < 1e-12].real
    inside = real[(real >= x[0]) & (real <= x[-1])]
    line = np.log(hz[at - 1] / hz[at]) * above[at] / (above[at] - above[at - 1])
    root = float(inside[np.argmin(np.abs(inside - line))]) if len(inside) else float(line)
    slope = float(np.sum(found[1:] * np.arange(1, order + 1) * root ** np.arange(order)))
    here = root ** np.arange(order + 1)
    pull = here @ np.linalg.pinv(basis * weight[:, None])  # of each line's own error, on the parabola at the root
    shared = np.maximum(1 - np.abs(hz[near, None] - hz[None, near]) / np.maximum(reach[near], 1e-9)[:, None], 0.0)
    spread = max(float(pull @ (0.5 * (shared + shared.T)) @ pull), float(pull @ pull))
    crossing = float(hz[at] * np.exp(root))
    return Crossing(crossing, crossing * float(np.hypot(np.sqrt(spread), unsure)) / max(abs(slope), 1e-12))
