"""Simulated rigs whose valves differ from what the controller knows of them, by a number; and how still they stand."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hilctl.design.tuning import tune
from hilctl.friction import MODELS, linear_models
from hilctl.law.requests import RequestKind
from hilctl.params import BadValues
from hilctl.signals import Mode
from sim.driver import record
from tests.unit.law.conftest import Table

HOUSE = Path(__file__).resolve().parents[3]
FRICTIONS = tuple(sorted(linear_models()))
STEEP = {"tanh": 1.1e-7, "breakaway": 1.1e-7}  # seconds a kilogram: substeps that their slope needs
HOLD_S, WINDOWS = 9.0, 3
SWINGS_M = 20e-6  # peak to peak: what stands still moves by less
AT_REST_M = 0.5e-3  # peak to peak, in the worst window of a rest: also what comes once only
STILL_M, FURTHER = 20e-6, 1.5  # rms of creep that is not looked at; by how much learning may make it worse
SETTING_GOING: tuple[tuple[str, dict[str, float]], ...] = (  # what makes a rig swing that does
    ("triangle", {"speed_m_s": 0.1, "amplitude_m": 0.02, "cycles": 6}),
    ("triangle", {"speed_m_s": 0.05, "amplitude_m": 0.01, "cycles": 2}),
    ("sine", {"frequency_hz": 2.0, "amplitude_m": 0.0003, "cycles": 3}),
    ("sine", {"frequency_hz": 1.0, "amplitude_m": 0.005, "cycles": 3}),
    ("sine", {"frequency_hz": 5.0, "amplitude_m": 0.001, "cycles": 5}),
    ("triangle", {"speed_m_s": 0.15, "amplitude_m": 0.02, "cycles": 2}),
)


def rig_file(folder: Path, model: str) -> str:
    """table-500 with another friction, in twin and controller."""
    path = folder / f"{model}.toml"
    if not path.exists():
        told = [f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
                for key, value in MODELS[model].typical.items()]  # fmt: skip
        text = (HOUSE / "deploy/rigs/table-500.toml").read_text()
        friction = "\n".join(("[friction]", f'model = "{model}"', *told))
        path.write_text(re.sub(r"\[friction\]\n.*?(?=\n\[)", friction + "\n", text, count=1, flags=re.DOTALL))
    return str(path)


class Valve(NamedTuple):
    """A rig that is not what its file says."""

    model: str
    changes: dict[str, Any]
    drift: float  # of the null, while it runs


def chosen(number: int) -> Valve:
    """Overlap up to 5 %, hysteresis up to 1 %, gain ±20 %, null ±2 % that drifts by ±1 %, mass 0.1 to 2 times;
    hysteresis and threshold are known within 30 %."""
    chance, model = np.random.default_rng([2026, number]), FRICTIONS[number % len(FRICTIONS)]
    machine = Table().controller.machine
    off = lambda share: chance.uniform(1 - share, 1 + share)  # noqa: E731
    overlap = 0.0 if chance.random() < 0.3 else chance.uniform(0, 0.05)
    hysteresis = 0.0 if chance.random() < 0.5 else chance.uniform(0, 0.01)
    mass = machine.m * 10 ** chance.uniform(-1, np.log10(2))
    changes = {
        "machine.m": mass, "twin.machine.m": mass * off(0.1), "twin.seed": number,
        "machine.hysteresis": hysteresis * off(0.3), "twin.valve.hysteresis": hysteresis,
        "twin.machine.dead_band": overlap,
        "machine.dead_band": max(overlap + chance.uniform(-0.006, 0.006), 0.0) if overlap else 0.0,
        "twin.machine.Qn": machine.Qn * off(0.2), "twin.valve.null_bias": chance.uniform(-0.02, 0.02),
        "twin.valve.threshold": chance.uniform(0, 1e-3),
        "twin.substep_s": min(0.9 * STEEP.get(model, 1.0) * mass, 5e-5),
        "law.feed.inverse": float(chance.integers(2)), "law.adapt.time_s": 4.0,
    }  # fmt: skip
    known = np.random.default_rng([2027, number]).uniform(0.7, 1.3)
    changes["machine.threshold"] = changes["twin.valve.threshold"] * known
    return Valve(model, changes, chance.uniform(-0.01, 0.01))


class Course(NamedTuple):
    """What a rig did."""

    swings: tuple[bool, ...]  # in each hold: whether it went on swinging
    creep_m: float  # rms error at 2 mm/s, without its mean
    swung_m: float  # most in a window of a hold
    trip: int
    ended: int
    learned: tuple[float, float, float]  # null, gain, overlap


def driven(folder: Path, valve: Valve, share: float, **changes: Any) -> Course | None:
    """Triangles, a sine, creep, and holds between; the null drifts on the way. None: it could not be armed."""
    rig = Table(rig_file(folder, valve.model), **{**valve.changes, "law.adapt.share": share, **changes})
    rig.run(0.01)
    rig.ask(RequestKind.ARM)
    if rig.run(10.0).mode[-1] != Mode.HOLD:
        return None
    twin = record(rig.driver.state).plant.valve
    null, creep_m, swings, most_m, ended = float(twin.null_bias), np.nan, [], 0.0, 0
    legs: tuple[tuple[str, dict[str, float]], ...] = (
        ("triangle", {"speed_m_s": 0.1, "amplitude_m": 0.02, "cycles": 6}),
        ("sine", {"frequency_hz": 1.0, "amplitude_m": 0.03, "cycles": 8}),
        ("triangle", {"speed_m_s": 0.002, "amplitude_m": 0.003, "cycles": 1}),
    )
    for number, (kind, parameters) in enumerate(legs, 1):
        twin.null_bias = null + valve.drift * number / len(legs)
        rows = rig.run(rig.track(kind, **parameters).duration_s)
        if number == len(legs):
            error = rows.xr_m - rig.truth[:, 0]
            creep_m = float(np.std(error))
        rig.run(2.0)
        ways = [_way_m(rig, HOLD_S / WINDOWS) for _ in range(WINDOWS)]
        most_m, ended = max(most_m, *ways), ended | int(rig.law.adapt.ended)
        swings.append(min(ways) > SWINGS_M)
        if rig.law.mode != Mode.HOLD:
            break
    law, machine = rig.law.adapt, rig.controller.machine
    return Course(tuple(swings), creep_m, most_m, rig.trip, ended,
                  (float(law.null), float(law.flow / machine.Qn), float(law.overlap)))  # fmt: skip


def set_going(folder: Path, valve: Valve, **changes: Any) -> float:
    """How far it goes on swinging, without learning, after the motion that sets it going most."""
    rig = Table(rig_file(folder, valve.model), **{**valve.changes, "law.adapt.share": 0.0, **changes})
    rig.run(0.01)
    rig.ask(RequestKind.ARM)
    if rig.run(10.0).mode[-1] != Mode.HOLD:
        return 0.0
    most_m = 0.0
    for kind, parameters in SETTING_GOING:
        rig.run(rig.track(kind, **parameters).duration_s + 2.0)
        most_m = max(most_m, min(_way_m(rig, HOLD_S / WINDOWS) for _ in range(WINDOWS)))
    return most_m


def _way_m(rig: Table, seconds: float) -> float:
    rig.run(seconds)
    return float(np.ptp(rig.truth[:, 0]))


def exactly_known(valve: Valve) -> dict[str, Any]:
    """Changes with which the controller knows what it learns, but for the null."""
    told = valve.changes
    return {"machine.Qn": told["twin.machine.Qn"], "machine.dead_band": told["twin.machine.dead_band"]}


def tuned(folder: Path, valve: Valve) -> dict[str, float] | None:
    """The gains that `hilctl tune` finds for what the rig file says; None: there are none with enough margin."""
    rig = Table(rig_file(folder, valve.model), **valve.changes)
    try:
        return tune(rig.controller, rig.friction, rig.dt_s).values
    except BadValues:
        return None


def only_with_learning(folder: Path, valve: Valve, on: Course) -> bool:
    """Whether what swings with learning does not without, with the valve of the rig file nor with its valve exactly
    known, not even once other motions have set it going."""
    known = ({}, exactly_known(valve))
    off = [one for more in known if (one := driven(folder, valve, 0.0, **more)) is not None]
    if not off or any(any(one.swings) for one in off) or on.swung_m <= FURTHER * max(one.swung_m for one in off):
        return False
    return on.swung_m > FURTHER * max(SWINGS_M, *(set_going(folder, valve, **more) for more in known))


def goes_on_swinging(folder: Path, number: int) -> tuple[str, str]:
    """What rig `number` does with learning on, and how it went: "ok"; "swings" to the end; "moves far" at rest, if only
    once; "calms down" after a rest or two; "worse" than without learning; "no gains"; "not armed".

    The gains are those of table-500, whatever the mass. A rig that swings or creeps unevenly gets its own, as its
    user would give it: `hilctl tune`. There may be none that keep their margin at that rate, and the command says so.
    """
    valve = chosen(number)
    on = driven(folder, valve, 1.0)
    if on is None:
        return "not armed", valve.model
    if on.swung_m > AT_REST_M:
        return "moves far", f"{valve.model} {on}"
    if not any(on.swings) and not on.trip and on.ended == 0 and on.creep_m < STILL_M:
        return "ok", f"{valve.model} {on}"
    own: dict[str, float] | None = {}
    if any(on.swings):
        if only_with_learning(folder, valve, on):
            return "worse", f"{valve.model} {on}"
        own = tuned(folder, valve)
        if own is None:
            return "no gains", f"{valve.model} {on}"
        on = driven(folder, valve, 1.0, **own)
        if on is None:
            return "not armed", valve.model
    off = [one for more in ({}, exactly_known(valve)) if (one := driven(folder, valve, 0.0, **own, **more)) is not None]
    told = f"{valve.model} {on}; without: {off}"
    if any(on.swings):
        return ("swings" if on.swings[-1] else "calms down"), told
    if not off:
        return "not armed", valve.model
    trips = on.trip and not any(one.trip for one in off)
    creeps = on.creep_m > FURTHER * max(one.creep_m for one in off) + SWINGS_M
    return ("worse" if trips or creeps else "ok"), told
