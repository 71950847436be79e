"""The frequency response from spectra that stand on lines.

A multisine with several periods, by the robust local polynomial method:

P periods as one record have lines 1/P as far apart as the multisine's. What it drives falls on every P-th line; between
them there is noise, and the transient of what the record began with, which is smooth in frequency:

    Z(k) = Z0(k) + T(k) + N(k)       Z0 on driven lines only; T(k + r) = t0 + t1 r + t2 r²

From the lines between, around each driven one, T and the variance of N are found, for input and output together; T is
taken off, and the quotient of the driven lines is the response. Pintelon and Schoukens 2012, chapter 7.

What a carrier makes lies in the middle between driven lines: what stands there is left out.

A record whose input repeats itself, and of which nothing else is known: its spectrum stands on lines, and between them
there is nothing that a parabola of gains could be laid through. Around each line, no further than to its neighbours,

    Y(k + r) = G U(k + r) + t0 + t1 r + t2 r² + N

G belongs to the line; what is smooth is the transient, what is left is noise.
"""


import numpy as np
import numpy.typing as npt

from hilctl.identify.frequency.excite_multisine import Tones
from hilctl.identify.frequency.judge import Finding, RecordFault
from hilctl.identify.frequency.response import leading
from hilctl.results.response import Complexes, Reals, Response, quotient

ORDER = 2  # of the transient's polynomial
LEAST_LINES = 10  # between, for each driven line
IMPURE = 0.05  # of the input's power: between its lines there is as much


def multisine_response(
    driven: npt.ArrayLike, output: npt.ArrayLike, rate_hz: float, tones: Tones, *, begins: int = 0
) -> Response:
    """From a record whose sample `begins` is the first of the signal; its settling periods are left out."""
    if tones.periods < 2:
        raise RecordFault(
            (Finding("too short", "input", "one period shows no noise; measure two periods of the multisine at least"),)
        )
    if abs(rate_hz / tones.rate_hz - 1) > 1e-6:
        text = f"{rate_hz:g} Hz, the multisine was designed for {tones.rate_hz:g} Hz; sample at that rate"
        raise RecordFault((Finding("wrong rate", "input", text),))
    first = begins + tones.first
    last = first + tones.periods * tones.period
    u, y = (np.asarray(each, np.float64)[first:last] for each in (driven, output))
    if min(len(u), len(y)) < last - first:
        text = f"{min(len(u), len(y))} samples, {last - first} are {tones.periods} periods; record to the signal's end"
        raise RecordFault((Finding("too short", "input", text),))
    spectra = np.fft.rfft(np.stack([u, y]), axis=1) * (2 / len(u))
    _check_input(spectra[0], tones)
    rows = [_line(spectra, int(k) * tones.periods, tones) for k in tones.lines]
    lines, spread, grown, freedom = (np.array(each) for each in zip(*rows, strict=True))
    gain, variance = quotient(
        lines[:, 1], lines[:, 0], spread[:, 1, 1].real * grown, spread[:, 0, 0].real * grown, spread[:, 1, 0] * grown
    )
    power = np.abs(lines[:, 1]) ** 2
    return Response(tones.hz, gain, variance, freedom, power / (power + tones.periods * spread[:, 1, 1].real))


def _check_input(spectrum: Complexes, tones: Tones) -> None:
    power = np.abs(spectrum[: int(tones.lines[-1] + 1) * tones.periods]) ** 2
    power[0] = 0.0
    if tones.carrier_hz:
        power[tones.periods // 2 :: tones.periods] = 0.0
    at = tones.lines * tones.periods
    strange = 1 - power[at].sum() / power.sum()
    if strange > IMPURE:
        text = (
            f"{100 * strange:.3g} % of its power lie beside the multisine's lines; check the sampling rate, that no "
            "samples were lost, and where the record begins"
        )
        raise RecordFault((Finding("wrong rate", "input", text),))
    weak = np.flatnonzero(power[at] < 1e-4 * np.median(power[at]))
    if len(weak):
        text = f"it has nothing at {tones.hz[weak[0]]:g} Hz, which the multisine drives; check which channel it is"
        raise RecordFault((Finding("unexcited", "input", text),))


def _line(spectra: Complexes, at: int, tones: Tones) -> tuple[Complexes, Complexes, float, float]:
    """Input and output at a driven line, the covariance of noise, by how much it grows in taking T off, its freedom."""
    periods = tones.periods
    reach = max(periods // 2, 1)
    while True:
        offsets = np.arange(-reach, reach + 1)
        inside = ~taken(offsets, tones) & (at + offsets > 0) & (at + offsets < spectra.shape[1] - 1)
        if np.count_nonzero(inside) >= LEAST_LINES or reach > spectra.shape[1]:
            break
        reach += 1
    r: Reals = offsets[inside] / reach
    basis = r[:, None] ** np.arange(ORDER + 1)
    fit = leading(basis, spectra[:, at + offsets[inside]].T)
    return spectra[:, at] - fit.value, fit.left.T @ np.conj(fit.left) / fit.spare, 1 + fit.grows, 2.0 * fit.spare


def taken(offsets: npt.NDArray[np.int64], tones: Tones) -> npt.NDArray[np.bool_]:
    """Where the multisine or its carrier may stand."""
    driven = offsets % tones.periods == 0
    return np.asarray(driven | (2 * offsets % tones.periods == 0)) if tones.carrier_hz else driven


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
    told = {n: row for n in numbers[strong] if (row := _line_of(U, Y, n * apart, apart)) is not None}
    if not told:
        return None
    numbers, rows = np.array(list(told)), list(told.values())
    gain, variance, freedom, coherence = (np.array(each) for each in zip(*rows, strict=True))
    return Response(np.asarray(numbers * apart * step_hz), gain, variance, freedom, coherence)


def _line_of(U: Complexes, Y: Complexes, at: float, apart: float) -> tuple[complex, float, float, float] | None:
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
