"""Why a motion ended early, in a sentence: the trip, its limit, its key, and what to do."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hilctl.client import Client

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
