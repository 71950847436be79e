"""One interface to every specimen, and the Runge–Kutta step that takes its state in beside another's.

    accelerate(spec, y, dy, v_table, force_on_table, held) -> (table's acceleration, reaction)
    relax(spec, y, dt)               the stiff states over dt, all else held
    project(spec, y, v_table)        what drifts is brought back; once a period is enough

`force_on_table` is everything that acts on the table but the specimen: drive minus friction. The table's row is part of
the system, so the acceleration is that of table and specimen together, and `reaction` is the specimen's force on the
table, along the axis: m_table x'' = force_on_table + reaction. Where the table is `held` it does not move
(v_table = 0), and |force_on_table + reaction| is what has to hold it.

A caller with states of its own takes the specimen through its classical step like this, the table's speed going along:

    relax(spec, spec.y, dt / 2)
    a1, _ = accelerate(spec, spec.y, spec.rates[0], v, F1, held);                  rt_stage(spec, 0, dt / 2)
    a2, _ = accelerate(spec, spec.trial, spec.rates[1], v + dt/2 a1, F2, held);    rt_stage(spec, 1, dt / 2)
    a3, _ = accelerate(spec, spec.trial, spec.rates[2], v + dt/2 a2, F3, held);    rt_stage(spec, 2, dt)
    a4, _ = accelerate(spec, spec.trial, spec.rates[3], v + dt a3, F4, held);      rt_end(spec, dt)
    rt_commit(spec);  relax(spec, spec.y, dt / 2)

Until `rt_commit`, y is as it was: a step may be tried at any length, and again, and what holds the table at its end
is accelerate(spec, spec.end, …).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from hilctl.rt.jit import jit
from sim.specimens.chain.forces import rt_accelerate_chain
from sim.specimens.chain.modes import rt_project_chain, rt_relax_chain
from sim.specimens.pendulum import rt_accelerate_pendulum, rt_relax_pendulum
from sim.specimens.project import rt_project_pendulum
from sim.specimens.record import SIZE, Kind
from sim.specimens.simple import (
    rt_accelerate_none,
    rt_accelerate_rigid,
    rt_accelerate_structure,
    rt_project_none,
    rt_relax_none,
)

Accelerate = Callable[[Any, Any, Any, float, float, bool], tuple[float, float]]
Relax = Callable[[Any, Any, float], None]
Project = Callable[[Any, Any, float], None]


class Specimen(NamedTuple):
    """The compiled functions of one kind, for a caller that is compiled for it."""

    accelerate: Accelerate
    relax: Relax
    project: Project


SPECIMENS = {
    Kind.NONE: Specimen(rt_accelerate_none, rt_relax_none, rt_project_none),
    Kind.RIGID: Specimen(rt_accelerate_rigid, rt_relax_none, rt_project_none),
    Kind.STRUCTURE: Specimen(rt_accelerate_structure, rt_relax_none, rt_project_none),
    Kind.PENDULUM: Specimen(rt_accelerate_pendulum, rt_relax_pendulum, rt_project_pendulum),
    Kind.CHAIN: Specimen(rt_accelerate_chain, rt_relax_chain, rt_project_chain),
}


@jit(inline=True)
def rt_accelerate(spec: Any, y: Any, dy: Any, v_table: float, force_on_table: float, held: bool) -> tuple[float, float]:
    """The table's acceleration and the specimen's force on it, whatever the kind but a chain; fills dy."""
    kind = spec.kind
    if kind == Kind.PENDULUM.value:
        return rt_accelerate_pendulum(spec, y, dy, v_table, force_on_table, held)
    if kind == Kind.STRUCTURE.value:
        return rt_accelerate_structure(spec, y, dy, v_table, force_on_table, held)
    if kind == Kind.RIGID.value:
        return rt_accelerate_rigid(spec, y, dy, v_table, force_on_table, held)
    return rt_accelerate_none(spec, y, dy, v_table, force_on_table, held)


@jit()
def rt_relax(spec: Any, y: Any, dt: float) -> None:
    """The stiff states over dt, whatever the kind."""
    if spec.kind == Kind.PENDULUM.value:
        rt_relax_pendulum(spec, y, dt)


@jit()
def rt_project(spec: Any, y: Any, v_table: float) -> None:
    """What drifts is brought back, whatever the kind."""
    if spec.kind == Kind.PENDULUM.value:
        rt_project_pendulum(spec, y, v_table)


@jit()
def rt_stage(spec: Any, stage: int, ahead: float) -> None:
    """trial = y + ahead · rates[stage]; the rates of what is not integrated are 0."""
    y, trial, rates = spec.y, spec.trial, spec.rates
    for i in range(SIZE):
        trial[i] = y[i] + ahead * rates[stage, i]


@jit()
def rt_end(spec: Any, dt: float) -> None:
    """end = y + the classical mean of the four rates · dt."""
    y, end, rates, sixth = spec.y, spec.end, spec.rates, dt / 6.0
    for i in range(SIZE):
        end[i] = y[i] + sixth * (rates[0, i] + 2.0 * (rates[1, i] + rates[2, i]) + rates[3, i])


@jit()
def rt_commit(spec: Any) -> None:
    """Accepts the step: y = end."""
    y, end = spec.y, spec.end
    for i in range(SIZE):
        y[i] = end[i]
