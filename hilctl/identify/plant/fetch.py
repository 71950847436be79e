"""A motion that was started, to its end and the rest behind it, every sample fetched without loss."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hilctl.identify.plant.faults import still
from hilctl.identify.plant.record import CHANNELS
from hilctl.identify.trips import ended_text

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

REST_S = 0.3  # behind each motion


class NotFetched(Exception):
    """The motion did not end as planned, or samples are missing. The message says why."""


def fetch(rig: "Client", motion: "Motion", channels: Sequence[str]) -> dict[str, Any]:
    """Every sample of the motion, and of the rest behind it; whoever interrupts it stops the table."""
    try:
        outcome = rig.wait(motion)
        if outcome.why == "done":
            last = rig.pass_time(REST_S).last
    except KeyboardInterrupt:
        rig.stop()
        raise
    if outcome.why != "done":
        raise NotFetched(f"{ended_text(rig, outcome.why)}{_seen(rig, motion.first, outcome.last)}")
    samples = rig.samples(motion.first, last, channels, keep=rig.hello["clock"] == "virtual")
    if len(samples["tick"]) < last - motion.first + 1:
        raise NotFetched("samples are missing; raise service.history_s")
    return samples


def _seen(rig: "Client", first: int, last: int) -> str:
    """What the samples show of the reason."""
    from hilctl.client import NoReply, Refused

    try:
        return still(rig.samples(first, last, CHANNELS))
    except (Refused, NoReply):
        return ""  # a loop that has ended gives no samples; why it ended is told
