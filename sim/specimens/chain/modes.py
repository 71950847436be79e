"""What sticks: joints whose law jumps at rest are held there, or turn one way.

A direction is kept within a step. At its end a joint that has turned back sticks, and one that sticks is let go where
it is pulled harder than it holds; the one that is pulled hardest first, for each changes what the others feel.
"""

import math
from typing import Any

from hilctl.friction.model import Kind
from hilctl.friction.registry import rt_holds, rt_relaxed
from hilctl.rt.jit import jit
from sim.specimens.chain.forces import rt_accelerate_chain, rt_arm
from sim.specimens.chain.record import NO_LAW, SPEED

_OVER = 1.0 + 1e-12  # a pull that only rounding takes beyond what is held


@jit()
def rt_jumps(hinge: Any) -> bool:
    """Whether it can stick."""
    jumps: bool = hinge.law != NO_LAW and hinge.kind == Kind.JUMPS.value
    return jumps


@jit()
def rt_share(c: Any, j: int) -> float:
    """The torque that a sticking joint wants, of what it holds."""
    hinge, torque = c.hinge[j], c.torque[j]
    holds = rt_holds(hinge.law, hinge.p, -math.copysign(1.0, torque))
    most = rt_arm(hinge, holds) * c.force[j] if hinge.per_load > 0.0 else holds * hinge.lever
    if most > 0.0:
        share: float = abs(torque) / most
        return share
    return math.inf if torque != 0.0 else 0.0


@jit()
def rt_margin(c: Any, y: Any) -> float:
    """Below 0 where a joint has turned back, or is pulled harder than it holds; of the last solution."""
    least = math.inf
    for j in range(c.links):
        hinge = c.hinge[j]
        if rt_jumps(hinge):
            least = min(least, hinge.mode * y[SPEED + j] if hinge.mode != 0.0 else _OVER - rt_share(c, j))
    return least


@jit()
def rt_decide(spec: Any, y: Any, v_table: float, force_on_table: float, held: bool) -> None:
    """Sticks what has turned back or does not turn; lets go what is pulled too hard."""
    c = spec.chain
    for j in range(c.links):
        hinge = c.hinge[j]
        if rt_jumps(hinge) and hinge.mode * y[SPEED + j] <= 0.0:
            hinge.mode = 0.0
    for _ in range(c.links):
        rt_accelerate_chain(spec, y, spec.rates[0], v_table, force_on_table, held)
        worst, most = -1, _OVER
        for j in range(c.links):
            if rt_jumps(c.hinge[j]) and c.hinge[j].mode == 0.0:
                share = rt_share(c, j)
                if share > most:
                    worst, most = j, share
        if worst < 0:
            return
        c.hinge[worst].mode = -math.copysign(1.0, c.torque[worst])


@jit()
def rt_relax_chain(spec: Any, y: Any, dt: float) -> None:
    """The bristles after dt at the present speeds; and what sticks, where the last solution says otherwise."""
    c = spec.chain
    if c.jumps > 0 and rt_margin(c, y) < 0.0:
        rt_decide(spec, y, 0.0, c.push, c.held != 0)
    for j in range(c.links):
        hinge = c.hinge[j]
        if hinge.law != NO_LAW and hinge.kind == Kind.BRISTLES.value:
            rt_relaxed(hinge.law, hinge.p, hinge.z, hinge.lever * y[SPEED + j], dt)


@jit()
def rt_project_chain(spec: Any, y: Any, v_table: float) -> None:
    """Nothing can come apart: the state is the joints' own angles."""
