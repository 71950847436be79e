"""A move from one place to another, at rest at both: the smooth step of smooth.py over the distance."""

from typing import Any

import numpy as np

from hilctl.law.reference.point import rt_rest
from hilctl.law.reference.smooth import rt_step
from hilctl.params import record_of
from hilctl.rt import jit

MOVE: "np.dtype[Any]" = record_of([("from_m", np.float64), ("to_m", np.float64), ("duration_s", np.float64)])


@jit()
def rt_move(move: Any, t_s: float, out: Any) -> None:
    """x = from + (to - from) S(t / duration)."""
    if t_s >= move.duration_s:
        rt_rest(out, move.to_m)
        return
    distance_m = move.to_m - move.from_m
    step = rt_step(t_s, move.duration_s)
    out.x_m = move.from_m + distance_m * step[0]
    out.v_m_s = distance_m * step[1]
    out.a_m_s2 = distance_m * step[2]
    out.j_m_s3 = distance_m * step[3]
