"""A rig that closes its own displacement loop: the command is its reference, not an opening.

    command = x / reach_m

x is the reference of now while the table is held or moves. Before the rig is enabled it is where the table stands, so
that switching on moves nothing; the bumps of arming go from there. To null, such a rig is brought by its reference: it
decelerates to rest, and only then is the rig switched off. A command of zero would be a place, and not rest.
"""

from typing import Annotated, Any

from hilctl.params import Params, number
from hilctl.rt.jit import jit


class OwnLoop(Params):
    """A rig that closes its own displacement loop (law.feedback = "rig")."""

    reach_m: Annotated[float, number(1e-4, 10, "m", "displacement that a command of 1 asks for")] = 0.1


@jit()
def rt_own_command(c: Any, closed: bool, reference_m: float, bump: float, arm: Any) -> float:
    """The command for this reference; while arming, for where the table stood, and the bump."""
    return float(reference_m / c.reach_m) if closed else float(arm.null + bump)


@jit()
def rt_own_null(c: Any, enabled: int, position_m: float, arm: Any) -> None:
    """The command that moves nothing, while the rig is not enabled."""
    if enabled == 0:
        arm.null = min(max(position_m / c.reach_m, -1.0), 1.0)
