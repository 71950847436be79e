"""The frequency response from a sweep, or any input that is not periodic: the local polynomial method.

    Y(k + r) = G(k + r) U(k + r) + T(k + r) + N

around each frequency that is asked for, G a parabola in r and T a line. G U and T are told apart because U turns fast
from line to line while G and T are smooth. What they leave is noise. The input is taken to be exact.

Schoukens, Vandersteen, Barbé and Pintelon 2009.
"""

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.judge import Finding, RecordFault
from hilctl.identify.dynamics.response.result import Complexes, Reals, Response

ORDER = 2
TRANSIENT = 1
LEAST_LINES = 20  # on which the six numbers of a place are found
WIDTH = 0.05  # of a frequency to both sides: where parabolas still hold, a damping of 0.05 included
WEAK = 1e-3  # of the input's usual size: nothing was driven there


def sweep_response(
    driven: npt.ArrayLike, output: npt.ArrayLike, rate_hz: float, hz: npt.ArrayLike, *, width: float = WIDTH
) -> Response:
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
        reach = max(LEAST_LINES // 2, int(width * one / step_hz))
        lines = np.arange(max(1, k - reach), min(len(U) - 1, max(k + reach, LEAST_LINES)) + 1)
        if np.sqrt(np.mean(np.abs(U[lines]) ** 2)) < WEAK * usual:
            text = f"it has nothing at {one:g} Hz; ask for frequencies that it drives, or sweep over them"
            raise RecordFault((Finding("unexcited", "input", text),))
        rows.append(_one(U[lines], Y[lines], (lines * step_hz - one) / (reach * step_hz)))
    gain, variance, freedom, coherence = (np.array(each) for each in zip(*rows, strict=True))
    return Response(f, gain, variance, freedom, coherence)


def _one(u: Complexes, y: Complexes, r: Reals) -> tuple[complex, float, float, float]:
    powers = r[:, None] ** np.arange(ORDER + 1)
    size = float(np.sqrt(np.mean(np.abs(u) ** 2)))
    basis = np.hstack([powers * (u / size)[:, None], powers[:, : TRANSIENT + 1]])
    q, triangle = np.linalg.qr(basis)
    inner = np.conj(q.T) @ y
    found = np.linalg.solve(triangle, inner)
    left = y - q @ inner
    spare = len(y) - basis.shape[1]
    noise = float(np.sum(np.abs(left) ** 2) / spare)
    own = float(np.sum(np.abs(np.linalg.solve(np.conj(triangle.T), np.eye(len(found))[0])) ** 2))
    power = float(np.mean(np.abs(y) ** 2))
    return complex(found[0] / size), noise * own / size**2, 2.0 * spare, max(0.0, 1 - noise / max(power, 1e-300))
