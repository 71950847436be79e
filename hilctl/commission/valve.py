"""How much of the valve's inverse the loop stands.

An overlap takes gain out of a loop at rest, and swallows the dither. Made up for, it gives the loop that gain back, and
lets the dither through to the table. So the slowest sine is driven once more after overlap and hysteresis were applied;
where it is distorted more than before, the valve is dithered no longer, and then less of the overlap is made up for.
Where none of that leaves as little as before, what leaves least is kept.
"""

from typing import Any

from msgspec.structs import replace

from hilctl.commission.judging import WORSE
from hilctl.commission.parameters import adopt
from hilctl.commission.sines import FEW_CYCLES, measure
from hilctl.commission.work import Work
from hilctl.experiment.drive import LegFault
from hilctl.results.plant import PlantEvidence

OF_THE_VALVE = ("machine.overlap_a", "machine.overlap_b", "machine.hysteresis", "machine.threshold")
SHARE, DITHER = "law.valve.inverse", "law.valve.dither"
PARTS = (0.5, 0.0)  # of the active share


def lessened(work: Work) -> None:
    """Makes up for less of the valve where all of it leaves more distortion than none, and says so."""
    sizes = [size for size in work.sizes if (one := work.result.thd.get(size.key)) and one.before is not None]
    active = work.rig.get(SHARE, DITHER)
    if not sizes or not active[SHARE] or not any(work.changes().get(key, 0.0) > 0.0 for key in OF_THE_VALVE):
        return
    slowest = min(sizes, key=lambda size: size.frequency_hz)
    before = float(work.result.thd[slowest.key].before or 0.0)
    fit = work.result.plant_fit
    assert fit is not None  # changes() are its own
    without = {} if active[DITHER] == 0.0 else {DITHER: 0.0}
    less = [without, *({**without, SHARE: part * active[SHARE]} for part in PARTS)]
    tried: list[tuple[float, dict[str, float]]] = []
    for changes in ({}, *filter(None, less)):
        if changes:
            _set(work, fit, active, changes)
        work.notes.say(f"plant: the valve's inverse, {slowest.key} Hz", 1.0)
        try:
            percent = measure(work.rig, slowest, FEW_CYCLES).distortion.percent
        except LegFault as fault:
            if work.rig.status()["trip"]:
                raise
            if changes:
                _set(work, fit, active, {})
            work.notes.warn(f"whether the loop stands the valve's inverse is not known, and it stays: {fault}")
            return
        tried.append((percent, changes))
        if percent <= WORSE * before:
            break
    least, changed = tried[-1]
    if least > WORSE * before:
        best = min(percent for percent, _ in tried)
        least, changed = next(one for one in tried if one[0] <= WORSE * best)
    if changed != tried[-1][1]:
        _set(work, fit, active, changed)
    if least > WORSE * before or changed:
        _say(work, f"the sine of {slowest.key} Hz was distorted more than before, {tried[0][0]:.3g} % against "
                   f"{before:.3g} %", changed, least, before)  # fmt: skip


def _say(work: Work, what: str, changed: dict[str, float], least: float, before: float) -> None:
    now = " and ".join(f"{key} is now {value:g}" for key, value in changed.items()) or "making up for less is no better"
    still = f", which leaves {least:.3g} %" if changed and least > WORSE * before else ""
    lower = SHARE in changed or not changed
    more = " A higher loop.rate_hz, or lower gains (`hilctl tune`), may leave room for more" if lower else ""
    work.notes.warn(f"with overlap and hysteresis made up for, {what}; {now}{still}.{more}")


def _set(work: Work, fit: PlantEvidence, active: dict[str, Any], changes: dict[str, float]) -> None:
    """These, and nothing else of what was tried."""
    work.result.plant_fit = replace(fit, changes={**fit.changes, **changes})
    adopt(work.rig, {**active, **changes}, f"{work.origin}, plant")
