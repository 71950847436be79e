"""The block under friction that jumps at v = 0: it slides one way, rests, or slides the other way.

Within a step the direction of sliding is kept, so that Runge–Kutta of fourth order sees a smooth force. Where the speed
would pass zero, the instant is located and the step ends there. At rest the pull is linear in time, so that the instant
at which it passes what friction holds is known in closed form. So every piece is smooth, and the order is kept.
"""

import math
from typing import Any

from hilctl.papers.phenomena.chosen import rt_hold, rt_slip
from hilctl.papers.phenomena.words import (
    DAMPING,
    FRICTION,
    LAW,
    MASS,
    PEAK,
    POSITION,
    SAMPLE_S,
    SPEED,
    STIFFNESS,
    SUBSTEPS,
    VISCOUS,
    WAY,
    V,
    X,
)  # fmt: skip
from hilctl.rt.jit import jit

_TRIES = 60  # of regula falsi (Illinois); six are usual
_EVENTS = 8  # in one substep; a block that changes more often is held
_STOPPED = 1e-14  # a speed this small, in m/s or rad/s, is the crossing


@jit()
def rt_slide(p: Any, block: Any, way: float, q: float, slope: float, dt: float, x: float, v: float) -> Any:
    """Position and speed after sliding one way throughout."""
    law, per_mass, k, c, half = int(block[LAW]), 1.0 / block[MASS], block[STIFFNESS], block[DAMPING], 0.5 * dt
    x_dot, v_dot, x_sum, v_sum = 0.0, 0.0, 0.0, 0.0
    for stage in range(4):  # a loop: the law stands in the compiled code once
        at = 0.0 if stage == 0 else (dt if stage == 3 else half)
        v_at = v + at * v_dot
        pull = q + slope * at - k * (x + at * x_dot) - c * v_at
        x_dot, v_dot = v_at, (pull - rt_slip(law, p, way, v_at)) * per_mass
        weight = 2.0 if 0 < stage < 3 else 1.0
        x_sum += weight * x_dot
        v_sum += weight * v_dot
    return x + dt / 6.0 * x_sum, v + dt / 6.0 * v_sum


@jit()
def rt_to_rest(
    p: Any, block: Any, way: float, q: float, slope: float, dt: float, x: float, v: float, v_end: float
) -> Any:
    """When, within dt, the speed passes zero, and where."""
    low, high, v_low, v_high, side = 0.0, dt, v, v_end, 0
    at, x_at = dt, x
    for _try in range(_TRIES):
        at = low + (high - low) * v_low / (v_low - v_high)
        x_at, v_at = rt_slide(p, block, way, q, slope, at, x, v)
        if abs(v_at) <= _STOPPED:
            break
        if v_at * way > 0.0:
            low, v_low = at, v_at
            if side == 1:
                v_high *= 0.5
            side = 1
        else:
            high, v_high = at, v_at
            if side == -1:
                v_low *= 0.5
            side = -1
    return at, x_at


@jit()
def rt_step(p: Any, block: Any, way: float, q: float, slope: float, dt: float, x: float, v: float) -> Any:
    """Way, position and speed after dt; the block may start, stop and turn."""
    law, k = int(block[LAW]), block[STIFFNESS]
    for _event in range(_EVENTS):
        if way == 0.0:
            pull = q - k * x
            if abs(pull) > rt_hold(law, p, pull):
                way = math.copysign(1.0, pull)
                continue
            end = pull + slope * dt
            held = rt_hold(law, p, end)
            if abs(end) <= held:
                return 0.0, x, 0.0
            way = math.copysign(1.0, end)
            passed = min(max((way * held - pull) / slope, 0.0), dt)
            q, dt = q + slope * passed, dt - passed
            block[PEAK] = max(block[PEAK], way * held)
        x_end, v_end = rt_slide(p, block, way, q, slope, dt, x, v)
        if v_end * way > 0.0:
            return way, x_end, v_end
        if v == 0.0:  # it broke away and would turn at once
            break
        passed, x = rt_to_rest(p, block, way, q, slope, dt, x, v, v_end)
        q, dt, v = q + slope * passed, dt - passed, 0.0
        pull = q - k * x
        way = math.copysign(1.0, pull) if abs(pull) > rt_hold(law, p, pull) else 0.0
    return 0.0, x, 0.0


@jit()
def rt_felt(p: Any, block: Any, way: float, q: float, x: float, v: float) -> float:
    """Friction: of sliding, or what holds."""
    if way == 0.0:
        pull: float = q - block[STIFFNESS] * x
        return pull
    felt: float = rt_slip(int(block[LAW]), p, way, v)
    return felt


@jit()
def rt_ride_jumping(p: Any, block: Any, q: Any, rows: Any) -> None:
    """The block pulled by q."""
    n, x, v, way = int(block[SUBSTEPS]), block[X], block[V], block[WAY]
    dt = block[SAMPLE_S] / n
    felt = rt_felt(p, block, way, q[0], x, v)
    rows[POSITION, 0], rows[SPEED, 0], rows[FRICTION, 0] = x, v, felt
    for i in range(q.size - 1):
        slope = (q[i + 1] - q[i]) / block[SAMPLE_S]
        for j in range(n):
            way, x, v = rt_step(p, block, way, q[i] + slope * j * dt, slope, dt, x, v)
            felt = rt_felt(p, block, way, q[i] + slope * (j + 1) * dt, x, v)
            block[PEAK] = max(block[PEAK], felt - block[VISCOUS] * v)
        rows[POSITION, i + 1], rows[SPEED, i + 1], rows[FRICTION, i + 1] = x, v, felt
    block[X], block[V], block[WAY] = x, v, way
