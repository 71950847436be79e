"""Where a response has fallen by 3 dB, and where it lags by 90°.

Between lines that scatter, the crossing is that of a parabola through the lines around it, weighted by their variance,
in log frequency. It is known as well as the parabola, and the level that it falls from, divided by its slope.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.response.result import Reals, Response

AROUND = 3  # lines on each side
LOWEST, CURVED = 5, 8  # lines that show the static gain, at least; and how it bends
FAR_BELOW, ROUNDS = 0.5, 3  # of the crossing: up to where they go; how often that is looked for
_DB = 20 / np.log(10)


class Crossing(NamedTuple):
    """A frequency and its standard error."""

    hz: float
    error_hz: float


class Bandwidth(NamedTuple):
    """Each is None where the response does not come that far."""

    gain: Crossing | None  # -3 dB
    phase: Crossing | None  # -90°


def bandwidth(
    response: Response, *, drop_db: float = 3.0, lag_deg: float = 90.0, reference: float = 0.0,
    reach_hz: npt.ArrayLike | None = None,
) -> Bandwidth:  # fmt: skip
    """Of a response that begins well below it.

    `reference`: the magnitude that falls; 0: where the lowest lines go. `reach_hz`: from how far to each side of it the
    estimate of each line draws; neighbours within share errors.
    """
    reach = np.zeros(len(response.hz)) if reach_hz is None else np.broadcast_to(np.asarray(reach_hz), response.hz.shape)
    share = np.sqrt(response.variance / 2) / np.maximum(response.magnitude, 1e-300)
    start, unsure = (reference, 0.0) if reference else (float(np.median(response.magnitude[:LOWEST])), 0.0)
    for _ in range(0 if reference else ROUNDS):  # what is far below the fall hangs on where it is
        first = _crossing(response.hz, _fallen(response, start, drop_db), _DB * share, reach)
        start, unsure = _static(response, FAR_BELOW * (first.hz if first else float(response.hz[-1])))
    gain = _crossing(response.hz, _fallen(response, start, drop_db), _DB * share, reach, _DB * unsure)
    return Bandwidth(gain, _crossing(response.hz, response.phase_deg + lag_deg, np.rad2deg(share), reach))


def _fallen(response: Response, start: float, drop_db: float) -> Reals:
    return np.asarray(response.magnitude_db - 20 * np.log10(max(start, 1e-300)) + drop_db)


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


def _crossing(hz: Reals, above: Reals, error: Reals, reach: Reals, unsure: float = 0.0) -> Crossing | None:
    """Where a series first goes below zero, and stays there for the next line too; `unsure`: the error of that zero."""
    below = above < 0
    stays = below & np.append(below[1:], True)
    stays[0] = False
    if above[0] < 0 or not stays.any():
        return None
    at = int(np.argmax(stays))
    near = slice(max(0, at - AROUND), min(len(hz), at + AROUND))
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
