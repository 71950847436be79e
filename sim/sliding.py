"""A substep under friction that jumps at v = 0: the mass slides one way, sticks, or slides the other way.

Within a step the direction of sliding is kept, so that Runge–Kutta sees a smooth force. Where the speed would cross
zero, the instant of crossing is located and the step ends there; the mass then sticks while the drive is within what
friction holds. Where it would pass that, the instant is located likewise. So every piece is smooth and the order of the
step is kept.
"""

import math
from collections.abc import Callable
from typing import Any

from hilctl.friction.model import Hold
from hilctl.rt.jit import jit
from sim.body import Body, Stepped
from sim.step import Openings

_EVENTS = 8  # in one substep; a mass that changes more often than that within 50 µs is held
_TRIES = 40  # of regula falsi (Illinois); six are usual
_SPEED_M_S = 1e-13  # a speed this small is the crossing
_FORCE_SHARE = 1e-12  # a drive this near to what is held, relative, is the breakaway


@jit()
def rt_part(openings: Openings, begin: float, end: float) -> Openings:
    """The openings of a part of a step, from `begin` to `end` of it: the parabola through the three."""
    first, middle, last = openings
    slope, bend = 4.0 * middle - 3.0 * first - last, 2.0 * (first + last) - 4.0 * middle
    centre = 0.5 * (begin + end)
    return (
        first + begin * (slope + begin * bend),
        first + centre * (slope + centre * bend),
        first + end * (slope + end * bend),
    )


def starting_and_stopping(body: Body, hold: Hold) -> Callable[..., Stepped]:
    """The substep in which a mass under friction that jumps may start, stop and turn."""
    slide, step_held, push, push_after, accept = body.step, body.step_held, body.push, body.push_after, body.accept

    @jit()
    def rt_find_rest(
        b: Any, p: Any, direction: float, ps: float, dt: float, openings: Openings,
        begin: float, pa: float, pb: float, x: float, v: float, v_end: float,
    ) -> tuple[float, float, float, float]:  # fmt: skip
        """The share of the substep at which the speed passes zero, and pressures and position there."""
        low, high, v_low, v_high = begin, 1.0, v, v_end
        last_side = 0
        pa_at, pb_at, x_at, share = pa, pb, x, begin
        for _try in range(_TRIES):
            share = low + (high - low) * v_low / (v_low - v_high)
            part = rt_part(openings, begin, share)
            pa_at, pb_at, x_at, v_at, _ = slide(b, p, direction, ps, (share - begin) * dt, part, pa, pb, x, v)
            if abs(v_at) <= _SPEED_M_S:
                break
            if v_at * direction > 0.0:
                low, v_low = share, v_at
                if last_side == 1:
                    v_high *= 0.5
                last_side = 1
            else:
                high, v_high = share, v_at
                if last_side == -1:
                    v_low *= 0.5
                last_side = -1
        return share, pa_at, pb_at, x_at

    @jit()
    def rt_find_breakaway(
        b: Any, p: Any, ps: float, dt: float, openings: Openings,
        begin: float, pa: float, pb: float, x: float, drive_end: float,
    ) -> tuple[float, float, float]:  # fmt: skip
        """The share of the substep at which the drive passes what friction holds, and the pressures there."""
        held = hold(p, drive_end)
        limit = math.copysign(held, drive_end)
        low, high = begin, 1.0
        over_low, over_high = push(b, pa, pb, x) - limit, drive_end - limit
        last_side = 0
        pa_at, pb_at, share = pa, pb, begin
        for _try in range(_TRIES):
            share = low + (high - low) * over_low / (over_low - over_high)
            part = rt_part(openings, begin, share)
            pa_at, pb_at = step_held(b, ps, (share - begin) * dt, part, pa, pb, x)
            over = push_after(b, pa_at, pb_at, x) - limit
            if abs(over) <= _FORCE_SHARE * held:
                break
            if over * limit < 0.0:
                low, over_low = share, over
                if last_side == 1:
                    over_high *= 0.5
                last_side = 1
            else:
                high, over_high = share, over
                if last_side == -1:
                    over_low *= 0.5
                last_side = -1
        return share, pa_at, pb_at

    @jit()
    def rt_substep_with_events(
        b: Any, p: Any, direction: float, ps: float, dt: float, openings: Openings,
        pa: float, pb: float, x: float, v: float,
    ) -> tuple[float, float, float, float, float]:  # fmt: skip
        """Direction (0: stuck), pressures, position and speed after a substep; the mass may start, stop, turn."""
        begin = 0.0
        for _event in range(_EVENTS):
            left = (1.0 - begin) * dt
            part = rt_part(openings, begin, 1.0)
            if direction == 0.0:
                drive = push(b, pa, pb, x)
                if abs(drive) > hold(p, drive):
                    direction = math.copysign(1.0, drive)
                    continue
                pa_end, pb_end = step_held(b, ps, left, part, pa, pb, x)
                drive = push_after(b, pa_end, pb_end, x)
                if abs(drive) <= hold(p, drive):
                    accept(b)
                    return 0.0, pa_end, pb_end, x, 0.0
                begin, pa, pb = rt_find_breakaway(b, p, ps, dt, openings, begin, pa, pb, x, drive)
                accept(b)
                direction = math.copysign(1.0, drive)
            else:
                pa_end, pb_end, x_end, v_end, _ = slide(b, p, direction, ps, left, part, pa, pb, x, v)
                if v_end * direction > 0.0:
                    accept(b)
                    return direction, pa_end, pb_end, x_end, v_end
                if v == 0.0:  # it broke away and would turn at once
                    break
                begin, pa, pb, x = rt_find_rest(b, p, direction, ps, dt, openings, begin, pa, pb, x, v, v_end)
                accept(b)
                v = 0.0
                drive = push(b, pa, pb, x)
                direction = math.copysign(1.0, drive) if abs(drive) > hold(p, drive) else 0.0
        left = (1.0 - begin) * dt
        pa, pb = step_held(b, ps, left, rt_part(openings, begin, 1.0), pa, pb, x)
        accept(b)
        return 0.0, pa, pb, x, 0.0

    return rt_substep_with_events
