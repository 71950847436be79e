"""A friction model: a declaration of its parameters, and compiled functions without a state of their own.

There are three kinds; a simulation of a mass treats each differently:

    JUMPS     a function of the speed that jumps at v = 0. At rest the mass is held, up to `hold`
    SMOOTH    a continuous function of the speed
    BRISTLES  a state z in addition to the speed, stiff as a rule: `advance` solves it while v is held

p are the packed parameters, z the state; both belong to the caller, z starts at zero. A speed that is no number gives
a force that is none and leaves the state as it was: the caller answers for it.
"""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from hilctl.params import Params, leaves

PARAMETERS = 32  # words of packed parameters: room for ten elements with two numbers each, and the curve
STATES = 64  # words of state: room for a delay line

Slip = Callable[[Any, float, float], float]
Hold = Callable[[Any, float], float]
Advance = Callable[[Any, Any, float, float], None]
Force = Callable[[Any, Any, float], float]
Step = Callable[[Any, Any, float, float], float]


class Kind(IntEnum):
    """How a model behaves at rest."""

    JUMPS = 0
    SMOOTH = 1
    BRISTLES = 2


class Law(Params, kw_only=True):
    """The parameters of a friction model, and what a linear design asks of them."""

    def words(self) -> list[float]:
        """The parameters as the compiled law reads them."""
        return [float(getattr(self, leaf.path)) for leaf in leaves(type(self)) if leaf.kind == "float"]

    @property
    def viscous(self) -> float:
        """The slope of friction over speed, in N·s/m, where nothing else varies."""
        return float(getattr(self, "sigma", 0.0))

    @property
    def steepest(self) -> float:
        """The greatest slope of friction over speed, in N·s/m, where it is a continuous function of it."""
        return self.viscous

    @property
    def jump(self) -> float:
        """By how much the force turns in an instant, or nearly so, when the motion does, in N."""
        return 0.0

    @property
    def reach(self) -> float:
        """The way, in m, over which a reversal is forgotten: of pre-sliding; 0 where there is none."""
        return 0.0

    @property
    def spring(self) -> float:
        """The slope of the force over the displacement, at rest with nothing bent, in N/m."""
        return 0.0

    @property
    def damping(self) -> float:
        """The slope of the force over the speed there, in N·s/m; of directions that differ, the mean."""
        return self.viscous


class Model(NamedTuple):
    """One friction model."""

    name: str  # in the rig file
    code: int  # in settings and recordings; never renumbered
    kind: Kind
    Params: type[Law]
    summary: str
    slip: Slip  # steady sliding; direction is sgn v, or between the signs to cross zero smoothly
    hold: Hold | None = None  # JUMPS: the greatest force held at rest against a push in this direction
    advance: Advance | None = None  # BRISTLES: the state after dt at a constant speed
    force: Force | None = None  # BRISTLES: the force of a state and a speed
    law: Step | None = None  # (p, z, v, dt) -> force; made from the others where it is None
    states: int = 0  # words of z that the model uses
    typical: Mapping[str, Any] = {}  # a table of the reference rig's size, for demonstrations and tests
    rotary: bool = False  # of a joint: a torque over an angular speed, not for a cylinder
