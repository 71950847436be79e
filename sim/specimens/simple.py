"""Two specimens without joints: a rigid mass, and a mass on a spring and a damper.

    rigid       (mt + m) x'' = F - m g                                       g along the axis, 0 on a horizontal one
    structure   u' = w - v,   m w' = -(k u + c u') - m g                     u: deflection, w: the mass's own speed
                mt x'' = F + k u + c u'

wn = sqrt(k/m), ζ = c / (2 sqrt(k m)).
"""

from typing import Any

from hilctl.rt.jit import jit
from sim.specimens.record import DEFLECTION, MASS_SPEED, STRUCTURE_LOSS, STRUCTURE_WORK


@jit()
def rt_accelerate_none(
    spec: Any, y: Any, dy: Any, v_table: float, force_on_table: float, held: bool
) -> tuple[float, float]:
    """An empty table."""
    return 0.0 if held else spec.per_table * force_on_table, 0.0


@jit()
def rt_accelerate_rigid(
    spec: Any, y: Any, dy: Any, v_table: float, force_on_table: float, held: bool
) -> tuple[float, float]:
    """A mass that is bolted down: it adds to the table's."""
    acceleration = 0.0 if held else (force_on_table - spec.weight) * spec.per_total
    return acceleration, -spec.mass * acceleration - spec.weight


@jit()
def rt_accelerate_structure(
    spec: Any, y: Any, dy: Any, v_table: float, force_on_table: float, held: bool
) -> tuple[float, float]:
    """A mass on a spring and a damper."""
    speed = y[MASS_SPEED] - v_table
    push = spec.stiffness * y[DEFLECTION] + spec.damping * speed
    dy[DEFLECTION] = speed
    dy[MASS_SPEED] = -(push + spec.weight) * spec.per_mass
    dy[STRUCTURE_WORK] = -push * v_table
    dy[STRUCTURE_LOSS] = spec.damping * speed * speed
    return 0.0 if held else spec.per_table * (force_on_table + push), push


@jit()
def rt_relax_none(spec: Any, y: Any, dt: float) -> None:
    """No bristles."""


@jit()
def rt_project_none(spec: Any, y: Any, v_table: float) -> None:
    """No joints."""
