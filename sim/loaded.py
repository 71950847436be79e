"""The table with a specimen on it: chambers, table and specimen in one Runge–Kutta step.

The specimen's reaction is part of the same system of equations as the table's acceleration (sim/specimens), so a heavy
specimen is no less accurate than a light one. Friction that holds the table also holds the reaction.
"""

from collections.abc import Callable
from typing import Any

from hilctl.rt.jit import jit
from sim.body import Body, Stepped
from sim.cylinder import rt_drive, rt_edges, rt_pressure_rates
from sim.specimens.record import Kind
from sim.specimens.specimen import SPECIMENS, rt_commit, rt_end, rt_stage
from sim.step import Openings, rt_step_held


def loaded(friction: Callable[[Any, Any, float], float], kind: Kind) -> Body:
    """A table with a specimen of this kind."""
    accelerate, relax, project = SPECIMENS[kind]

    @jit()
    def rt_of(plant: Any) -> Any:
        return plant

    @jit()
    def rt_step(
        b: Any, p: Any, s: Any, ps: float, dt: float, openings: Openings, pa: float, pb: float, x: float, v: float
    ) -> Stepped:
        """As stepper() of the bare table, with the specimen's own rates beside."""
        c, spec, half = b.cylinder, b.specimen, 0.5 * dt
        edge, counter = rt_edges(c, openings[0])
        a1, b1 = rt_pressure_rates(c, ps, edge, counter, pa, pb, x, v)
        force = rt_drive(c, pa, pb, x, v) - friction(p, s, v)
        f1, _ = accelerate(spec, spec.y, spec.rates[0], v, force, False)
        rt_stage(spec, 0, half)

        edge, counter = rt_edges(c, openings[1])
        pa2, pb2, x2, v2 = pa + half * a1, pb + half * b1, x + half * v, v + half * f1
        a2, b2 = rt_pressure_rates(c, ps, edge, counter, pa2, pb2, x2, v2)
        force = rt_drive(c, pa2, pb2, x2, v2) - friction(p, s, v2)
        f2, _ = accelerate(spec, spec.trial, spec.rates[1], v2, force, False)
        rt_stage(spec, 1, half)

        pa3, pb3, x3, v3 = pa + half * a2, pb + half * b2, x + half * v2, v + half * f2
        a3, b3 = rt_pressure_rates(c, ps, edge, counter, pa3, pb3, x3, v3)
        force = rt_drive(c, pa3, pb3, x3, v3) - friction(p, s, v3)
        f3, _ = accelerate(spec, spec.trial, spec.rates[2], v3, force, False)
        rt_stage(spec, 2, dt)

        edge, counter = rt_edges(c, openings[2])
        pa4, pb4, x4, v4 = pa + dt * a3, pb + dt * b3, x + dt * v3, v + dt * f3
        a4, b4 = rt_pressure_rates(c, ps, edge, counter, pa4, pb4, x4, v4)
        force = rt_drive(c, pa4, pb4, x4, v4) - friction(p, s, v4)
        f4, _ = accelerate(spec, spec.trial, spec.rates[3], v4, force, False)
        rt_end(spec, dt)

        sixth = dt / 6.0
        return (
            max(pa + sixth * (a1 + 2.0 * (a2 + a3) + a4), c.vapour),
            max(pb + sixth * (b1 + 2.0 * (b2 + b3) + b4), c.vapour),
            x + sixth * (v + 2.0 * (v2 + v3) + v4),
            v + sixth * (f1 + 2.0 * (f2 + f3) + f4),
            f1,
        )

    @jit()
    def rt_step_both_held(
        b: Any, ps: float, dt: float, openings: Openings, pa: float, pb: float, x: float
    ) -> tuple[float, float]:
        """Pressures after dt while friction holds the table; the specimen moves on."""
        spec, half = b.specimen, 0.5 * dt
        accelerate(spec, spec.y, spec.rates[0], 0.0, 0.0, True)
        rt_stage(spec, 0, half)
        accelerate(spec, spec.trial, spec.rates[1], 0.0, 0.0, True)
        rt_stage(spec, 1, half)
        accelerate(spec, spec.trial, spec.rates[2], 0.0, 0.0, True)
        rt_stage(spec, 2, dt)
        accelerate(spec, spec.trial, spec.rates[3], 0.0, 0.0, True)
        rt_end(spec, dt)
        return rt_step_held(b.cylinder, ps, dt, openings, pa, pb, x)

    @jit()
    def rt_push(b: Any, pa: float, pb: float, x: float) -> float:
        spec, drive = b.specimen, rt_drive(b.cylinder, pa, pb, x, 0.0)
        _, reaction = accelerate(spec, spec.y, spec.rates[0], 0.0, drive, True)
        return drive + reaction

    @jit()
    def rt_push_after(b: Any, pa: float, pb: float, x: float) -> float:
        spec, drive = b.specimen, rt_drive(b.cylinder, pa, pb, x, 0.0)
        _, reaction = accelerate(spec, spec.end, spec.rates[0], 0.0, drive, True)
        return drive + reaction

    @jit()
    def rt_accept(b: Any) -> None:
        rt_commit(b.specimen)

    @jit()
    def rt_accelerate(b: Any, pa: float, pb: float, x: float, v: float, friction_n: float) -> float:
        spec, force = b.specimen, rt_drive(b.cylinder, pa, pb, x, v) - friction_n
        acceleration, _ = accelerate(spec, spec.y, spec.rates[0], v, force, False)
        return acceleration

    @jit()
    def rt_relax(b: Any, dt: float) -> None:
        relax(b.specimen, b.specimen.y, dt)

    @jit()
    def rt_settle(b: Any, v: float) -> None:
        project(b.specimen, b.specimen.y, v)

    return Body(
        rt_of, rt_step, rt_step_both_held, rt_push, rt_push_after, rt_accept, rt_accelerate, rt_relax, rt_settle
    )
