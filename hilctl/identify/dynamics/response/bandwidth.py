"""Where a response has fallen by 3 dB, and where it lags by 90°.

Between lines that scatter, the crossing is that of a parabola through the lines around it, weighted by their variance,
in log frequency. It is known as well as the parabola divided by its slope.
"""

from typing import NamedTuple

import numpy as np

from hilctl.identify.dynamics.response.result import Reals, Response

AROUND = 3  # lines on each side
LOWEST = 5  # lines that show the static gain
_DB = 20 / np.log(10)


class Crossing(NamedTuple):
    """A frequency and its standard error."""

    hz: float
    error_hz: float


class Bandwidth(NamedTuple):
    """Each is None where the response does not come that far."""

    gain: Crossing | None  # -3 dB
    phase: Crossing | None  # -90°


def bandwidth(response: Response, *, drop_db: float = 3.0, lag_deg: float = 90.0, reference: float = 0.0) -> Bandwidth:
    """Of a response that begins well below it. `reference`: the magnitude that falls; 0: where the lowest lines go."""
    share = np.sqrt(response.variance / 2) / np.maximum(response.magnitude, 1e-300)
    start = reference or _static(response)
    gain = _crossing(response.hz, response.magnitude_db - 20 * np.log10(start) + drop_db, _DB * share)
    return Bandwidth(gain, _crossing(response.hz, response.phase_deg + lag_deg, np.rad2deg(share)))


def _static(response: Response) -> float:
    """The magnitude towards frequency zero: a line in f², since a magnitude is even."""
    low = slice(0, LOWEST)
    weight = 1 / np.sqrt(np.maximum(response.variance[low], 1e-12 * response.magnitude[low] ** 2))
    order = min(2, len(response.hz))
    basis = response.hz[low, None] ** (2 * np.arange(order)) * weight[:, None]
    return float(max(np.linalg.lstsq(basis, response.magnitude[low] * weight, rcond=None)[0][0], 1e-300))


def _crossing(hz: Reals, above: Reals, error: Reals) -> Crossing | None:
    """Where a series first goes below zero, and stays there for the next line too."""
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
    spread = float(here @ np.linalg.pinv((basis * weight[:, None]).T @ (basis * weight[:, None])) @ here)
    crossing = float(hz[at] * np.exp(root))
    return Crossing(crossing, crossing * float(np.sqrt(spread)) / max(abs(slope), 1e-12))
