"""A substep under friction with a state: half of the state's own step, the rest, the other half.

The state is stiff and solved by its model while v is held; pressures and mass are stepped while it is held. In this
symmetric order the step is of second order, and it cannot diverge.
"""

from collections.abc import Callable
from typing import Any

from hilctl.friction.model import Advance, Force
from hilctl.rt.jit import jit
from sim.step import Openings, stepper


def bending(advance: Advance, force: Force) -> Callable[..., tuple[float, float, float, float, float]]:
    """The substep under a friction with a state."""
    rt_bend = stepper(force)

    @jit()
    def rt_substep(
        c: Any, p: Any, z: Any, ps: float, dt: float, openings: Openings, pa: float, pb: float, x: float, v: float
    ) -> tuple[float, float, float, float, float]:
        """Pressures, position and speed after dt, and the acceleration before; z moves along."""
        advance(p, z, v, 0.5 * dt)
        pa, pb, x, v, before = rt_bend(c, p, z, ps, dt, openings, pa, pb, x, v)
        advance(p, z, v, 0.5 * dt)
        return pa, pb, x, v, before

    return rt_substep
