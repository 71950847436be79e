"""Each model with a spring, fitted to all cycles, as a [friction] table with intervals.

The sides of the bristles stay alike unless the ratio of the negative to the positive side, in a fit with both free, is
further from 1 than SURE times half of its 95 % interval. Delays and curves that are a little wrong make ratios of some
percent (four of 45 symmetric rigs on the twin), so less than SMALL does not count either.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hilctl.experiment.facts import Facts
from hilctl.identify.presliding import estimate_bristles, estimate_path
from hilctl.identify.presliding.estimate_bristles import Bristles, fit_bristles, passive_vd
from hilctl.identify.presliding.estimate_cycles import Cycles
from hilctl.identify.presliding.estimate_loop import Loop, loop_of
from hilctl.identify.presliding.estimate_path import Path, fit_path
from hilctl.identify.presliding.estimate_residuals import BLOCKS, TIMING_S, around
from hilctl.identify.presliding.estimate_ripple import ripple
from hilctl.identify.presliding.estimate_slips import ATTRACTION_N_S, Slips, refine
from hilctl.identify.presliding.judge_models import Comparison
from hilctl.identify.presliding.model_curve import Curve
from hilctl.results.quantity import Quantity, quantity
from hilctl.results.reversals import Kind

ORIGIN = "reversals"
LITTLE = 8.0  # times what the sensors' delays make of s1: damping that is not seen to be more is none
SMALL, SYSTEMATIC = 0.05, 0.04  # of a ratio; the second is added to half of its interval
SURE = 1.5  # three standard errors
_UNITS = {"s0": "N/m", "s1": "N·s/m", "k": "N/m"}

Named = Mapping[str, tuple[float, float, float]]  # value, low, high


class Taken(NamedTuple):
    """A model as a rig file holds it."""

    table: dict[str, Any]
    parameters: dict[str, Quantity]
    level: float  # of friction, as a multiple of the curve's
    sides: dict[str, Quantity]  # ratios of the negative to the positive side


class Fits(NamedTuple):
    """The models of one rig."""

    curve: Curve
    blocks: Sequence[Sequence[Loop]]
    late_s: float
    bristles: Bristles
    slips: Slips | None
    path: Path
    ratio: float  # of stiffness, as LuGre has it: a start

    @property
    def undamped(self) -> bool:
        """Whether the bristles have no damping of their own, beyond what a delay of the sensors makes."""
        _, low, high = self.bristles.intervals(self.curve, self.blocks, self.late_s)["s1"]
        return low <= 0.0 and high <= LITTLE * TIMING_S * self.bristles.s0

    def of(self, kind: Kind) -> Taken:
        """One of them."""
        if kind == "dahl":
            return self._dahl()
        return self._lugre() if kind == "lugre" or self.slips is None else self._gms(self.slips)

    def _lugre(self) -> Taken:
        own = estimate_bristles.by_side(self.bristles, self.curve)
        sides = own.sides(self.curve, self.blocks)
        fit = own if _differ(sides) else self.bristles
        known = fit.intervals(self.curve, self.blocks, self.late_s)
        s1 = max(one[0] for name, one in known.items() if name.endswith("s1"))
        vd = passive_vd(self.curve, s1, fit.s0)
        value = {name: one[0] for name, one in known.items()}
        table = {"model": "lugre", **self.curve.table(), "s0": value["s0"], "s1": value["s1"], "vd": vd}
        return Taken(_with_negative(table, value), _named(known), fit.level, _ratios(sides))

    def _gms(self, slips: Slips) -> Taken:
        own = refine(slips.data, self.curve, slips.k, slips.d, self.ratio)
        sides = own.sides(self.curve, self.blocks)
        fit = own if _differ(sides) else slips
        known = fit.intervals(self.curve, self.blocks)
        count = range(len(fit.k))
        table = {
            "model": "gms", **self.curve.table(), "C": ATTRACTION_N_S, "alpha": [float(share) for share in fit.shares],
            "k": [known[f"k.{i}"][0] for i in count],
        }  # fmt: skip
        value = {name: one[0] for name, one in known.items()}
        level = float(fit.k @ fit.d) / self.curve.fs
        return Taken(_with_negative(table, value), _named(known), level, _ratios(sides))

    def _dahl(self) -> Taken:
        own = estimate_path.by_side(self.path, self.curve)
        sides = own.sides(self.curve, self.blocks)
        fit = own if _differ(sides) else self.path
        known = fit.intervals(self.curve, self.blocks)
        value = {name: one[0] for name, one in known.items()}
        forward, backward = self.curve.sides
        table: dict[str, Any] = {"model": "dahl", "fc": forward.fs, "sigma": forward.sigma, "s0": value["s0"],
                                 "alpha": value["alpha"]}  # fmt: skip
        if self.curve.other:
            table["negative"] = {"fc": backward.fs, "sigma": backward.sigma}
        return Taken(_with_negative(table, value), _named(known), fit.settled_level, _ratios(sides))


def fits_of(found: Comparison, swings: Sequence[Cycles], facts: Facts, curve: Curve) -> Fits:
    """All of them, from where the comparison has found them, their sides alike."""
    loops = tuple(loop_of(c, facts) for c in swings)
    blocks = [[loop_of(c.part(i, BLOCKS), facts) for c in swings] for i in range(BLOCKS)]
    bristles = fit_bristles(loops, curve, found.bristles.s0)
    data, slips = bristles.data, found.slips
    path = fit_path(data, curve, found.path.s0)
    if found.flat:
        off_m = [ripple(c, loop) for c, loop in zip(swings, loops, strict=True)]
        path = estimate_path.without_ripple(path, curve, off_m)
    return Fits(
        curve, blocks, facts["sensors.acceleration.delay_s"], bristles,
        None if slips is None else refine(data, curve, slips.k, slips.d), path,
        found.bristles.ratios[0],
    )  # fmt: skip


def _differ(sides: Named) -> bool:
    return any(abs(math.log(ratio)) > max(math.log(1 + SMALL), SURE * math.log(high / ratio))
               for ratio, _, high in sides.values())  # fmt: skip


def _with_negative(table: dict[str, Any], value: Mapping[str, float]) -> dict[str, Any]:
    own = {name.removeprefix("negative."): one for name, one in value.items() if name.startswith("negative.")}
    return {**table, "negative": {**table.get("negative", {}), **own}} if own else table


def _named(known: Named) -> dict[str, Quantity]:
    def unit(name: str) -> str:
        return _UNITS.get(name.removeprefix("negative.").partition(".")[0], "")

    return {name: quantity(*of, unit(name), ORIGIN) for name, of in known.items()}


def _ratios(sides: Named) -> dict[str, Quantity]:
    def wide(value: float, _: float, high: float) -> tuple[float, float, float]:
        return around(value, math.hypot(math.log(high / value), SYSTEMATIC))

    return {name: quantity(*wide(*of), "", ORIGIN) for name, of in sides.items()}
