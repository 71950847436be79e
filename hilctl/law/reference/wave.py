"""An uploaded history as a uniform quintic B-spline in displacement, so a cubic one in acceleration.

Between two knots, with s from 0 to 1 and the six coefficients c0 … c5 that reach there,

    x = Σ p_n sⁿ;    p_n below are the rows of the basis' matrix, times 120

and its derivatives are divided by powers of the knot spacing h. Displacement and four derivatives are continuous.
"""

import math
from typing import Any

import numpy as np

from hilctl.law.reference.point import rt_rest
from hilctl.params import record_of
from hilctl.rt import jit

KNOTS = 262144  # coefficients that a bank holds

WAVE: "np.dtype[Any]" = record_of([("center_m", np.float64), ("knot_s", np.float64), ("count", np.int64)])


@jit()
def rt_wave(wave: Any, knots: Any, t_s: float, out: Any) -> None:
    """At `t_s` of a wave that lasts (count - 5) knot_s; its ends are held outside. Without six coefficients: rest."""
    last = min(wave.count, knots.shape[0]) - 6
    if last < 0:
        rt_rest(out, wave.center_m)
        return
    per_s = 1.0 / wave.knot_s
    u = min(max(t_s * per_s, 0.0), last + 1.0)
    i = min(math.floor(u), last)
    s = u - i
    rt_between(knots[i], knots[i + 1], knots[i + 2], knots[i + 3], knots[i + 4], knots[i + 5], s, per_s, out)
    out.x_m += wave.center_m


@jit()
def rt_between(
    c0: float, c1: float, c2: float, c3: float, c4: float, c5: float, s: float, per_s: float, out: Any
) -> None:
    """Between two knots, at s, from the six coefficients that reach there."""
    p0 = (c0 + c4 + 26.0 * (c1 + c3) + 66.0 * c2) / 120.0
    p1 = (c4 - c0 + 10.0 * (c3 - c1)) / 24.0
    p2 = (c0 + c4 + 2.0 * (c1 + c3) - 6.0 * c2) / 12.0
    p3 = (c4 - c0 - 2.0 * (c3 - c1)) / 12.0
    p4 = (c0 + c4 - 4.0 * (c1 + c3) + 6.0 * c2) / 24.0
    p5 = (c5 - c0 - 5.0 * (c4 - c1) + 10.0 * (c3 - c2)) / 120.0
    out.x_m = p0 + s * (p1 + s * (p2 + s * (p3 + s * (p4 + s * p5))))
    out.v_m_s = per_s * (p1 + s * (2.0 * p2 + s * (3.0 * p3 + s * (4.0 * p4 + s * 5.0 * p5))))
    out.a_m_s2 = per_s * per_s * (2.0 * p2 + s * (6.0 * p3 + s * (12.0 * p4 + s * 20.0 * p5)))
    out.j_m_s3 = per_s * per_s * per_s * (6.0 * p3 + s * (24.0 * p4 + s * 60.0 * p5))
