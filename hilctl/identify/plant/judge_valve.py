"""What is reported of the valve's imperfections, overlap, play, null, threshold and rounded edges, and what of it the
controller takes.

The inverse of an overlap or of a play acts however small it is: it jumps, and it dithers. So what might as well be none
is set to none. Of a threshold the controller takes that there is one, for the dither. How far the edges are rounded
only softens the inverse of their overlap: it is set wherever it is surely more than none.
"""

import math
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from hilctl.experiment.scales import SURE
from hilctl.identify.plant.estimate_flow import Fitted
from hilctl.identify.plant.model_flow import declared_overlaps, sides
from hilctl.results.quantity import Quantity, quantity

OVERLAPS, HYSTERESIS, NULL = ("machine.overlap_a", "machine.overlap_b"), "machine.hysteresis", "null"
THRESHOLD, ROUNDING = "machine.threshold", "machine.edge_rounding"
WIDEST = {**dict.fromkeys(OVERLAPS, 0.002), HYSTERESIS: 0.001, NULL: 0.001}  # half of an interval that still is applied
_OR_SHARE = {HYSTERESIS: 0.25}  # of the value: most of a large one is better made up for than nothing of it
SAYS = {THRESHOLD: 1e-3, ROUNDING: 2e-3}  # likewise, of what the controller needs less
# What may be so little is set to none.
NONE = {**dict.fromkeys(OVERLAPS, 0.001), HYSTERESIS: 2.5e-4, THRESHOLD: 3e-4, ROUNDING: 0.0}
# Standard deviations of what else a valve does, on twins, 2026-11.
_ELSE = {"dead_band": 4e-5, "play": 1e-4, "null": 5e-5, "rounding": 4e-4, "threshold": 1.5e-4}
_BESIDE_PLAY = 0.15  # of the hysteresis, by which a threshold may be off: both hold the spool back
SET_AS = {NULL: "law.valve.null_bias"}  # where the rig file's key is another
_WHY = "flow of the valve against pressures and motion, sines and chirps"


def valve_told(fitted: Fitted, facts: Mapping[str, Any]) -> dict[str, Quantity]:
    """By key."""
    declared = declared_overlaps(facts)
    both = sides(fitted.value["dead_band"], facts)
    return {
        **{key: _one(key, fitted, "dead_band", value, before, least=0.0)
           for key, value, before in zip(OVERLAPS, both, declared, strict=True)},
        HYSTERESIS: _one(HYSTERESIS, fitted, "play", 2 * fitted.value["play"], facts[HYSTERESIS], 2.0, least=0.0),
        NULL: _one(NULL, fitted, "null", -fitted.value["null"], facts[SET_AS[NULL]]),
        **_beside(fitted, facts),
    }  # fmt: skip


def _beside(fitted: Fitted, facts: Mapping[str, Any]) -> dict[str, Quantity]:
    """Threshold and rounded edges. Without overlap a rounded edge passes as one that leaks."""
    threshold = _one(THRESHOLD, fitted, "threshold", fitted.value["threshold"], facts.get(THRESHOLD), least=0.0,
                     more=_BESIDE_PLAY * 2 * fitted.value["play"])  # fmt: skip
    rounding = _one(ROUNDING, fitted, "rounding", fitted.value["rounding"], facts.get(ROUNDING), least=0.0)
    covered = fitted.value["dead_band"] - SURE * fitted.sd["dead_band"] > NONE[OVERLAPS[0]]
    return {THRESHOLD: threshold, ROUNDING: rounding if covered else replace(rounding, origin="not identifiable")}


def _one(
    key: str, fitted: Fitted, word: str, value: float, before: float | None, scale: float = 1.0,
    least: float = -math.inf, more: float = 0.0,
) -> Quantity:  # fmt: skip
    reach = scale * SURE * math.hypot(fitted.sd[word], _ELSE.get(word, 0.0), more)
    beyond = fitted.at_bound[word] > 0 or (word == "null" and fitted.at_bound[word] != 0)
    widest = max((WIDEST | SAYS)[key], _OR_SHARE.get(key, 0.0) * value)
    known = math.isfinite(reach) and reach <= widest and not beyond
    return quantity(value, max(value - reach, least), value + reach, "", _WHY, identified=known, before=before)


def valve_changes(quantities: Mapping[str, Quantity]) -> dict[str, float]:
    """What to set in the rig, by its keys."""
    found = {key: _set_to(key, quantities[key]) for key in (*WIDEST, *SAYS) if quantities[key].identified}
    if not found.keys() >= set(OVERLAPS):  # one side alone would move the null
        found = {key: value for key, value in found.items() if key not in OVERLAPS}
    changed = {key: value for key, value in found.items() if value or quantities[key].before}
    if not set(OVERLAPS).isdisjoint(changed):
        changed = {"machine.dead_band": 0.0, **{key: found[key] for key in OVERLAPS}, **changed}
    return {SET_AS.get(key, key): value for key, value in changed.items()}


def _set_to(key: str, q: Quantity) -> float:
    return 0.0 if q.value is None or q.bounds[0] <= NONE.get(key, -math.inf) else q.value


def valve_notes(quantities: Mapping[str, Quantity]) -> tuple[str, ...]:
    """What these numbers are relative to, and what is not set as it was found."""
    up, down = (quantities[key] for key in OVERLAPS)
    notes = [
        f"{key} = {q.value:.2g} may be as little as none: it is set to 0" for key, q in quantities.items()
        if key in NONE and q.identified and q.value and _set_to(key, q) == 0.0
    ]  # fmt: skip
    if _set_to(OVERLAPS[0], up) or _set_to(OVERLAPS[1], down):
        apart = (up.before or 0.0) - (down.before or 0.0)
        notes.append(
            f"the overlap's sides differ by {apart:g} as the rig file says: from flow only both edges show, which are "
            "the overlap's mean and the null"
        )
    notes.append("law.valve.null_bias is where the next arming that proves the valve begins; until then the null that "
                 "arming found stays active")  # fmt: skip
    return tuple(notes)


def slew_note(asked_per_s: float, facts: Mapping[str, Any]) -> str:
    """Why the spool's greatest speed is not identified: motions within the limits of a rig do not ask for it."""
    declared = float(facts["machine.slew_per_s"])
    if asked_per_s > declared:
        return (f"these motions ask the valve for {asked_per_s:.2g} openings/s, more than machine.slew_per_s = "
                f"{declared:g}: check it against the valve's data sheet")  # fmt: skip
    return (f"machine.slew_per_s = {declared:g} stays as the rig file says: these motions ask the valve for at most "
            f"{asked_per_s:.2g} openings/s, and a limit above that does not show")  # fmt: skip
