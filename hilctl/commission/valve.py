"""How much of the valve's inverse the loop stands.

An overlap takes gain out of a loop at rest, and swallows the dither. Made up for, it gives the loop that gain back, and
lets the dither through to the table. So the slowest sine is driven once more after overlap and hysteresis were applied;
where it is distorted more than before, the valve is dithered no longer, and then less of the overlap is made up for.
"""

from msgspec.structs import replace

from hilctl.commission.judging import WORSE
from hilctl.commission.parameters import adopt
from hilctl.commission.sines import FEW_CYCLES, measure
from hilctl.commission.work import Work
from hilctl.experiment.drive import LegFault

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
    without = {} if active[DITHER] == 0.0 else {DITHER: 0.0}
    less = [without, *({**without, SHARE: part * active[SHARE]} for part in PARTS)]
    first, changed = 0.0, {}
    for changes in ({}, *filter(None, less)):
        if changes:
            _set(work, changes)
        work.notes.say(f"plant: the valve's inverse, {slowest.key} Hz", 1.0)
        try:
            percent = measure(work.rig, slowest, FEW_CYCLES).distortion.percent
        except LegFault as fault:
            if work.rig.status()["trip"]:
                raise
            work.notes.warn(f"whether the loop stands the valve's inverse is not known, and it stays: {fault}")
            return
        first, changed = first or percent, changes
        if percent <= WORSE * before:
            break
    if changed:
        now = " and ".join(f"{key} is now {value:g}" for key, value in changed.items())
        lower = SHARE in changed
        more = " A higher loop.rate_hz, or lower gains (`hilctl tune`), may leave room for more" if lower else ""
        work.notes.warn(
            f"with overlap and hysteresis made up for, the sine of {slowest.key} Hz was distorted more than before, "
            f"{first:.3g} % against {before:.3g} %; {now}.{more}"
        )


def _set(work: Work, changes: dict[str, float]) -> None:
    fit = work.result.plant_fit
    assert fit is not None  # changes() are its own
    work.result.plant_fit = replace(fit, changes={**fit.changes, **changes})
    adopt(work.rig, changes, f"{work.origin}, plant")
