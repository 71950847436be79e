"""The friction models that are tried on the rig, and the trial: the distortion of a sine under each.

The identification says which model the rig follows. Where it is not certain, or where the model gains little, the
others that it does not rule out are tried too: a wrong model can make the acceleration worse than no compensation, and
only the rig shows it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.commission.parameters import INVERSE, PREVIEW, adopt, friction_values
from hilctl.commission.sines import FEW_CYCLES, Measured, Size, measure

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.results.friction import SlidingFit
    from hilctl.results.reversals import Reversals

LITTLE = 3.0  # times less distortion: below it, another model is tried too
_SETTLE_S = 0.5  # beyond the blend


class Candidate(NamedTuple):
    """A friction model to try."""

    name: str
    table: Mapping[str, Any]  # [friction]
    why: str


class Trial(NamedTuple):
    """The distortion under a model."""

    candidate: Candidate
    percent: float  # distortion of the sine
    extra_preview_s: float
    epoch: int
    gains: Mapping[str, float]  # of the controller, those that had to change with it
    left_out: float = 0.0  # share of the cycles that a disturbance spoilt


def candidates_of(fit: "SlidingFit", found: "Reversals | None") -> list[Candidate]:
    """The most likely first; the others are for the case that it gains too little."""
    static = Candidate(fit.law, fit.table, "the sliding curve alone")
    if found is None:
        return [static]
    if found.kind == "static":
        return [static._replace(why=found.why)]
    own = Candidate(found.kind, found.friction, found.why)
    others = [
        Candidate(one.kind, one.friction, f"a probability of {100 * one.probability:.2g} %")
        for one in found.alternatives if one.kind != "static"
    ]  # fmt: skip
    return [own, *others, static]


def try_law(
    rig: "Client", law: Candidate, values: Mapping[str, Any], size: Size, origin: str, left_out: float = 0.0
) -> Trial:
    """Applies a friction model and the machine's numbers as one set, switches the inverse model on, and measures."""
    switch(rig, 0.0, origin)
    epoch, gains = adopt(rig, {**values, **friction_values(law.table)}, origin)
    switch(rig, 1.0, origin)
    made = distortion(rig, size, left_out)
    return Trial(law, made.distortion.percent, float(rig.get(PREVIEW)[PREVIEW]), epoch, gains, made.left_out)


def switch(rig: "Client", share: float, origin: str) -> None:
    """Blends the inverse model in or out."""
    if rig.get(INVERSE)[INVERSE] == share:
        return
    rig.set({INVERSE: share}, origin=origin)
    rig.pass_time(float(rig.get("law.blend_s")["law.blend_s"]) + _SETTLE_S)


def distortion(rig: "Client", size: Size, left_out: float = 0.0) -> Measured:
    """Over few cycles: enough to compare models."""
    return measure(rig, size, FEW_CYCLES, left_out)
