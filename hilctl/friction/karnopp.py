"""Stribeck–Karnopp: while the table stands still, friction equals the force applied, up to fs.

    |v| < v0:  f = clip(F, -fs, fs)        otherwise Stribeck's curve

F, everything else that acts on the mass, cannot be known from v: the caller writes it to z[0]. The twin needs no v0: it
finds the instant at which v is zero inside its step, and holds the table there until |F| exceeds fs.
"""

import math
from typing import Annotated, Any, Literal

from hilctl.friction.model import Kind, Model
from hilctl.friction.stribeck import TYPICAL, WIDTH, TwoCurves, rt_hold, rt_slip
from hilctl.params import note, number
from hilctl.rt.jit import jit

V0 = 2 * WIDTH
APPLIED = 0  # the word of z that holds F


class Karnopp(TwoCurves, kw_only=True):
    """Stribeck's curve with true sticking."""

    model: Annotated[Literal["karnopp"], note("name of the model")] = "karnopp"
    v0: Annotated[float, number(1e-9, 0.1, "m/s", "below it the mass counts as stuck; the twin needs none")] = 1e-4

    def words(self) -> list[float]:
        """Both directions, and the zone."""
        return [*super().words(), self.v0]


@jit()
def rt_karnopp(p: Any, z: Any, v: float, dt: float) -> float:
    """The law; z[0] is the caller's applied force, not changed here."""
    if abs(v) < p[V0]:
        held: float = min(max(z[APPLIED], -rt_hold(p, -1.0)), rt_hold(p, 1.0))
        return held
    return rt_slip(p, math.copysign(1.0, v), v)


MODELS = (
    Model(
        "karnopp", 1, Kind.JUMPS, Karnopp, "Stribeck's curve, held at rest against the applied force",
        rt_slip, hold=rt_hold, law=rt_karnopp, states=1, typical=TYPICAL,
    ),
)  # fmt: skip
