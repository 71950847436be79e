"""Notches in the command: what a resonance would answer to is taken out of the opening, and nothing else.

    N(s) = (s² + depth W w0 s + w0²) / (s² + W w0 s + w0²)          W = width, depth = 10^(-depth_db/20)

As a recursion (bilinear, exact at w0 = 2 pi frequency_hz), for what is taken away, t = u - y:

    t[k] = g (u[k] - u[k-2]) + p1 t[k-1] + p2 t[k-2]
    a = W/2 sin(w0 dt),   g = a (1 - depth)/(1 + a),   p1 = 2 cos(w0 dt)/(1 + a),   p2 = -(1 - a)/(1 + a)

A depth of 0 takes nothing away, to the last bit. A notch that is switched on or off or moved while the loop runs makes
no jump: its parameters are blended like all others, and what it still holds when its depth has come to 0 rings out.
"""

import math
from typing import Annotated, Any

import numpy as np

from hilctl.params import Params, number, record_of
from hilctl.rt.jit import jit


class Notch(Params):
    """A notch in the command: what it takes out, nothing answers to."""

    frequency_hz: Annotated[float, number(0.5, 5000, "Hz", "where it is deepest")] = 100.0
    depth_db: Annotated[float, number(0, 60, "dB", "how much it takes there; 0: off")] = 0.0
    width: Annotated[float, number(0.02, 2, "", "from -3 dB to -3 dB, were it bottomless, over frequency_hz")] = 0.5


COUNT = 3
HIGHEST = 0.45  # of the rate: above, a notch has no room
RESIDUE = 1e-9  # of the opening: what is left of a notch that was switched off
STEPS = 64  # of skipped ticks, at most

NOTCH = record_of([("u1", np.float64), ("u2", np.float64), ("t1", np.float64), ("t2", np.float64)])
NOTCHES = record_of([("first", NOTCH), ("second", NOTCH), ("third", NOTCH)])


@jit()
def _rt_clear(s: Any) -> None:
    s.u1 = s.u2 = s.t1 = s.t2 = 0.0


@jit()
def rt_notches_start(s: Any) -> None:
    """As if nothing had ever been commanded."""
    _rt_clear(s.first)
    _rt_clear(s.second)
    _rt_clear(s.third)


@jit()
def rt_notch(c: Any, opening: float, dt_s: float, s: Any) -> float:
    """One tick of one notch."""
    taken = 0.0
    if c.depth_db > 0.0 or s.t1 != 0.0 or s.t2 != 0.0:
        turn = min(2.0 * math.pi * c.frequency_hz * dt_s, 2.0 * math.pi * HIGHEST)
        a = 0.5 * c.width * math.sin(turn)
        left = math.exp(-0.05 * math.log(10.0) * c.depth_db)
        taken = (a * (1.0 - left) * (opening - s.u2) + 2.0 * math.cos(turn) * s.t1 - (1.0 - a) * s.t2) / (1.0 + a)
        if c.depth_db == 0.0 and abs(taken) < RESIDUE and abs(s.t1) < RESIDUE:
            taken = s.t1 = 0.0
    s.u2, s.u1 = s.u1, opening
    s.t2, s.t1 = s.t1, taken
    return opening - taken


@jit()
def rt_notches(law: Any, opening: float, dt_s: float, periods: int, s: Any) -> float:
    """All of them, one after the other. Over skipped ticks the last opening was held."""
    held, through = s.first.u1, opening
    for k in range(min(periods, STEPS)):
        through = opening if k == min(periods, STEPS) - 1 else held
        through = rt_notch(law.notch_1, through, dt_s, s.first)
        through = rt_notch(law.notch_2, through, dt_s, s.second)
        through = rt_notch(law.notch_3, through, dt_s, s.third)
    return through
