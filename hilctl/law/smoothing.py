"""Over which time friction's jump at a reversal is smoothed, so that the valve can follow.

The pressure that turns friction round has to be fed by a flow, and the valve's lag asks for that flow's first two
derivatives on top. A jump of the force spread by the kernel of four running means (a cubic B-spline b of base T) asks
for

    u = U + (2 zv/wv) U' + U''/wv²,     U = (Vt / 4 beta) (jump / A) b(t) / (Qn r)

held over a tick. T is the shortest for which u stays within what the command may reach and how fast it may change,
wherever in a tick the reversal falls. Friction with bristles turns by itself, over its pre-sliding; it gets SHORTEST_S,
which costs nothing that the valve would have passed.
"""

import math

import numpy as np

from hilctl.friction import Friction
from hilctl.law.feed import SMOOTH_S
from hilctl.machine import Machine

SHORTEST_S = 3e-3  # about a valve's lag; sharper does no good, and the tick hardly follows
_FINE = 240  # grid points of the kernel's base
_REACH = 0.5  # of the largest opening: the rest is for the motion itself
_ROOT = 0.9  # of the flow that is left at the pressure of a reversal


def smoothing_s(machine: Machine, friction: Friction, opening: float, slew_per_s: float, dt_s: float) -> float:
    """The shortest time that the valve can follow."""
    jump, base_s = friction.params.jump, SHORTEST_S
    while base_s < SMOOTH_S:
        peak, step = _demand(machine, jump, base_s, dt_s)
        if peak <= _REACH * opening and step <= slew_per_s * dt_s:
            return base_s
        base_s *= 1.1
    return SMOOTH_S


def _demand(machine: Machine, jump_n: float, base_s: float, dt_s: float) -> tuple[float, float]:
    """The largest command, and its largest change in a tick."""
    h = base_s / _FINE
    box = np.ones(_FINE // 4) / (_FINE // 4)
    kernel = np.convolve(np.convolve(box, box), np.convolve(box, box)) / h
    flow = machine.Vt / (4 * machine.beta) * jump_n / machine.A * kernel
    margin = math.ceil(2 * dt_s / h) + 2
    opening = np.pad(flow / (machine.Qn * _ROOT), margin)
    slope = np.gradient(opening, h)
    u = opening + 2 * machine.zv / machine.wv * slope + np.gradient(slope, h) / machine.wv**2
    tick = max(1, round(dt_s / h))
    held = np.convolve(u, np.ones(tick) / tick, "valid")
    return float(np.max(np.abs(held))), float(np.max(np.abs(held[tick:] - held[:-tick]))) if held.size > tick else 0.0
