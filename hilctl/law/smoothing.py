"""Over which time friction's jump at a reversal is smoothed, so that the valve can follow.

The pressure that turns friction round has to be fed by a flow, and the valve's lag asks for that flow's first two
derivatives on top. A jump of the force spread by the kernel of four running means (a cubic B-spline b of base T) asks
for

    u = U + (2 zv/wv) U' + U''/wv²,     U = (Vt / 4 beta) (jump / A) b(t) / (Qn r)

held over a tick. T is the shortest for which u stays within what the command may reach and how fast it may change,
wherever in a tick the reversal falls, and for which the spool stays below machine.slew_per_s, with room for the motion
itself. It is at least SHORTEST_S, which costs nothing
that the valve would have passed, and SMOOTH_TICKS ticks: of a shorter jump a held command shows the area alone, and the
table sticks. (At 400 Hz, everything known exactly, 3 ms leave 77 to 91 % of distortion, 8.75 ms 15 to 21 %.) Friction
with bristles turns over its pre-sliding, the faster the greater the acceleration: in place of the jump it is taken
along a reversal at REVERSAL_M_S2.

The spool's way across its overlap (crossing.py) asks for more on top, and takes the shortest time for which both
together stay within the same bounds.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.friction import STATES, Friction, rt_friction
from hilctl.law.crossing import EARLY_JUMP
from hilctl.law.feed import CROSS_S, CROSS_TICKS, SMOOTH_S, SMOOTH_TICKS
from hilctl.machine import Machine
from hilctl.rt.jit import jit

SHORTEST_S = 3e-3  # about a valve's lag; sharper does no good, and the tick hardly follows
REVERSAL_M_S2 = 20.0  # of a fast reversal: ±20 mm at 5 Hz, or a triangle's corner (limits.shaping)
SHORTEST_CROSSING_S = 2e-3  # of the overlap; a sharper one asks for more than half of the opening
_STEP_S = 1.25e-5  # grid of the force
_AROUND_S = 8e-3  # of the reversal, either way
_REACH, _SLEW = 0.5, 0.9  # of the largest opening, and of its fastest change: the rest is for the motion itself
_ROOT = 0.9  # of the flow that is left at the pressure of a reversal

Reals = npt.NDArray[np.float64]


def smoothing_s(machine: Machine, friction: Friction, opening: float, slew_per_s: float, dt_s: float) -> float:
    """The shortest time that the valve can follow."""
    force_n, base_s = _reversal(friction), max(SHORTEST_S, SMOOTH_TICKS * dt_s)
    most_s = max(SMOOTH_S, base_s)
    while base_s < most_s:
        if _follows(machine, _demand(machine, force_n, base_s, dt_s), opening, slew_per_s * dt_s):
            return base_s
        base_s *= 1.1
    return most_s


def _reversal(friction: Friction) -> Reals:
    """Friction over time as the motion turns round, every _STEP_S."""
    count = round(_AROUND_S / _STEP_S)
    if friction.params.reach == 0.0:
        return np.repeat([0.0, friction.params.jump], count)
    speeds, force_n = REVERSAL_M_S2 * _STEP_S * (np.arange(-count, count) + 0.5), np.zeros(2 * count)
    rt_turn(friction.code, friction.packed(), speeds, _STEP_S, force_n)
    return force_n


@jit(lambda: "void(int64, float64[::1], float64[::1], float64, float64[::1])", cached=True)
def rt_turn(code: int, p: Any, speeds: Any, step_s: float, out: Any) -> None:
    """Friction along these speeds, after a second at the first of them."""
    z = np.zeros(STATES)
    rt_friction(code, p, z, speeds[0], 1.0)
    for i in range(speeds.size):
        out[i] = rt_friction(code, p, z, speeds[i], step_s)


class _Asked(NamedTuple):
    """Of the valve, at a reversal."""

    command: float  # the largest,
    step: float  # and its largest change in a tick
    spool_per_s: float


def _follows(machine: Machine, asked: _Asked, opening: float, step: float) -> bool:
    """Whether command and spool can do that, with room for the motion itself."""
    commanded = asked.command <= _REACH * opening and asked.step <= _SLEW * step
    return commanded and asked.spool_per_s <= _SLEW * machine.slew_per_s


def _demand(machine: Machine, force_n: Reals, base_s: float, dt_s: float) -> _Asked:
    """What turning friction round asks for."""
    ends = _spread(_longer(force_n, base_s, dt_s), base_s)
    return _held(machine, _opening(machine, ends), dt_s)


def _longer(values: Reals, base_s: float, dt_s: float) -> Reals:
    """With what was there before and after, as long as it takes to spread and hold it."""
    return np.pad(values, math.ceil(2 * dt_s / _STEP_S) + 4 * _width(base_s), "edge")


def _width(base_s: float) -> int:
    return max(1, round(base_s / 4 / _STEP_S))


def _spread(values: Reals, base_s: float) -> Reals:
    """Through four running means; shorter by four widths."""
    width = _width(base_s)
    for _ in range(4):
        sums = np.cumsum(values)
        values = (sums[width:] - sums[:-width]) / width
    return values


def _opening(machine: Machine, force_n: Reals) -> Reals:
    flow = machine.Vt / (4 * machine.beta) * np.gradient(force_n, _STEP_S) / machine.A
    return np.asarray(flow / (machine.Qn * _ROOT))


def _held(machine: Machine, spool: Reals, dt_s: float) -> _Asked:
    """What a way of the spool asks of the command, held over ticks."""
    slope = np.gradient(spool, _STEP_S)
    u = spool + 2 * machine.zv / machine.wv * slope + np.gradient(slope, _STEP_S) / machine.wv**2
    tick = max(1, round(dt_s / _STEP_S))
    sums = np.cumsum(u)
    held = (sums[tick:] - sums[:-tick]) / tick
    step = np.max(np.abs(held[tick:] - held[:-tick]))
    return _Asked(float(np.max(np.abs(held))), float(step), float(np.max(np.abs(slope))))


def crossing_s(machine: Machine, friction: Friction, opening: float, slew_per_s: float, smooth_s: float,
               dt_s: float) -> float:
    """The shortest time in which the valve can cross its overlap, while friction turns round in `smooth_s`."""
    base_s = max(SHORTEST_CROSSING_S, CROSS_TICKS * dt_s)
    most_s = max(CROSS_S, base_s)
    overlap = 0.5 * sum(machine.overlaps)
    if overlap == 0.0:
        return base_s
    force_n = _reversal(friction)
    while base_s < most_s:
        if _follows(machine, _demand_crossing(machine, force_n, overlap, smooth_s, base_s, dt_s), opening,
                    slew_per_s * dt_s):  # fmt: skip
            return base_s
        base_s *= 1.1
    return most_s


def _demand_crossing(machine: Machine, force_n: Reals, overlap: float, smooth_s: float, base_s: float,
                     dt_s: float) -> _Asked:
    """The same at a reversal, with the spool's way across the overlap (crossing.py)."""
    ends = _spread(_longer(_longer(force_n, smooth_s, dt_s), base_s, dt_s), smooth_s)
    friction = _opening(machine, ends)
    motion = machine.A / machine.Qn * REVERSAL_M_S2 * _STEP_S * (np.arange(len(ends)) - 0.5 * len(ends))
    early = round(EARLY_JUMP * base_s / _STEP_S)
    side = _spread(np.pad(np.sign(friction + motion)[early:], (0, early), "edge"), base_s)
    cut = 2 * _width(base_s)
    return _held(machine, (1 - overlap) * friction[cut : cut + len(side)] + overlap * side, dt_s)
