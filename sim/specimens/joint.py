"""Friction in a revolute joint: LuGre at the pin, proportional to the normal force.

The pin of radius r presses on its hole in one point, with the normal force N and, at right angles, the friction mu N:

    v = r (angular speed of the outer body relative to the inner)
    z' = v - c z,  c = s0 |v| / g(|v|),  g(s) = mu_c + (mu_s - mu_c) exp(-(s/vs)^delta)
    mu = s0 z + s1(v) z' + sigma v,      s1(v) = s1 exp(-(v/vd)^2)

mu is a number that depends on z and v alone: given both, the friction is linear in N. What the joint transmits is the
resultant λ of both, so |λ| = N sqrt(1 + mu^2), and about the pin's centre friction turns with -r mu N = -w |λ|,

    w = r mu / sqrt(1 + mu^2) < r                                                the *arm* of friction

(the circle of friction: λ passes the centre at the distance w). The multipliers of the joint are λ itself; with the
normal force as the multiplier, as the paper writes it, the same forces stand in another place.

c passes 1e5 1/s at the usual bristles: z is never stepped by Runge–Kutta but solved exactly while v is held,
z += (zs - z)(1 - exp(-c dt)), zs = sgn(v) g/s0. Passive while |v|/g <= 4 (s1(v) + sigma)/s1(v)^2; N only scales.
"""

import math
from typing import Any

from hilctl.rt.jit import jit

_NOTHING = 40.0  # exp(-40) is 4e-18: nothing beside one, and not worth its time


@jit()
def rt_rubbing(joint: Any, speed: float) -> float:
    """g at a speed that is not negative."""
    ratio = speed * joint.per_vs
    if joint.delta == 2.0:
        shape = ratio * ratio
    elif joint.delta == 1.0:
        shape = ratio
    else:
        shape = ratio**joint.delta
    level: float = joint.mu_c
    if shape < _NOTHING:
        level += joint.rise * math.exp(-shape)
    return level


@jit()
def rt_deflect_pin(joint: Any, z: float, turning: float, dt: float) -> float:
    """The deflection after dt at a constant angular speed, exactly. Keeps what depends on speed and dt alone."""
    if joint.rough == 0:
        return z
    if turning != joint.turning or dt != joint.dt:
        v = joint.r * turning
        level = rt_rubbing(joint, abs(v))
        decay = joint.s0 * abs(v) / level * dt
        joint.turning, joint.dt, joint.level = turning, dt, level
        joint.settled = math.copysign(level, v) / joint.s0
        joint.fade = math.expm1(-decay) if decay < _NOTHING else -1.0
    settled: float = joint.settled
    fade: float = joint.fade
    return settled if fade == -1.0 else z - (settled - z) * fade


@jit()
def rt_arm(joint: Any, z: float, turning: float) -> tuple[float, float]:
    """The arm w of friction, and N / |λ|."""
    v = joint.r * turning
    mu = joint.sigma * v
    if joint.rough:
        mu += joint.s0 * z
        fall = v * joint.per_vd * v * joint.per_vd
        if fall < _NOTHING:
            level = joint.level if turning == joint.turning else rt_rubbing(joint, abs(v))
            bending = v - joint.s0 * abs(v) / level * z
            mu += joint.s1 * math.exp(-fall) * bending
    share = 1.0 / math.sqrt(1.0 + mu * mu)
    return joint.r * mu * share, share
