"""How much of the valve's inverse the loop stands.

An overlap takes gain out of a loop at rest. Made up for, it gives that gain back, and a loop that runs slowly, or whose
commands act late, may then hunt about null. So the slowest sine is driven once more after overlap and hysteresis were
applied; where it is distorted more than before, less of them is made up for.
"""

from msgspec.structs import replace

from hilctl.commission.judging import WORSE
from hilctl.commission.parameters import adopt
from hilctl.commission.sines import FEW_CYCLES, measure
from hilctl.commission.work import Work
from hilctl.experiment.drive import LegFault

OF_THE_VALVE = ("machine.overlap_a", "machine.overlap_b", "machine.hysteresis", "machine.threshold")
SHARE = "law.valve.inverse"
PARTS = (1.0, 0.5, 0.0)  # of the active share


def lessened(work: Work) -> None:
    """Makes up for less of the valve where all of it leaves more distortion than none, and says so."""
    sizes = [size for size in work.sizes if (one := work.result.thd.get(size.key)) and one.before is not None]
    if not sizes or not any(work.changes().get(key, 0.0) > 0.0 for key in OF_THE_VALVE):
        return
    slowest, active = min(sizes, key=lambda size: size.frequency_hz), float(work.rig.get(SHARE)[SHARE])
    before = float(work.result.thd[slowest.key].before or 0.0)
    seen: list[float] = []
    for part in PARTS if active > 0.0 else ():
        if part < 1.0:
            _set(work, part * active)
        work.notes.say(f"plant: the valve's inverse, {slowest.key} Hz", 1.0)
        try:
            seen.append(measure(work.rig, slowest, FEW_CYCLES).distortion.percent)
        except LegFault as fault:
            if work.rig.status()["trip"]:
                raise
            work.notes.warn(f"whether the loop stands the valve's inverse is not known, and {SHARE} stays: {fault}")
            return
        if seen[-1] <= WORSE * before:
            break
    if len(seen) > 1:
        work.notes.warn(
            f"with overlap and hysteresis made up for, the sine of {slowest.key} Hz was distorted more than before, "
            f"{seen[0]:.3g} % against {before:.3g} %: the loop hunts about null; {SHARE} is now {part * active:g}. A "
            "higher loop.rate_hz, or lower gains (`hilctl tune`), leave room for more"
        )


def _set(work: Work, share: float) -> None:
    fit = work.result.plant_fit
    assert fit is not None  # changes() are its own
    work.result.plant_fit = replace(fit, changes={**fit.changes, SHARE: share})
    adopt(work.rig, {SHARE: share}, f"{work.origin}, plant")
