"""Stribeck–Karnopp: while the table stands still, friction equals the force applied, up to fs.

    |v| < v0:  f = clip(F, -fs, fs)        otherwise Stribeck's curve

F, everything else that acts on the mass, cannot be known from v: the caller writes it to z[0]. The twin needs no v0: it
finds the instant at which v is zero inside its step, and holds the table there until |F| exceeds fs.
"""

from typing import Annotated, Any, Literal

from hilctl.friction.stribeck import FS, Curve, rt_stribeck
from hilctl.params import note, number
from hilctl.rt.jit import jit

V0 = 5
APPLIED = 0  # the word of z that holds F


class Karnopp(Curve, kw_only=True):
    """Stribeck's curve with true sticking."""

    model: Annotated[Literal["karnopp"], note("name of the model")] = "karnopp"
    v0: Annotated[float, number(1e-9, 0.1, "m/s", "below it the law counts as stuck; the twin needs none")] = 1e-4


@jit()
def rt_karnopp(p: Any, z: Any, v: float, dt: float) -> float:
    """The law; z[0] is the caller's applied force, not changed here."""
    if abs(v) < p[V0]:
        held: float = min(max(z[APPLIED], -p[FS]), p[FS])
        return held
    return rt_stribeck(p, z, v, dt)
