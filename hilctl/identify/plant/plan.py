"""The motions: a slow and a fast sine, and a chirp up and down again through the hydraulic mode.

- The slow sine is large: much flow, volumes that change. It identifies the flow gain, and the load's stiffness apart
  from the mass.
- The fast sine has the same speed and several times the acceleration: it identifies the mass.
- The chirps have the acceleration of the fast sine at all frequencies from well below
  to well above the mode: they identify beta, the leakage, and the valve's lag apart from a delay. Up and down, so that
  drift cancels.

Sizes follow from the rig file, which may be wrong by a fifth, and from its limits. The service checks each motion as a
whole; motions that it refuses are made smaller. A valve with an overlap that the rig file does not know swallows a part
of the speed that is asked of it; the slow sine shows how much, and as much more is asked of the fast ones.

Pressures that are read too seldom for the fast motions still do for the slow sine: it is then driven alone, and shows
the valve's flow gain, overlap, hysteresis and null. It also stands alone where the valve swallows so much that the fast
motions fail; once that is set, all of them can be driven.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hilctl.experiment import drive as experiment
from hilctl.experiment.acted import SPOOL
from hilctl.experiment.drive import Driven, LegFault
from hilctl.experiment.facts import Facts
from hilctl.experiment.own_loop import refuse_own_loop
from hilctl.experiment.policy import EQUATION, REST_S, soft_s
from hilctl.experiment.record import AGES, Record
from hilctl.experiment.sensors import SENSED, SENSORS, silent, stuck_in
from hilctl.identify.plant.estimate_swallowed import swallowed_m_s
from hilctl.identify.plant.model_signals import PRESSURES_HZ

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

CHANNELS = (
    "tick", "epoch", "mode", "displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa",
    "supply_pressure_pa", "u_applied", "xd_m", "rejected", "saturated",
)  # fmt: skip

SPEED_SHARE, FLOW_SHARE, TRAVEL_SHARE = 0.6, 0.45, 0.7  # of the limits, of the valve's no-load speed
PUSH_SHARE = 0.15  # of the supply's force, which accelerates the mass in the fast sine and in the chirps
ACCELERATION_SHARE = 0.2  # of its limit
HELD_TICKS, HELD_SHARE = 4, 0.35  # a command that a loss holds for so long adds this share of limits.velocity at most
KNEE, FIRST, LAST = 0.18, 0.09, 1.6  # of the hydraulic mode
ASKED_SHARE = 0.9  # of limits.velocity, where the valve swallows a part: the most that is asked
MATTERS = 0.25  # of the chirps' speed at the mode: less that is swallowed leaves them large enough
CHIRP_S, SOFT_S = 12.0, 0.5
SMALLER = (1.0, 0.75, 0.5, 0.35)
RIG_S = 60.0
OLD_SHARE = 0.25  # of the shortest period that is driven: so old may a pressure be
SEEN_SHARE, HARMONICS = 0.12, 7.0  # likewise where a slow sine is driven alone; so many of its harmonics must count
SATURATED_SHARE = 0.01  # of the samples


class Swallowed(LegFault):
    """What a fast motion asks for, the valve swallows; the slow sine was driven."""

    def __init__(self, fault: LegFault, slow: Driven, speed_m_s: float) -> None:
        super().__init__(
            f"{fault}. The valve swallows {speed_m_s:.2g} m/s of what is asked of it: it has an overlap or a "
            "hysteresis that the rig file does not know"
        )
        self.slow = slow


class Leg(NamedTuple):
    """One motion."""

    name: str
    kind: str
    parameters: dict[str, Any]
    lowest_hz: float
    pressures_hz: float = 0.0  # up to which they show it, where that says what is left out; else 0


def oldest_s(facts: Facts) -> float:
    """How old a pressure may be at most: the fluctuation of an older one at the end of the chirps is another."""
    return OLD_SHARE / last_hz(facts)


def last_hz(facts: Facts) -> float:
    """Where the chirps end."""
    return min(LAST * facts.mode_rad_s / (2 * math.pi), 0.1 * facts.rate_hz)


def legs_of(facts: Facts, share: float = 1.0, swallowed: float = 0.0) -> list[Leg]:
    """The motions, for a share of their sizes; `swallowed`: the speed, in m/s, that the valve leaves out of each."""
    low, high = facts["limits.position.min_m"], facts["limits.position.max_m"]
    centre = 0.5 * (low + high)
    travel = share * TRAVEL_SHARE * min(0.5 * (high - low), 0.9 * facts["machine.stroke_m"] - abs(centre))
    valve = facts["machine.Qn"] / facts["machine.A"] * facts["limits.command.opening"]
    fastest = share * SPEED_SHARE * facts["limits.velocity.max_m_s"]
    speed = min(fastest, share * FLOW_SHARE * valve)
    shake = share * _shake_m_s2(facts)
    fast_hz = shake / (2 * math.pi * speed)
    slow_hz = max(speed / (2 * math.pi * travel), 0.3)
    slow_hz = min(slow_hz, 0.5 * fast_hz)
    mode_hz, most_m_s = facts.mode_rad_s / (2 * math.pi), ASKED_SHARE * facts["limits.velocity.max_m_s"]
    if not swallows(swallowed / share, facts):
        swallowed = 0.0
    asked = shake + facts.mode_rad_s * swallowed  # at the mode, shake is left of it
    knee_hz = max(KNEE * mode_hz, asked / (4 * math.pi * min(fastest + swallowed, most_m_s)))  # the fastest is there
    first_hz = FIRST * mode_hz
    chirp = {
        "center_m": centre, "soft_start_s": SOFT_S, "soft_stop_s": SOFT_S, "knee_hz": knee_hz,
        "amplitude_m": asked / (2 * math.pi * knee_hz) ** 2, "duration_s": CHIRP_S,
    }  # fmt: skip
    fast_m = min(speed + swallowed, most_m_s) / (2 * math.pi * fast_hz)
    return [
        Leg("slow sine", "sine", {**_sine(slow_hz, min(travel, speed / (2 * math.pi * slow_hz)), centre),
            "duration_s": 5 / slow_hz}, slow_hz),
        Leg("fast sine", "sine", {**_sine(fast_hz, fast_m, centre), "duration_s": 4.0}, fast_hz),
        Leg("chirp up", "chirp", {**chirp, "start_hz": first_hz, "end_hz": last_hz(facts)}, first_hz),
        Leg("chirp down", "chirp", {**chirp, "start_hz": last_hz(facts), "end_hz": first_hz}, first_hz),
    ]  # fmt: skip


def _sine(frequency_hz: float, amplitude_m: float, centre_m: float) -> dict[str, float]:
    soft = soft_s(frequency_hz, SOFT_S)
    return {
        "frequency_hz": frequency_hz, "amplitude_m": amplitude_m, "center_m": centre_m, "soft_start_s": soft,
        "soft_stop_s": soft,
    }  # fmt: skip


def plan(rig: "Client", facts: Facts, swallowed: float = 0.0) -> list[Leg]:
    """The largest motions that the service accepts. LegFault with its reason where it accepts none."""
    from hilctl.client import Refused

    refused = ""
    for share in SMALLER:
        legs = legs_of(facts, share, swallowed)
        try:
            seconds = [float(rig.check_motion(leg.kind, **leg.parameters)["seconds"]) for leg in legs]
        except Refused as error:
            refused = str(error)
            continue
        if sum(seconds) <= RIG_S:
            return legs
        refused = f"it would take {sum(seconds):.0f} s, of {RIG_S:.0f} s"
    raise LegFault(f"no motion of useful size is within the limits: {refused}; widen that limit")


def measure(
    rig: "Client", facts: Facts, tell: Callable[[str, float], None] = lambda name, share: None
) -> list[Driven]:  # fmt: skip
    """The motions, driven. The rig must hold; no parameter is changed. `tell`: the next, and the share that is done."""
    held_s = check_ready(rig, facts)
    slow, *fast = plan(rig, facts)
    if held_s > oldest_s(facts):
        slow, fast = _slow_enough(slow, held_s), []
    rig.wait(rig.move(slow.parameters["center_m"]))
    driven: list[Driven] = []

    def drive(leg: Leg) -> None:
        tell(leg.name, len(driven) / (1 + len(fast)))
        driven.append(experiment.drive(rig, _as_leg(rig, leg, facts)))

    drive(slow)
    if not fast:
        return driven
    speed_m_s = swallowed_m_s(driven[0].record, facts)
    try:
        for leg in plan(rig, facts, speed_m_s)[1:]:
            drive(leg)
    except LegFault as fault:
        if not swallows(speed_m_s, facts) or not experiment.holds(rig):
            raise
        raise Swallowed(fault, driven[0], speed_m_s) from fault
    return driven


def swallows(speed_m_s: float, facts: Facts) -> bool:
    """Whether a valve that leaves out this speed takes much of the chirps at the hydraulic mode."""
    return speed_m_s >= MATTERS * _shake_m_s2(facts) / facts.mode_rad_s


def _shake_m_s2(facts: Facts) -> float:
    """The acceleration of the fast sine and of the chirps."""
    push = facts["machine.A"] * facts["machine.Ps"] / facts["machine.m"]
    held = HELD_SHARE * facts["limits.velocity.max_m_s"] * facts.rate_hz / HELD_TICKS
    return float(min(PUSH_SHARE * push, ACCELERATION_SHARE * facts["limits.acceleration.max_m_s2"], held))


def _slow_enough(slow: Leg, held_s: float) -> Leg:
    """The slow sine, for pressures of this age. LegFault where they are too old even for it."""
    pressures_hz = SEEN_SHARE / held_s
    if pressures_hz < HARMONICS * slow.lowest_hz:
        raise LegFault(
            f"a pressure is up to {1e3 * held_s:.0f} ms old when it is used; a sine of {slow.lowest_hz:.2g} Hz, from "
            f"which the valve is identified, needs it at most {1e3 * SEEN_SHARE / HARMONICS / slow.lowest_hz:.2g} ms "
            "old: read it more often (driver.reading, every), or let machine.* be as the rig file says"
        )
    return slow._replace(pressures_hz=pressures_hz)


def _as_leg(rig: "Client", leg: Leg, facts: Facts) -> experiment.Leg:
    def start() -> "Motion":
        return rig.track(leg.kind, **leg.parameters)

    about = {"lowest_hz": leg.lowest_hz}
    about |= {PRESSURES_HZ: leg.pressures_hz} if leg.pressures_hz else {}
    return experiment.Leg(
        leg.name, start, (*CHANNELS, SPOOL, *AGES), EQUATION, rest_s=REST_S, about=about,
        wrong=partial(wrong, facts=facts),
    )  # fmt: skip


def check_ready(rig: "Client", facts: Facts) -> float:
    """How old pressures are when they are used. LegFault when the rig is not in a state to be identified; BadValues
    when it closes its own loop."""
    refuse_own_loop(facts["law.feedback"], "plant")
    experiment.ready(rig, "three_state")
    return experiment.pressures_age_s(experiment.look(rig, experiment.LOOKED_S, AGES))


def wrong(record: Record, facts: Facts) -> str:
    """Why the samples of a motion cannot be right; empty where they can."""
    bare = [channel for channel in SENSED if not np.isfinite(record.bridged[channel]).all()]
    if bare:
        return f"{bare[0]} is not a number; check sensors.{SENSORS[SENSED.index(bare[0])]}"
    saturated = float(np.mean(record["saturated"] != 0))
    return stuck_in(record) or silent(record, facts, SENSORS) or (
        f"the valve was saturated for {100 * saturated:.1f} % of the time, so the command does not give the flow; "
        "check the supply and limits.command.opening, and that machine.Qn is not far too large"
        if saturated > SATURATED_SHARE else ""
    )  # fmt: skip
