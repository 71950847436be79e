"""One Runge–Kutta step of chambers and mass, for any friction; and the step with the mass held.

The classical fourth order: on the reference rig's 44 Hz mode a substep of 50 µs is 0.014 rad, an error of some 1e-11 a
step. What needs care is friction, which is therefore outside: `sliding.py` keeps the direction of motion within a step,
`plant.py` steps what has a state by itself.
"""

from collections.abc import Callable
from typing import Any

from hilctl.rt.jit import jit
from sim.cylinder import rt_drive, rt_edges, rt_pressure_rates

# The spool's opening over a step: at its beginning, middle and end.
Openings = tuple[float, float, float]


def stepper(friction: Callable[[Any, Any, float], float]) -> Callable[..., tuple[float, float, float, float, float]]:
    """The step under a friction force `(p, s, v)`, where s is what the friction keeps constant during a step."""

    @jit()
    def rt_step(
        c: Any, p: Any, s: Any, ps: float, dt: float, openings: Openings, pa: float, pb: float, x: float, v: float
    ) -> tuple[float, float, float, float, float]:
        """Pressures, position and speed after dt, and the acceleration before."""
        half = 0.5 * dt
        edge, counter = rt_edges(c, openings[0])
        a1, b1 = rt_pressure_rates(c, ps, edge, counter, pa, pb, x, v)
        f1 = (rt_drive(c, pa, pb, x, v) - friction(p, s, v)) * c.per_mass

        edge, counter = rt_edges(c, openings[1])
        pa2, pb2, x2, v2 = pa + half * a1, pb + half * b1, x + half * v, v + half * f1
        a2, b2 = rt_pressure_rates(c, ps, edge, counter, pa2, pb2, x2, v2)
        f2 = (rt_drive(c, pa2, pb2, x2, v2) - friction(p, s, v2)) * c.per_mass

        pa3, pb3, x3, v3 = pa + half * a2, pb + half * b2, x + half * v2, v + half * f2
        a3, b3 = rt_pressure_rates(c, ps, edge, counter, pa3, pb3, x3, v3)
        f3 = (rt_drive(c, pa3, pb3, x3, v3) - friction(p, s, v3)) * c.per_mass

        edge, counter = rt_edges(c, openings[2])
        pa4, pb4, x4, v4 = pa + dt * a3, pb + dt * b3, x + dt * v3, v + dt * f3
        a4, b4 = rt_pressure_rates(c, ps, edge, counter, pa4, pb4, x4, v4)
        f4 = (rt_drive(c, pa4, pb4, x4, v4) - friction(p, s, v4)) * c.per_mass

        sixth = dt / 6.0
        return (
            max(pa + sixth * (a1 + 2.0 * (a2 + a3) + a4), c.vapour),
            max(pb + sixth * (b1 + 2.0 * (b2 + b3) + b4), c.vapour),
            x + sixth * (v + 2.0 * (v2 + v3) + v4),
            v + sixth * (f1 + 2.0 * (f2 + f3) + f4),
            f1,
        )

    return rt_step


@jit()
def rt_step_held(
    c: Any, ps: float, dt: float, openings: Openings, pa: float, pb: float, x: float
) -> tuple[float, float]:
    """Pressures after dt while friction holds the mass."""
    half = 0.5 * dt
    edge, counter = rt_edges(c, openings[0])
    a1, b1 = rt_pressure_rates(c, ps, edge, counter, pa, pb, x, 0.0)
    edge, counter = rt_edges(c, openings[1])
    a2, b2 = rt_pressure_rates(c, ps, edge, counter, pa + half * a1, pb + half * b1, x, 0.0)
    a3, b3 = rt_pressure_rates(c, ps, edge, counter, pa + half * a2, pb + half * b2, x, 0.0)
    edge, counter = rt_edges(c, openings[2])
    a4, b4 = rt_pressure_rates(c, ps, edge, counter, pa + dt * a3, pb + dt * b3, x, 0.0)
    sixth = dt / 6.0
    return (
        max(pa + sixth * (a1 + 2.0 * (a2 + a3) + a4), c.vapour),
        max(pb + sixth * (b1 + 2.0 * (b2 + b3) + b4), c.vapour),
    )
