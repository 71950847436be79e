"""Every sample of a motion and of the rest after it, fetched without loss."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.errors import HilctlError
from hilctl.experiment.trips import ended_text
from hilctl.identify.gaps import evened, missing
from hilctl.identify.plant.faults import still
from hilctl.identify.plant.record import CHANNELS

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

REST_S = 0.3  # behind each motion
AGAIN = 2  # times, of a motion whose ticks were late


class NotFetched(HilctlError):
    """The motion did not end as planned, or samples are missing. The message says why."""


class Fetched(NamedTuple):
    """The last run of a motion."""

    motion: "Motion"
    samples: dict[str, Any]
    again: tuple[str, ...]  # why those before do not count


def fetch_whole(rig: "Client", start: "Callable[[], Motion]", channels: Sequence[str]) -> Fetched:
    """A motion, driven again while the loop misses more ticks than can be filled in; the last run in any case."""
    again: list[str] = []
    while True:
        motion = start()
        samples = fetch(rig, motion, channels)
        late = missing(samples)
        if not late or evened(samples).put_in or len(again) == AGAIN:
            return Fetched(motion, samples, tuple(again))
        again.append(f"the loop missed {late} of {len(samples['tick']) + late} ticks; driven again")


def fetch(rig: "Client", motion: "Motion", channels: Sequence[str]) -> dict[str, Any]:
    """Every sample of the motion and of the rest after it; an interrupt stops the table."""
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
    """The reason as the samples show it."""
    from hilctl.client import NoReply, Refused

    try:
        return still(rig.samples(first, last, CHANNELS), float(rig.hello["rate_hz"]))
    except (Refused, NoReply):
        return ""  # a loop that has ended gives no samples
