"""Faults of a rig while friction is measured, each with what to check."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hilctl.errors import HilctlError
from hilctl.identify import accelerometer
from hilctl.identify.campaign.facts import Facts
from hilctl.identify.campaign.points import Pair
from hilctl.identify.campaign.windows import Samples, Window
from hilctl.identify.sensors import SENSORS, dead, repeating, stuck_in
from hilctl.identify.trips import OF_A_SENSOR, ended_text
from hilctl.signals import SENSORS as ALL_SENSORS

if TYPE_CHECKING:
    from hilctl.client import Client

LOWEST_HZ = 1.0  # where the accelerometer is compared with displacement
GAIN_CUT = 0.3  # the same, in a motion that was cut off by a trip: its end blurs the comparison
REJECTED_S = 0.05  # before the end
CERTAIN = 5.0  # standard errors


class CampaignFault(HilctlError):
    """The campaign cannot go on. The message says what is wrong and what to check; finished speeds are kept."""


def examine(samples: Samples, found: Pair | None, facts: Facts) -> str:
    """The first fault that the samples of a motion show; empty where there is none."""
    gain = seen_gain(samples, facts)
    wrong = "" if gain is None else accelerometer.wrong(gain)
    return stuck_in(samples) or _silent(samples, facts) or wrong or _force(found)


def _silent(samples: Samples, facts: Facts) -> str:
    return dead(samples, {name: float(facts[f"sensors.{name}.noise"]) for name in SENSORS[1:]})


def seen_gain(samples: Samples, facts: Facts) -> float | None:
    """The accelerometer's gain against displacement; None where this motion does not show it."""
    noise_m, noise_m_s2 = facts["sensors.displacement.noise"], facts["sensors.acceleration.noise"]
    if not (noise_m > 0.0 and noise_m_s2 > 0.0):
        return None
    both = accelerometer.Both(samples["displacement_m"], samples["acceleration_m_s2"], LOWEST_HZ)
    found = accelerometer.compare([both], facts.rate_hz, noise_m, noise_m_s2)
    return None if found is None else found.gain


def _force(found: Pair | None) -> str:
    if found is None or found.force_n >= -CERTAIN * found.std_n:
        return ""
    return (
        f"friction is negative, {found.force_n:.0f} N at {found.speed_m_s:.3g} m/s: it would drive the table. The "
        "pressure pair is swapped, or one of the two is in the wrong chamber; check that sensors.pressure_a sits in "
        "the chamber that a positive command fills, and sensors.pressure_b in the other"
    )


def hunting(windows: Sequence[Window], speeds: int) -> str:
    """The message when windows of several speeds do not count."""
    reasons = [w.reason for w in windows if w.reason]
    text = reasons[0] if reasons else "no straight is long enough"
    advice = "see the reasons of the discarded windows"
    if any("hunting" in r for r in reasons):
        advice = (
            "the loop does not damp the hydraulic mode: check for air in the oil (machine.beta), a leak across the "
            "piston or the valve (machine.Ctc), the valve's hysteresis and overlap (machine.dead_band), the mass "
            "(machine.m), and tune the gains of law.three_state (`hilctl tune`)"
        )
    elif any("constant" in r for r in reasons):
        advice = "check the noise of the displacement and acceleration sensors, and the gains of law.three_state"
    return f"too few windows count, at {speeds} speeds: {text}; {advice}"


def tripped(rig: "Client", why: str, samples: Samples | None, facts: Facts) -> str:
    """Why a motion ended early: the trip, its key and remedy, and what the samples show."""
    if why in ("stopped", "gone"):
        return ended_text(rig, why)
    trip = rig.status()["trip"]
    told = ended_text(rig, why)
    if samples is None or not len(samples["tick"]):
        return told
    if trip and trip["name"] in OF_A_SENSOR:
        return f"{told}{_which(failing(samples, facts), trip['key'])}"
    seen = stuck_in(samples) or _silent(samples, facts)
    if not seen and trip and trip["name"] == "position":
        seen = _beyond(samples)
    gain = seen_gain(samples, facts)
    if not seen and gain is not None and gain < GAIN_CUT:
        seen = accelerometer.wrong(gain)
    return f"{told}. {seen[0].upper()}{seen[1:]}" if seen else told


def _which(names: Sequence[str], told: str) -> str:
    """The sensors in question, where the trip's key does not name one."""
    if set(SENSORS) <= set(names):
        return ". It is every sensor at once: check the device, its supply and the link to it ([driver])"
    return f". It is {' and '.join(f'sensors.{name}' for name in names)}" if names and told == "sensors" else ""


def _beyond(samples: Samples) -> str:
    """How far the table went beyond its reference."""
    x, xd = samples["displacement_m"], samples["xd_m"]
    out = max(float(np.max(x) - np.max(xd)), float(np.min(xd) - np.min(x)))
    return (
        f"the table moved {1e3 * max(out, 0.0):.2g} mm further than its reference, which was within the limit: check "
        "machine.m, machine.beta and the gains of law.three_state (`hilctl tune`), or leave more room between "
        "limits.position and the stroke"
    )


def failing(samples: Samples, facts: Facts) -> list[str]:
    """The sensors whose readings were rejected at the end, or else do not change any more there."""
    last = max(3, int(REJECTED_S * facts.rate_hz))
    bits = int(np.bitwise_or.reduce(samples["rejected"][-last:]))
    return [name for k, name in enumerate(ALL_SENSORS) if bits >> k & 1] or repeating(samples, facts.rate_hz)
