"""The frequency response from a record whose input repeats itself, and of which nothing else is known.

Its spectrum stands on lines, and between them there is nothing that a parabola of gains could be laid through. Around
each line, no further than to its neighbours,

    Y(k + r) = G U(k + r) + t0 + t1 r + t2 r² + N

G belongs to the line; what is smooth is the transient, what is left is noise.
"""

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.response.local import leading
from hilctl.identify.dynamics.response.result import Complexes, Response

ALIKE = 0.9  # correlation of a signal with itself, a period later
LEAST_PERIODS = 6  # fewer leave too few lines between to tell the noise
DRIVEN = 1e-3  # of the strongest line's amplitude
TRANSIENT = 2


def period_of(driven: npt.ArrayLike) -> float:
    """Samples after which the input repeats itself, not a whole number by need; 0.0 where it does not."""
    u = np.asarray(driven, np.float64)
    u = u - u.mean()
    count = len(u)
    power = np.abs(np.fft.rfft(u, 2 * count)) ** 2
    size = np.cumsum(np.concatenate([[0.0], u * u]))
    lags = np.arange(count // 2)
    together = np.sqrt((size[count - lags]) * (size[count] - size[lags]))
    alike = np.fft.irfft(power)[: len(lags)] / np.maximum(together, np.finfo(float).tiny)
    below = np.flatnonzero(alike < 0.5)
    if not len(below):
        return 0.0
    later = alike[below[0] :]
    if later.max() < ALIKE:
        return 0.0
    peak = float(later.max())
    first = int(np.argmax(later > peak - 0.5 * (1 - peak) - 0.02))  # up its flank, to the top
    while first + 1 < len(later) and later[first + 1] > later[first]:
        first += 1
    period = float(first + below[0])
    many = max(1, int((count // 2 - 2) / period))
    for times in dict.fromkeys((min(2, many), min(8, many), many)):  # further away the resolution is finer
        near = round(times * period)
        reach = max(1, round(0.25 * period / times)) if times > 1 else 1
        at = max(1, near - reach) + int(np.argmax(alike[max(1, near - reach) : min(len(alike) - 1, near + reach + 1)]))
        if alike[at] < ALIKE or at + 1 >= len(alike):
            break
        bend = alike[at - 1] - 2 * alike[at] + alike[at + 1]
        aside = 0.5 * (alike[at - 1] - alike[at + 1]) / bend if bend < 0 else 0.0
        period = (at + aside) / times
    return period


def lines_response(
    driven: npt.ArrayLike, output: npt.ArrayLike, rate_hz: float, period: float, band_hz: tuple[float, float]
) -> Response | None:
    """At the lines that are driven within the band; None where there are too few periods, or lines."""
    u, y = np.asarray(driven, np.float64), np.asarray(output, np.float64)
    apart = len(u) / period  # lines of the record from one to the next
    if apart < LEAST_PERIODS:
        return None
    U, Y = (np.fft.rfft(each - each.mean()) * (2 / len(u)) for each in (u, y))
    step_hz = rate_hz / len(u)
    lowest, highest = (edge / (rate_hz / period) for edge in band_hz)
    numbers = np.arange(max(1, int(np.ceil(lowest - 0.5))), int(highest + 0.5) + 1)
    places = np.round(numbers * apart).astype(int)
    kept = places + apart < len(U) - 1
    numbers, places = numbers[kept], places[kept]
    size = np.array([np.abs(U[max(1, k - 1) : k + 2]).max() for k in places])
    if not len(size):
        return None
    strong = size > DRIVEN * size.max()
    told = {n: row for n in numbers[strong] if (row := _line(U, Y, n * apart, apart)) is not None}
    if not told:
        return None
    numbers, rows = np.array(list(told)), list(told.values())
    gain, variance, freedom, coherence = (np.array(each) for each in zip(*rows, strict=True))
    return Response(np.asarray(numbers * apart * step_hz), gain, variance, freedom, coherence)


def _line(U: Complexes, Y: Complexes, at: float, apart: float) -> tuple[complex, float, float, float] | None:
    """Gain, variance, freedom and coherence; None where the input there looks like a transient."""
    lines = np.arange(max(1, int(np.ceil(at - apart + 1))), int(at + apart - 1) + 1)
    r = np.asarray((lines - at) / apart, np.float64)
    u, y = U[lines], Y[lines]
    size = float(np.linalg.norm(u))
    basis = np.hstack([(u / size)[:, None], r[:, None] ** np.arange(TRANSIENT + 1)])
    try:
        fit = leading(basis, y)
    except np.linalg.LinAlgError:
        return None
    heard = float(np.abs(fit.value) ** 2)
    coherence = heard / max(heard + fit.noise, 1e-300)
    return complex(fit.value / size), fit.noise * fit.grows / size**2, 2.0 * fit.spare, coherence
