"""The link to the device, as the service sees it: what the loop counts, and what the keeper has said."""

from typing import Any, NamedTuple

from hilctl.loop.memory import Memory
from hilctl.signals import SENSORS, Status


class DeviceLink(NamedTuple):
    """A moment of it."""

    state: str  # open, lost, reconnecting
    since_s: float  # in this state; 0 while the rig is not off yet
    reason: str  # why it was lost, or why the last attempt failed
    attempts: int  # to reconnect, since it was lost
    reconnects: int  # since the start
    exchanges: int  # since the start
    errors: dict[str, int]  # exchanges by how they failed, or were late
    lost: int  # commands that the device says it lost, where it counts
    age_ns: dict[str, int]  # of each reading, now
    oldest_ns: dict[str, int]  # over the last second
    detail: dict[str, Any]  # the driver's own counters


def device_link(memory: Memory, now_ns: int, told: dict[str, Any]) -> DeviceLink:
    """From the memory, each word whole, and what the keeper reported last."""
    health = memory.loop.health
    outcomes = [int(count) for count in health.outcomes]
    lost, closed = bool(health.lost), int(health.last) == Status.CLOSED
    since_ns = int(health.since_ns)
    return DeviceLink(
        state="reconnecting" if lost else "lost" if closed else "open",
        since_s=round(max(0, now_ns - since_ns) * 1e-9, 3) if lost or not closed else 0.0,
        reason=str(told.get("reason", "")),
        attempts=int(told.get("attempts", 0)),
        reconnects=int(told.get("reconnects", 0)),
        exchanges=sum(outcomes),
        errors={status.name.lower(): outcomes[status] for status in Status if status != Status.OK},
        lost=int(memory.loop.readings.lost),
        age_ns={name: int(health.age_ns[k]) for k, name in enumerate(SENSORS)},
        oldest_ns={name: int(health.oldest_ns[k]) for k, name in enumerate(SENSORS)},
        detail=dict(told.get("detail", {})),
    )
