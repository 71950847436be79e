"""The moving body: the bare table, or the table with a specimen. The substeps are written for both.

`b` is whatever the body's functions need: the cylinder's record for a bare table, the plant's for a loaded one. A step
is tried first; what it does to the specimen holds when it is accepted.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from hilctl.rt.jit import jit
from sim.cylinder import rt_drive
from sim.step import Openings, rt_step_held, stepper

Stepped = tuple[float, float, float, float, float]  # pressures, position, speed after; acceleration before


class Body(NamedTuple):
    """The compiled functions of a body under one friction force `(p, s, v)`; s is kept constant during a step."""

    of: Callable[[Any], Any]  # (plant) -> b
    step: Callable[[Any, Any, Any, float, float, Openings, float, float, float, float], Stepped]
    step_held: Callable[[Any, float, float, Openings, float, float, float], tuple[float, float]]
    push: Callable[[Any, float, float, float], float]  # what has to hold it at rest
    push_after: Callable[[Any, float, float, float], float]  # the same after a step that is not accepted yet
    accept: Callable[[Any], None]
    accelerate: Callable[[Any, float, float, float, float, float], float]  # under a friction force
    relax: Callable[[Any, float], None]  # what of the specimen is stiff
    settle: Callable[[Any, float], None]  # once a period: what of the specimen drifts


def bare(friction: Callable[[Any, Any, float], float]) -> Body:
    """An empty table."""

    @jit()
    def rt_of(plant: Any) -> Any:
        return plant.cylinder

    @jit()
    def rt_push(c: Any, pa: float, pb: float, x: float) -> float:
        return rt_drive(c, pa, pb, x, 0.0)

    @jit()
    def rt_accept(c: Any) -> None:
        """Nothing stands on it."""

    @jit()
    def rt_accelerate(c: Any, pa: float, pb: float, x: float, v: float, friction_n: float) -> float:
        acceleration: float = (rt_drive(c, pa, pb, x, v) - friction_n) * c.per_mass
        return acceleration

    @jit()
    def rt_nothing(c: Any, what: float) -> None:
        """Nothing stands on it."""

    return Body(
        rt_of, stepper(friction), rt_step_held, rt_push, rt_push, rt_accept, rt_accelerate, rt_nothing, rt_nothing
    )
