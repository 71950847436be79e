"""Whether the table still carries what it carried: the mass that its load pressure moves.

    A P = m a + f(v)        f, any curve: for each direction straight between SPEEDS

by least squares over the samples of a drive at which the table slides. Friction that follows the speed alone falls out
of m; what remains of it is nearly the same from drive to drive, since the motion is. So the masses of two drives are
compared, not believed. How far one may be off is seen by leaving out each of PARTS stretches of the record in turn
(jackknife): what the friction model lacks differs from stretch to stretch.
"""

import math
from typing import NamedTuple

import numpy as np

from hilctl.learning.played import Answer
from hilctl.learning.wanted import Reals, Wanted

CHANGED = 0.03
SURE = 4.0  # standard errors of the difference
PARTS = 10
SPEEDS = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)  # shares of the greatest one; slower, the table may stick


class Moved(NamedTuple):
    """A mass, nan where the rig has no pressures, and its standard error."""

    kg: float
    error_kg: float


def moved(answer: Answer, area_m2: float, wanted: Wanted, highest_hz: float) -> Moved:
    """m."""
    n, w = len(wanted.x), 2 * np.pi * wanted.hz
    inside = np.where(wanted.hz <= highest_hz, n, 0)
    load, a, v = (np.fft.irfft(lines * inside, n) for lines in (answer.load, answer.shown, 1j * w * answer.x))
    if not np.all(np.isfinite(load)):
        return Moved(math.nan, math.nan)
    speeds = np.array(SPEEDS) * float(np.max(np.abs(v)))
    slides = np.flatnonzero(np.abs(v) >= speeds[0])
    columns = np.stack([one[slides] for one in (a, *friction_of(v, speeds))], axis=1)
    force, part = area_m2 * load[slides], slides * PARTS // n
    squares = np.stack([columns[part == k].T @ columns[part == k] for k in range(PARTS)])
    products = np.stack([columns[part == k].T @ force[part == k] for k in range(PARTS)])
    whole = _solved(squares.sum(axis=0), products.sum(axis=0))
    without = np.array([_solved(squares.sum(axis=0) - one, products.sum(axis=0) - other)
                        for one, other in zip(squares, products, strict=True)])  # fmt: skip
    return Moved(whole, math.sqrt((PARTS - 1) * float(np.var(without))))


def _solved(square: Reals, product: Reals) -> float:
    scale = np.sqrt(np.maximum(np.diag(square), 1e-300))
    found = np.linalg.lstsq(square / np.outer(scale, scale), product / scale, rcond=1e-10)[0]
    return float(found[0] / scale[0])


def friction_of(v: Reals, speeds: Reals) -> list[Reals]:
    """The columns of f: of each direction and speed, a hat."""
    size = np.abs(v)
    hats = [np.interp(size, speeds, one) for one in np.eye(len(speeds))]
    return [np.where(v * sign > 0, hat, 0.0) for sign in (1, -1) for hat in hats]


def changed(before: Moved, now: Moved) -> str:
    """In words; empty where it did not, or nothing shows it."""
    most = max(CHANGED * abs(before.kg), SURE * math.hypot(before.error_kg, now.error_kg))
    if not abs(now.kg - before.kg) > most:
        return ""
    return (
        f"the payload has changed: load pressure and acceleration are those of {now.kg:.4g} kg, in the best drive "
        f"before of {before.kg:.4g} kg; that drive is kept, learn another one for this payload"
    )
