"""The frequency response from a multisine with several periods: the robust local polynomial method.

P periods as one record have lines 1/P as far apart as the multisine's. What it drives falls on every P-th line; between
them there is noise, and the transient of what the record began with, which is smooth in frequency:

    Z(k) = Z0(k) + T(k) + N(k)       Z0 on driven lines only; T(k + r) = t0 + t1 r + t2 r²

From the lines between, around each driven one, T and the variance of N are found, for input and output together; T is
taken off, and the quotient of the driven lines is the response. Pintelon and Schoukens 2012, chapter 7.

What a carrier makes lies in the middle between driven lines: what stands there is left out.
"""

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.excitation import Tones
from hilctl.identify.dynamics.judge import Finding, RecordFault
from hilctl.identify.dynamics.response.local import leading
from hilctl.identify.dynamics.response.result import Complexes, Reals, Response, quotient

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
