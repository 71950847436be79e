"""What each figure of a commissioning shows, as one sentence of its numbers."""

import numpy as np

from hilctl.report.found import machine_of
from hilctl.report.numbers import percent, plain
from hilctl.report.sections.first import lowered, proved, tracked
from hilctl.report.sections.summary import after, left
from hilctl.report.series import by_frequency, row
from hilctl.report.words import called
from hilctl.results.commissioned import Commissioned
from hilctl.results.friction import SlidingFit
from hilctl.results.proof import Preview
from hilctl.results.reversals import Reversals


def friction(fit: SlidingFit | None) -> str:
    """Of the points and the curve through them."""
    if fit is None:
        return "Friction depends on the speed as these points say; no friction model was fitted."
    share = f" and explains {percent(fit.fit_percent)} of them" if fit.fit_percent is not None else ""
    return f"{called(fit.law)} describes the points{share}."


def laws(fit: SlidingFit) -> str:
    """Of the evidence against each model."""
    others = sorted((one.above_best, one.law) for one in fit.laws if one.law != fit.law and one.above_best is not None)
    against = f"; against the next, {called(others[0][1])}, stands a BIC of {plain(others[0][0], 2)}" if others else ""
    return f"{called(fit.law)} is taken{against}."


def turn(found: Reversals) -> str:
    """Of friction at a reversal."""
    if found.kind == "static":
        return f"Friction jumps when the motion reverses{'' if found.certain else ', but the data leave it open'}."
    if found.choice == "undecided":
        odds = found.probabilities.get(found.kind)
        sure = f", with a probability of {percent(100 * odds)}" if odds is not None else ""
        return f"Friction bends before it slides; most likely as {called(found.kind)} says{sure}: undecided."
    moved = found.evidence.travel_m
    over = f" over {plain(1e6 * moved, 3)} µm" if found.certain and moved is not None and moved > 0 else ""
    unsure = "" if found.certain else ", but the data leave it open"
    return f"Friction turns{over} as {called(found.kind)} says{unsure}."


def convergence(fit: SlidingFit) -> str:
    """Of the search's runs."""
    reached = min((one.reached for one in fit.searches), default=0.0)
    return f"{percent(100 * reached)} of the runs reach the least sum of squares."


def changes(result: Commissioned) -> str:
    """Of the machine against the rig file."""
    known = [q for q in machine_of(result).values() if q.identified and q.before is not None and q.value is not None]
    away = [q for q in known if not q.bounds[0] <= (q.before or 0.0) <= q.bounds[1]]
    which = f"{len(away)} of {len(known)} parameters of machine and sensors"
    return f"{which} differ from the rig file by more than their interval."


def preview(found: Preview) -> str:
    """Of the search for the shift."""
    shift = f"{plain(1e3 * found.extra_preview_s, 3)} ms"
    return f"The distortion is least, {percent(found.percent)}, at a shift of {shift}."


def acceleration(result: Commissioned) -> str:
    """Of the sines before and after."""
    found = proved(result)
    if not found:
        return "No sine was driven both before and after."
    lower = sum(lowered(one) for _, one in found)
    frequency, one = max(found, key=lambda each: (each[1].before or 0.0) - (each[1].after or 0.0))
    change = f"{left(one.before, one.resolution_before)} before and {after(one)} after"
    return f"{lower} of {len(found)} sines are distorted less; at {frequency:g} Hz it is {change}."


def harmonics(result: Commissioned) -> str:
    """Of the strongest line."""
    for frequency, sine in by_frequency(result.sines):
        before, now = (row(cycle.harmonics_percent if cycle else None) for cycle in (sine.before, sine.after))
        if np.any(np.isfinite(before)):
            at = int(np.nanargmax(before))
            rest = f", {percent(float(now[at]))} after" if len(now) > at else ""
            return f"At {frequency:g} Hz harmonic {at + 2} is the strongest: {percent(float(before[at]))} before{rest}."
    return "Harmonics were measured with compensation only."


def tracking(result: Commissioned) -> str:
    """Of the errors before and after."""
    found = list(tracked(result))
    less = sum(now < before for _, before, now in found)
    return f"The tracking error of {less} of {len(found)} motions is smaller after."


def learning(result: Commissioned) -> str:
    """Of the learned drives."""
    said = []
    for frequency, one in by_frequency(result.learning):
        least = min(repeat.percent for repeat in one.repeats)
        said.append(f"from {percent(one.repeats[0].percent)} to {percent(least)} at {frequency:g} Hz")
    return f"The distortion falls {', '.join(said)}."
