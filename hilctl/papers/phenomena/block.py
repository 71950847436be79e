"""A block on a rough plane: pulled by a force and a spring, or led at a given speed, under any friction law.

    m v' = q(t) - k x - c v - f          q is given at samples and is linear between them

A spring whose far end moves by u(t) gives q = k u + c u'. Under a law that jumps at v = 0 the block truly rests
(`sliding.py`). Under a law with a state this is advanced by its own exact step, half before and half after the block's
(Runge–Kutta of fourth order, the state held): of second order, and it cannot diverge. Led at a speed the block is not
free: only the law runs, at the mean speed of each step.

One compiled function serves all laws and chooses by code: nothing here is timed, and compiling it for each would take
longer than all that it computes.
"""

from typing import Any

from hilctl.friction import Kind
from hilctl.papers.phenomena.chosen import rt_advance, rt_force
from hilctl.papers.phenomena.sliding import rt_ride_jumping
from hilctl.papers.phenomena.words import (
    DAMPING,
    FRICTION,
    KIND,
    LAW,
    LED,
    MASS,
    PEAK,
    POSITION,
    SAMPLE_S,
    SPEED,
    STIFFNESS,
    SUBSTEPS,
    VISCOUS,
    V,
    X,
)  # fmt: skip
from hilctl.rt.jit import jit


@jit(lambda: "void(float64[::1], float64[::1], float64[::1], float64[::1], float64[:, ::1])", cached=True)
def rt_run(p: Any, z: Any, block: Any, q: Any, rows: Any) -> None:
    """The block under the pull q, or led at the speeds q; rows get a column a sample."""
    if block[LED] != 0.0:
        rt_lead(p, z, block, q, rows)
    elif int(block[KIND]) == Kind.JUMPS.value:
        rt_ride_jumping(p, block, q, rows)
    else:
        rt_ride(p, z, block, q, rows)


@jit()
def rt_bend(law: int, p: Any, z: Any, block: Any, q: float, slope: float, dt: float, x: float, v: float) -> Any:
    """Position and speed after dt, the law's state held."""
    per_mass, k, c, half = 1.0 / block[MASS], block[STIFFNESS], block[DAMPING], 0.5 * dt
    x_dot, v_dot, x_sum, v_sum = 0.0, 0.0, 0.0, 0.0
    for stage in range(4):  # a loop: the law stands in the compiled code once
        at = 0.0 if stage == 0 else (dt if stage == 3 else half)
        v_at = v + at * v_dot
        pull = q + slope * at - k * (x + at * x_dot) - c * v_at
        x_dot, v_dot = v_at, (pull - rt_force(law, p, z, v_at)) * per_mass
        weight = 2.0 if 0 < stage < 3 else 1.0
        x_sum += weight * x_dot
        v_sum += weight * v_dot
    return x + dt / 6.0 * x_sum, v + dt / 6.0 * v_sum


@jit()
def rt_ride(p: Any, z: Any, block: Any, q: Any, rows: Any) -> None:
    """Under a law that is continuous, with a state or without."""
    law, n, x, v, peak = int(block[LAW]), int(block[SUBSTEPS]), block[X], block[V], block[PEAK]
    dt, viscous = block[SAMPLE_S] / n, block[VISCOUS]
    felt = rt_force(law, p, z, v)
    rows[POSITION, 0], rows[SPEED, 0], rows[FRICTION, 0] = x, v, felt
    for i in range(q.size - 1):
        slope = (q[i + 1] - q[i]) / block[SAMPLE_S]
        for j in range(n):
            rt_advance(law, p, z, v, 0.5 * dt)
            x, v = rt_bend(law, p, z, block, q[i] + slope * j * dt, slope, dt, x, v)
            rt_advance(law, p, z, v, 0.5 * dt)
            felt = rt_force(law, p, z, v)
            peak = max(peak, felt - viscous * v)
        rows[POSITION, i + 1], rows[SPEED, i + 1], rows[FRICTION, i + 1] = x, v, felt
    block[X], block[V], block[PEAK] = x, v, peak


@jit()
def rt_lead(p: Any, z: Any, block: Any, v: Any, rows: Any) -> None:
    """The law alone, at given speeds."""
    law, n, x = int(block[LAW]), int(block[SUBSTEPS]), block[X]
    dt = block[SAMPLE_S] / n
    for i in range(v.size):
        if i > 0:
            step = (v[i] - v[i - 1]) / n
            for j in range(n):
                mean = v[i - 1] + (j + 0.5) * step
                rt_advance(law, p, z, mean, dt)
                x += mean * dt
        rows[POSITION, i], rows[SPEED, i], rows[FRICTION, i] = x, v[i], rt_force(law, p, z, v[i])
    block[X], block[V] = x, v[v.size - 1]
