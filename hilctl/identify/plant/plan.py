"""The motions: a slow and a fast sine, and a chirp up and down again through the hydraulic mode.

- The slow sine is large: much flow, volumes that change. It identifies the flow gain, and the load's stiffness apart
  from the mass.
- The fast sine has the same speed and several times the acceleration: it identifies the mass.
- The chirps have the acceleration of the fast sine at all frequencies from well below
  to well above the mode: they identify beta, the leakage, and the valve's lag apart from a delay. Up and down, so that
  drift cancels.

Sizes follow from the rig file, which may be wrong by a fifth, and from its limits. The service checks each motion as a
whole; motions that it refuses are made smaller.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.experiment.facts import Facts
from hilctl.identify.plant.faults import PlantFault

if TYPE_CHECKING:
    from hilctl.client import Client

SPEED_SHARE, FLOW_SHARE, TRAVEL_SHARE = 0.6, 0.45, 0.7  # of the limits, of the valve's no-load speed
PUSH_SHARE = 0.15  # of the supply's force, which accelerates the mass in the fast sine and in the chirps
ACCELERATION_SHARE = 0.2  # of its limit
KNEE, FIRST, LAST = 0.18, 0.09, 1.6  # of the hydraulic mode
CHIRP_S = 12.0
SMALLER = (1.0, 0.75, 0.5, 0.35)
RIG_S = 60.0


OLD_SHARE = 0.25  # of the shortest period that is driven: so old may a pressure be


class Leg(NamedTuple):
    """One motion."""

    name: str
    kind: str
    parameters: dict[str, Any]
    lowest_hz: float


def oldest_s(facts: Facts) -> float:
    """How old a pressure may be at most: the fluctuation of an older one at the end of the chirps is another."""
    return OLD_SHARE / last_hz(facts)


def last_hz(facts: Facts) -> float:
    """Where the chirps end."""
    return min(LAST * facts.mode_rad_s / (2 * math.pi), 0.1 * facts.rate_hz)


def legs_of(facts: Facts, share: float = 1.0) -> list[Leg]:
    """The motions, for a share of their sizes."""
    low, high = facts["limits.position.min_m"], facts["limits.position.max_m"]
    push = facts["machine.A"] * facts["machine.Ps"] / facts["machine.m"]
    most = ACCELERATION_SHARE * facts["limits.acceleration.max_m_s2"]
    centre = 0.5 * (low + high)
    travel = share * TRAVEL_SHARE * min(0.5 * (high - low), 0.9 * facts["machine.stroke_m"] - abs(centre))
    valve = facts["machine.Qn"] / facts["machine.A"] * facts["limits.command.opening"]
    speed = share * min(SPEED_SHARE * facts["limits.velocity.max_m_s"], FLOW_SHARE * valve)
    shake = share * min(PUSH_SHARE * push, most)
    fast_hz = shake / (2 * math.pi * speed)
    slow_hz = max(speed / (2 * math.pi * travel), 0.3)
    slow_hz = min(slow_hz, 0.5 * fast_hz)
    mode_hz = facts.mode_rad_s / (2 * math.pi)
    knee_hz, first_hz = KNEE * mode_hz, FIRST * mode_hz
    sine = {"center_m": centre, "soft_start_s": 0.5, "soft_stop_s": 0.5}
    chirp = {
        **sine, "amplitude_m": shake / (2 * math.pi * knee_hz) ** 2, "duration_s": CHIRP_S, "knee_hz": knee_hz,
    }  # fmt: skip
    return [
        Leg("slow sine", "sine", {**sine, "frequency_hz": slow_hz,
            "amplitude_m": min(travel, speed / (2 * math.pi * slow_hz)), "duration_s": 5 / slow_hz}, slow_hz),
        Leg("fast sine", "sine", {**sine, "frequency_hz": fast_hz, "amplitude_m": speed / (2 * math.pi * fast_hz),
            "duration_s": 4.0}, fast_hz),
        Leg("chirp up", "chirp", {**chirp, "start_hz": first_hz, "end_hz": last_hz(facts)}, first_hz),
        Leg("chirp down", "chirp", {**chirp, "start_hz": last_hz(facts), "end_hz": first_hz}, first_hz),
    ]  # fmt: skip


def plan(rig: "Client", facts: Facts) -> list[Leg]:
    """The largest motions that the service accepts. PlantFault with its reason where it accepts none."""
    from hilctl.client import Refused

    refused = ""
    for share in SMALLER:
        legs = legs_of(facts, share)
        try:
            seconds = [float(rig.check_motion(leg.kind, **leg.parameters)["seconds"]) for leg in legs]
        except Refused as error:
            refused = str(error)
            continue
        if sum(seconds) <= RIG_S:
            return legs
        refused = f"it would take {sum(seconds):.0f} s, of {RIG_S:.0f} s"
    raise PlantFault(f"no motion of useful size is within the limits: {refused}; widen that limit")
