"""The last points of the reference, on the grid of ticks, and what lay between them.

The loop evaluates the motion once a tick, at a head some ticks ahead, and reads now, now minus a delay, and previews
by a fraction of a tick from here. Each quantity is interpolated from its own level, so that no difference of
displacements is ever divided by a power of the tick, and each is exact on the grid:

    x  from (x, v, a) at both ends, quintic Hermite         v  from (v, a, j), quintic Hermite
    a  from (a, j), cubic Hermite                           j  the derivative of that cubic
"""

from typing import Any

import numpy as np

from hilctl.law.reference.point import POINT
from hilctl.params import record_of
from hilctl.rt import jit

LENGTH = 256  # ticks; a power of two

HISTORY: "np.dtype[Any]" = record_of([("newest", np.int64), ("points", POINT, (LENGTH,))])


@jit()
def rt_history_put(history: Any, tick: int, point: Any) -> None:
    """Writes the point of a tick. Ticks come in order; after skipped ones, put each of them too."""
    place = history.points[tick & (LENGTH - 1)]
    place.x_m = point.x_m
    place.v_m_s = point.v_m_s
    place.a_m_s2 = point.a_m_s2
    place.j_m_s3 = point.j_m_s3
    history.newest = tick


@jit()
def rt_history_rest(history: Any, tick: int, x_m: float) -> None:
    """Fills the whole history with rest at x; `tick` is the newest."""
    for i in range(LENGTH):
        place = history.points[i]
        place.x_m = x_m
        place.v_m_s = 0.0
        place.a_m_s2 = 0.0
        place.j_m_s3 = 0.0
    history.newest = tick


@jit()
def rt_history_get(history: Any, tick: int, fraction: float, dt_s: float, out: Any) -> None:
    """The point at `tick + fraction` (any fraction, also negative or beyond 1), held at what is known of.

    Tick and fraction apart: a float of a tick's index loses digits of the fraction as the index grows.
    """
    whole = np.floor(fraction)
    first = tick + np.int64(whole)
    s = fraction - whole
    if first >= history.newest:
        first, s = history.newest, 0.0
    elif first <= history.newest - LENGTH:
        first, s = history.newest - LENGTH + 1, 0.0
    p = history.points[first & (LENGTH - 1)]
    if s == 0.0:
        out.x_m, out.v_m_s, out.a_m_s2, out.j_m_s3 = p.x_m, p.v_m_s, p.a_m_s2, p.j_m_s3
        return
    q = history.points[(first + 1) & (LENGTH - 1)]
    out.x_m = rt_quintic(p.x_m, p.v_m_s, p.a_m_s2, q.x_m, q.v_m_s, q.a_m_s2, s, dt_s)
    out.v_m_s = rt_quintic(p.v_m_s, p.a_m_s2, p.j_m_s3, q.v_m_s, q.a_m_s2, q.j_m_s3, s, dt_s)
    rise = q.a_m_s2 - p.a_m_s2
    b, e = dt_s * p.j_m_s3, dt_s * q.j_m_s3
    c, d = 3.0 * rise - 2.0 * b - e, b + e - 2.0 * rise
    out.a_m_s2 = p.a_m_s2 + s * (b + s * (c + s * d))
    out.j_m_s3 = (b + s * (2.0 * c + s * 3.0 * d)) / dt_s


@jit()
def rt_quintic(f0: float, g0: float, h0: float, f1: float, g1: float, h1: float, s: float, dt_s: float) -> float:
    """The quintic with value f, slope g and curvature h at both ends of a tick, at the fraction s."""
    b, c = dt_s * g0, 0.5 * dt_s * dt_s * h0
    rise = f1 - f0 - b - c
    slope = dt_s * g1 - b - 2.0 * c
    bend = dt_s * dt_s * h1 - 2.0 * c
    d = 10.0 * rise - 4.0 * slope + 0.5 * bend
    e = -15.0 * rise + 7.0 * slope - bend
    f = 6.0 * rise - 3.0 * slope + 0.5 * bend
    return f0 + s * (b + s * (c + s * (d + s * (e + s * f))))


def new_history() -> Any:
    """A HISTORY at rest at zero."""
    return np.zeros(1, HISTORY)[0]
