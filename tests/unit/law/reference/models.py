"""Plain models of the references, and their derivatives without a formula: what the blocks are compared with."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from hilctl.law.reference import POINT
from tests.forms import filled

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def point() -> Any:
    """A point with something in each of its fields, so that one that is not written shows."""
    return filled(POINT, 5)


def jet(x: Callable[[Any], Any], t: float, width: float) -> list[float]:
    """A function at `t`, and its first three derivatives: those of a polynomial through it, close to `t`."""
    near = Chebyshev.interpolate(x, 14, [t - width, t + width])
    return [float(near.deriv(n)(t)) for n in range(4)]


def smooth_step(s: Any, order: int = 3) -> Any:
    """The lowest polynomial from 0 to 1 whose first `order` derivatives vanish at both ends; held outside."""
    whole = (Polynomial([0, 1, -1]) ** order).integ()
    return whole(np.clip(s, 0.0, 1.0)) / whole(1.0)


def envelope(t: Any, lasts: float, rise: float, fall: float) -> Any:
    """A step up at the beginning, and one down at the end."""
    return smooth_step(t / rise) * smooth_step((lasts - t) / fall)


def pulse_acceleration(t: Any, lasts: float) -> Any:
    """From rest to a speed of one: up in the first quarter of the time, down in the last, even between."""
    flank = lasts / 4
    return (smooth_step(t / flank, 2) - smooth_step((t - lasts + flank) / flank, 2)) / (lasts - flank)


def integrals(a: Callable[[Any], Any], seams: Any, t: float) -> tuple[float, float]:
    """Velocity and displacement after rest, by quadrature of an acceleration that is smooth between the seams."""
    edges = np.unique(np.clip([0.0, *seams, t], 0.0, t))
    half = 0.5 * np.diff(edges)[:, None]
    at = edges[:-1, None] + half * (1 + NODES)
    return float(np.sum(half * WEIGHTS * a(at))), float(np.sum(half * WEIGHTS * a(at) * (t - at)))


def pulse(t: float, lasts: float) -> list[float]:
    """From rest to a speed of one: distance, speed, acceleration and jerk; it goes on at that speed."""
    v, x = integrals(lambda at: pulse_acceleration(at, lasts), [0.25 * lasts, 0.75 * lasts, lasts], t)
    return [x, v, *jet(lambda at: pulse_acceleration(at, lasts), t, 1e-3 * lasts)[:2]]
