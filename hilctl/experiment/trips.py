"""Why a motion ended early, in a sentence: the trip, its limit, its key, what its samples show, and what to do."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hilctl.experiment import accelerometer
from hilctl.experiment.facts import Facts, read_facts
from hilctl.experiment.sensors import SENSED, SENSORS, repeating, silent, stuck_in
from hilctl.signals import SENSORS as ALL_SENSORS

if TYPE_CHECKING:
    from hilctl.client import Client, Motion, Outcome

Samples = Mapping[str, Any]

GAIN_CUT = 0.3  # the accelerometer's, in a motion that was cut off by a trip: its end blurs the comparison
REJECTED_S = 0.05  # before the end
OF_A_SENSOR = ("sensor_invalid", "sensor_range", "sensor_stuck", "sensor_stale")


def trip_text(trip: dict[str, Any] | None) -> str:
    """A trip as `status` reports it; empty for none."""
    if not trip:
        return ""
    return f"the rig tripped by {trip['name']}: {trip['text']}"


def ended_text(rig: "Client", why: str) -> str:
    """For the `why` of an outcome."""
    if why == "stopped":
        return "the motion was stopped"
    if why == "gone":
        return f"the control loop has ended: {rig.status()['gone'] or 'its log says why'}"
    return trip_text(rig.status()["trip"]) or f"it ended by {why!r}"


def why_ended(rig: "Client", motion: "Motion", outcome: "Outcome") -> str:
    """Of a motion that was not finished, with what its samples show, as far as there are any."""
    from hilctl.client import NoReply, Refused

    try:
        samples = rig.samples(motion.first, outcome.last, ("tick", "rejected", "xd_m", *SENSED))
        return tripped(rig, outcome.why, samples, read_facts(rig))
    except (Refused, NoReply):
        return ended_text(rig, outcome.why)  # a loop that has ended gives no samples


def tripped(rig: "Client", why: str, samples: Samples | None, facts: Facts) -> str:
    """Why a motion ended early: the trip, its key and remedy, and what the samples show."""
    if why in ("stopped", "gone"):
        return ended_text(rig, why)
    trip = rig.status()["trip"]
    told = ended_text(rig, why)
    if samples is None or not len(samples["tick"]):
        return told
    if trip and trip["name"] in OF_A_SENSOR:
        return f"{told}{_which(failing(samples, facts), told)}"
    seen = stuck_in(samples) or silent(samples, facts)
    if not seen and trip and trip["name"] == "position":
        seen = _beyond(samples)
    gain = accelerometer.seen_gain(samples, facts)
    if not seen and gain is not None and gain < GAIN_CUT:
        seen = accelerometer.wrong(gain)
    return f"{told}. {seen[0].upper()}{seen[1:]}" if seen else told


def _which(names: Sequence[str], told: str) -> str:
    """The sensors in question, where the text of the trip does not name them by key."""
    if set(SENSORS) <= set(names):
        return ". It is every sensor at once: check the device, its supply and the link to it ([driver])"
    named = [f"sensors.{name}" for name in names if f"sensors.{name}" not in told]
    return f". It is {' and '.join(named)}" if named else ""


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
