"""The machine from driven motions, as far as they can be right: the parameters that the inverse model needs.

    with Client(...) as rig:
        rig.arm()
        fit = identify_plant(rig)
        rig.set(fit.changes(), origin="identification")
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hilctl.experiment import accelerometer, course
from hilctl.experiment.acted import with_acted
from hilctl.experiment.drive import Driven, LegFault, over, stored, usable
from hilctl.experiment.facts import Facts, read_facts
from hilctl.experiment.noise import with_noise
from hilctl.experiment.policy import EQUATION, wider
from hilctl.experiment.scales import SURE
from hilctl.experiment.sensors import SENSED
from hilctl.identify.plant.estimate_flow import fit_flow, words_of
from hilctl.identify.plant.estimate_mass import weigh
from hilctl.identify.plant.estimate_swallowed import swallowed_m_s
from hilctl.identify.plant.judge_told import PlantFit, told
from hilctl.identify.plant.judge_valve import slew_note
from hilctl.identify.plant.model_flow import Lines, lines_of, spool
from hilctl.identify.plant.model_motion import compare, of_steps
from hilctl.identify.plant.model_signals import PRESSURES_HZ, Reals, Shown, shown
from hilctl.identify.plant.plan import SEEN_SHARE, Swallowed, last_hz, legs_of, measure, oldest_s, swallows, wrong

if TYPE_CHECKING:
    from hilctl.client import Client

WORK = "identification of the plant"
LEAST_CORRELATION, SLIDING = 0.5, 0.2  # of force and acceleration; from this share of the greatest speed on
LEAST_EXPLAINED = 80.0  # % of the flow
NOTED = 1e-3  # of the scale: less does not show in an interval
_STILL_S = 0.2  # of the rest behind each motion
_VALVE_ALONE = (
    "only the valve's flow gain, overlap, hysteresis and null are identified; mass, oil, leakage, the valve's speed "
    "and the delays stay as the rig file says"
)


def identify_plant(rig: "Client", tell: Callable[[str, float], None] = lambda name, share: None) -> PlantFit:
    """Drives the motions and fits. The rig must hold; no parameter is changed."""
    facts = read_facts(rig)
    try:
        return fit_plant(measure(rig, facts, tell), facts)
    except Swallowed as fault:
        return _without_fast(fault.slow, facts, str(fault))


def fit_stored(folder: Path) -> PlantFit:
    """From the motions that a folder holds, without the rig."""
    begun, legs = course.opened(folder, WORK), folder / course.LEGS
    slow, *fast = stored(legs, begun.rate_hz, 1)
    first, *more = legs_of(begun.facts)
    if PRESSURES_HZ not in slow.about and slow.name == first.name and len(fast) < len(more):
        speed_m_s = swallowed_m_s(slow.record, begun.facts)
        if swallows(speed_m_s, begun.facts):
            fault = LegFault(f"{len(more) - len(fast)} of the fast motions are not there")
            return _without_fast(slow, begun.facts, str(Swallowed(fault, slow, speed_m_s)))
    return fit_plant(stored(legs, begun.rate_hz, 1 if PRESSURES_HZ in slow.about else 1 + len(more)), begun.facts)


def _without_fast(slow: Driven, facts: Facts, why: str) -> PlantFit:
    """From the slow sine alone, where the valve swallows the fast motions."""
    fit = fit_plant([slow], facts, alone=True)
    return fit._replace(fast_left_out=why, notes=(*fit.notes, f"{why}: {_VALVE_ALONE}. Set these, and identify again"))


def fit_plant(driven: Sequence[Driven], facts: Facts, *, alone: bool = False) -> PlantFit:
    """The machine from motions; the valve `alone` from a slow sine. LegFault where they cannot be right."""
    for one in driven:
        problem = wrong(one.record, facts) if usable(one.losses, EQUATION) else over(one.losses, EQUATION)
        if problem:
            raise LegFault(f"{one.name}: {problem}")
    still = {c: [d.record.readings(c)[-round(_STILL_S * d.record.rate_hz) :] for d in driven] for c in SENSED}
    values, remarks = with_noise(facts.values, still)
    records = [shown(one._replace(record=with_acted(one.record, values))) for one in driven]
    meter = compare(records, values)
    problem = accelerometer.wrong(meter.gain)
    if problem:
        raise LegFault(problem)
    steps = of_steps(values, facts.mode_rad_s, facts.dt_s)
    meter = meter._replace(gain_sd=math.hypot(meter.gain_sd, meter.gain * steps))
    lines = [lines_of(record, meter, values, facts.mode_rad_s) for record in records]
    alone = alone or math.isfinite(records[0].pressures_hz)
    _check_signs(lines, values, alone)
    # Where what is faster than pressures are read is left out, readings that are held take nothing away.
    lost_ticks = sum((d.losses.share if alone else d.losses.stale) * d.losses.ticks for d in driven)
    share = lost_ticks / sum(d.losses.ticks for d in driven)
    fitted = fit_flow(lines, values, facts.mode_rad_s, words_of(values, alone)).wider(wider(share))
    if min(fitted.explained) < LEAST_EXPLAINED:
        worst = int(np.argmin(fitted.explained))
        raise LegFault(
            f"{driven[worst].name}: command, pressures and motion do not fit one valve and cylinder: the best "
            f"parameters explain {fitted.explained[worst]:.0f} % of the flow, less than {LEAST_EXPLAINED:g} %; "
            "check machine.A and machine.Vt, the pressure sensors' scales, that the oil holds no free air, and the "
            "valve's amplifier"
        )
    found = told(records, fitted, meter, None if alone else weigh(lines, fitted.value["tau"], values), values)
    again = [f"{one.name}: driven again: {text}" for one in driven for text in one.again]
    lost = [f"{one.name}: {one.losses.text}" for one in driven if one.losses.text]
    held = [driven[0].losses.held_text] if driven[0].losses.held and not alone else []  # of a slow sine: `_seldom`
    asked = max(float(np.abs(np.diff(spool(one, fitted.value))).max()) / one.grid.dt_s for one in lines)
    seldom = _seldom(records[0], facts) if math.isfinite(records[0].pressures_hz) else ""
    slow_loop = _slow_loop(steps, facts.rate_hz) if steps > NOTED else ""
    notes = [note for note in (seldom, slow_loop, "" if alone else slew_note(asked, values)) if note]
    return found._replace(notes=(*found.notes, *notes, *remarks), losses=(*again, *lost, *held))


def _seldom(slow: Shown, facts: Facts) -> str:
    """What pressures that are read seldom leave open."""
    return (
        f"pressures are up to {1e3 * SEEN_SHARE / slow.pressures_hz:.0f} ms old when they are used: {_VALVE_ALONE}, "
        f"for motions up to {last_hz(facts):.0f} Hz need pressures at most "
        f"{1e3 * oldest_s(facts):.1f} ms old (driver.reading, every)"
    )


def _slow_loop(steps: float, rate_hz: float) -> str:
    """What the steps of the command leave open."""
    return (
        f"at {rate_hz:g} Hz the steps of the command show in acceleration and pressures, and not in displacement: the "
        f"intervals of m and of the accelerometer's gain allow {100 * SURE * steps:.2g} % for that; a faster loop "
        "(loop.rate_hz) narrows them"
    )


def _check_signs(lines: Sequence[Lines], values: Mapping[str, Any], alone: bool) -> None:
    """LegFault where pressures or command have the wrong sign."""
    slow, shaken = lines[0], lines[-1]
    start = dict.fromkeys(("null", "delay", "play", "threshold"), 0.0) | {
        "wv": values["machine.wv"], "zv": values["machine.zv"],
    }  # fmt: skip
    if _cosine(spool(slow, start), slow.v) < -LEAST_CORRELATION:
        raise LegFault(
            "the table moves against the command: the valve's polarity is wrong, or displacement's and the "
            "accelerometer's signs both are; check the valve's wiring and sensors.displacement.gain"
        )
    if alone:
        return  # friction is most of the load in a slow sine
    follows = pushed(shaken.load, shaken.v, shaken.a)
    if follows < -LEAST_CORRELATION:
        raise LegFault(
            "the load pressure opposes the acceleration: the pressure pair is swapped; check that "
            "sensors.pressure_a sits in the chamber that a positive command fills, and sensors.pressure_b in the other"
        )
    if follows < LEAST_CORRELATION:
        raise LegFault(
            f"the load pressure does not follow the acceleration (correlation {follows:.2f}); check that both "
            "pressure sensors are connected to the cylinder's chambers, and their scales (sensors.pressure_a, _b)"
        )


def pushed(load: Reals, v: Reals, a: Reals) -> float:
    """How far the load pressure follows the acceleration while the table slides, friction on either side taken off."""
    sliding = np.abs(v) > SLIDING * np.abs(v).max()
    load, v, a = load[sliding], v[sliding], a[sliding]
    friction = np.linalg.qr(np.stack([np.ones(len(v)), np.sign(v), v], axis=1)).Q
    return _cosine(load - friction @ (friction.T @ load), a - friction @ (friction.T @ a))


def _cosine(one: Reals, other: Reals) -> float:
    one, other = one - np.mean(one), other - np.mean(other)
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / size if size > 0 else 0.0
