"""Transfer functions of several orders on one response, and which order the data ask for.

Each order is searched from vector fitting's poles, and from the order below with one pole more, wherever that is best:
so no order explains less than the one below it. BIC weighs what an order explains against its two numbers more:

    BIC = 2M ln(cost / 2M) + 2 order ln(2M)         of M complex gains
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hilctl.identify.dynamics.fit import fit_percent
from hilctl.identify.dynamics.response import Response
from hilctl.identify.dynamics.transfer.levy import levy
from hilctl.identify.dynamics.transfer.model import Reals, Transfer
from hilctl.identify.dynamics.transfer.refine import Refined, refine, sections_of, with_pole
from hilctl.identify.dynamics.transfer.vectors import first_poles, relocate
from hilctl.params import BadValues, Problem

HIGHEST = 12
_EXTRA = (0.3, 3.0)  # times the middle of the band: where a pole more is tried


class Fitted(NamedTuple):
    """One order."""

    order: int
    transfer: Transfer
    amplitude_percent: float  # equation 29 on the magnitudes, as the paper judges
    percent: float  # the same on the complex gain, weighted as it was fitted: grows with the order
    bic: float


class Family(NamedTuple):
    """All orders, and the one of least BIC."""

    fits: tuple[Fitted, ...]
    best: Fitted

    def of(self, order: int) -> Fitted:
        """That order's."""
        return next(each for each in self.fits if each.order == order)


def fit_transfer(
    response: Response, orders: Sequence[int] = range(4, 10), *, delay_s: float = 0.0, even: bool = False
) -> Family:
    """Stable transfer functions of these orders. `even`: every gain counts alike, whatever its variance."""
    _check(response, orders, delay_s)
    w = 2 * np.pi * response.hz
    w0 = float(np.sqrt(w[0] * w[-1]))
    s = np.asarray(1j * w, np.complex128)
    gain = response.gain * np.exp(s * delay_s)
    weight = np.ones(len(w)) if even else weights_of(response)
    found: dict[int, Refined] = {}
    for order in range(min(orders), max(orders) + 1):
        poles = relocate(first_poles(order, w[0], w[-1]), s, gain, weight)
        starts = [sections_of(poles, w0)]
        if order - 1 not in found:
            starts.append(sections_of(first_poles(order, w[0], w[-1]), w0))
        else:
            below = found[order - 1].sections
            starts += [with_pole(below, np.log(factor)) for factor in _EXTRA]
        found[order] = min((refine(each, w, gain, weight, w0) for each in starts), key=lambda one: one.cost)
    fits = tuple(
        judged(response, found[order].transfer._replace(delay_s=delay_s), weight) for order in sorted(set(orders))
    )
    return Family(fits, min(fits, key=lambda one: one.bic))


def fit_levy(response: Response, orders: Sequence[int] = range(4, 10)) -> tuple[Fitted, ...]:
    """The paper's plain least squares, judged in the same way."""
    _check(response, orders, 0.0)
    return tuple(judged(response, levy(response, order), np.ones(len(response.hz))) for order in sorted(set(orders)))


def judged(response: Response, transfer: Transfer, weight: Reals) -> Fitted:
    """How well a transfer function fits."""
    shown = transfer.gain(response.hz)
    cost = float(np.sum(np.abs(weight * (response.gain - shown)) ** 2))
    middle = np.sum(weight**2 * response.gain) / np.sum(weight**2)
    spread = float(np.sum(np.abs(weight * (response.gain - middle)) ** 2))
    count = 2 * len(response.hz)
    bic = count * float(np.log(max(cost, 1e-300) / count)) + 2 * transfer.order * float(np.log(count))
    percent = 100 * (1 - float(np.sqrt(cost / max(spread, 1e-300))))
    return Fitted(transfer.order, transfer, fit_percent(response.magnitude, np.abs(shown)), percent, bic)


def weights_of(response: Response) -> Reals:
    """One over the standard error, a median over five lines: each is known to some ten per cent only."""
    padded = np.pad(response.variance, 2, mode="edge")
    smooth = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    return np.asarray(1 / np.sqrt(np.maximum(smooth, 1e-12 * np.max(np.abs(response.gain)) ** 2)))


def _check(response: Response, orders: Sequence[int], delay_s: float) -> None:
    lines = len(response.hz)
    problems = []
    if not len(orders):
        problems.append(Problem("orders", list(orders), "must name at least one order"))
    problems += [
        Problem("orders", order, f"must be 1 to {HIGHEST}") for order in orders if not 1 <= order <= HIGHEST
    ]
    if len(orders) and lines < 2 * max(orders):
        problems.append(
            Problem(
                "response", f"{lines} frequencies", f"must be {2 * max(orders)} at least for order {max(orders)}",
                "measure more of them, or ask for lower orders",
            )
        )  # fmt: skip
    if not 0.0 <= delay_s <= 1.0:
        problems.append(Problem("delay_s", delay_s, "must be 0 to 1 s"))
    if lines and not (np.isfinite(response.gain).all() and (np.diff(response.hz) > 0).all() and response.hz[0] > 0):
        problems.append(Problem("response", "these gains", "must be finite, at frequencies above 0 that grow"))
    if problems:
        raise BadValues(problems)
