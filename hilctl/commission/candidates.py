"""The friction models that are tried on the rig, and the trial: the distortion of the sines under each.

The identification says which model the rig follows. Where it is not certain, or where the model gains little, the
others that it does not rule out are tried too: a wrong model can make the acceleration worse than no compensation, and
only the rig shows it. Then the distortion of all sines counts, as a geometric mean: a model that is right at one
frequency can be wrong at another.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.commission.parameters import INVERSE, PREVIEW, adopt, friction_values
from hilctl.commission.sines import FEW_CYCLES, Size, measure
from hilctl.experiment.drive import LegFault

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.results.friction import SlidingFit
    from hilctl.results.reversals import Reversals

LITTLE = 3.0  # times less distortion: below it, another model is tried too
_SETTLE_S = 0.5  # beyond the blend
_NONE = 1e-6  # %: as good as none


class Candidate(NamedTuple):
    """A friction model to try."""

    name: str
    table: Mapping[str, Any]  # [friction]
    why: str


class Trial(NamedTuple):
    """The distortion under a model."""

    candidate: Candidate
    by_hz: Mapping[str, float]  # distortion of each sine in %, by its key
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
    rig: "Client", law: Candidate, values: Mapping[str, Any], sizes: Sequence[Size], origin: str, left_out: float = 0.0
) -> Trial:
    """Applies a friction model and the machine's numbers as one set, switches the inverse model on, and measures."""
    switch(rig, 0.0, origin)
    epoch, gains = adopt(rig, {**values, **friction_values(law.table)}, origin)
    switch(rig, 1.0, origin)
    by_hz, lost = distortion(rig, sizes, left_out)
    return Trial(law, by_hz, float(rig.get(PREVIEW)[PREVIEW]), epoch, gains, lost)


def switch(rig: "Client", share: float, origin: str) -> None:
    """Blends the inverse model in or out."""
    if rig.get(INVERSE)[INVERSE] == share:
        return
    rig.set({INVERSE: share}, origin=origin)
    rig.pass_time(float(rig.get("law.blend_s")["law.blend_s"]) + _SETTLE_S)


def distortion(rig: "Client", sizes: Sequence[Size], left_out: float = 0.0) -> tuple[dict[str, float], float]:
    """Of each sine, over few cycles: enough to compare models; and the share of the cycles that was lost. The first
    must be measured: what else cannot be does not count."""
    found: dict[str, float] = {}
    for size in sizes:
        try:
            made = measure(rig, size, FEW_CYCLES, left_out)
        except LegFault:
            if size is sizes[0]:
                raise
            continue
        found[size.key], left_out = made.distortion.percent, made.left_out
    return found, left_out


class Compared(NamedTuple):
    """How many times less distortion there is, as a geometric mean over the sines that all of them have."""

    factors: list[float]  # under each model
    machine: float | None  # with the machine alone, if that was measured

    @property
    def best(self) -> int:
        """Which model has the least; -1: none helps."""
        most = max(self.factors, default=0.0)
        return self.factors.index(most) if most > max(1.0, self.machine or 0.0) else -1


def compare(before: Mapping[str, float], machine: Mapping[str, float] | None, trials: Sequence[Trial]) -> Compared:
    """What models, and the machine alone, leave of the distortion before."""
    tried = [t.by_hz for t in trials] + ([machine] if machine else [])
    keys = [key for key in before if all(key in one for one in tried)]
    logarithms = [[math.log(max(before[key], _NONE) / max(one[key], _NONE)) for key in keys] for one in tried]
    factors = [math.exp(math.fsum(one) / len(one)) for one in logarithms]
    return Compared(factors[: len(trials)], factors[-1] if machine else None)
