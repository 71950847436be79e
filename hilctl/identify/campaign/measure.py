"""One speed: its triangle driven, its samples fetched without loss, judged."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hilctl.identify.campaign.expect import Expected
from hilctl.identify.campaign.facts import Facts
from hilctl.identify.campaign.faults import CampaignFault, examine, tripped
from hilctl.identify.campaign.gates import judge
from hilctl.identify.campaign.planning import Leg
from hilctl.identify.campaign.points import pair, points
from hilctl.identify.campaign.store import Measured
from hilctl.identify.campaign.windows import CHANNELS, Samples, cut, force, timed
from hilctl.identify.sensors import CHANNEL_OF

if TYPE_CHECKING:
    from hilctl.client import Client, Motion, Outcome


def drive(rig: "Client", leg: Leg, facts: Facts) -> dict[str, npt.NDArray[Any]]:
    """The samples of the triangle. CampaignFault if it does not end as planned."""
    motion = rig.track("triangle", **leg.parameters)
    try:
        outcome = rig.wait(motion)
    except KeyboardInterrupt:
        rig.stop()
        raise
    if outcome.why != "done":
        why = tripped(rig, outcome.why, seen_of(rig, motion, outcome), facts)
        raise CampaignFault(
            f"at {leg.speed_m_s:g} m/s: {why}. Finished speeds are kept: correct it, `hilctl reset` and `hilctl arm` "
            "after a trip, and resume"
        )
    samples = rig.samples(motion.first, outcome.last, CHANNELS, keep=rig.hello["clock"] == "virtual")
    if len(samples["tick"]) < outcome.last - motion.first + 1:
        raise CampaignFault(f"at {leg.speed_m_s:g} m/s: samples are missing; raise service.history_s")
    return samples


def seen_of(rig: "Client", motion: "Motion", outcome: "Outcome") -> Samples | None:
    """The samples of a motion that was cut off, as far as there are any."""
    from hilctl.client import NoReply, Refused

    try:
        return rig.samples(motion.first, outcome.last, CHANNELS)
    except (Refused, NoReply):
        return None  # a loop that has ended gives no samples


def aligned(samples: Samples, then: Facts, now: Facts) -> dict[str, npt.NDArray[Any]]:
    """With the offsets at the campaign's begin: zeroing between two speeds shifts no point."""
    out = dict(samples)
    for name, channel in CHANNEL_OF.items():
        moved = now[f"sensors.{name}.offset"] - then[f"sensors.{name}.offset"]
        if moved:
            out[channel] = samples[channel] + then[f"sensors.{name}.gain"] * moved
    return out


def evaluate(index: int, leg: Leg, samples: Samples, facts: Facts, expected: Expected) -> Measured:
    """Windows, gates and points of one speed, also from stored samples."""
    samples = timed(samples, facts)
    windows = cut(samples, leg, facts, expected)
    judge(windows, leg.speed_m_s, facts, expected)
    found = points(windows, force(samples, facts), facts)
    oil = float(np.mean(samples["oil_temperature_degc"])) if len(samples["tick"]) else math.nan
    return Measured(
        index=index, leg=leg, ended=datetime.now(UTC).isoformat(timespec="seconds"),
        epoch=int(samples["epoch"][-1]), ticks=int(samples["tick"][-1] - samples["tick"][0] + 1),
        oil_degc=oil if math.isfinite(oil) else None, mass_kg=float(facts["machine.m"]), windows=windows,
        points=found, pair=pair(found),
    )  # fmt: skip


def wrong(measured: Measured, samples: Mapping[str, npt.NDArray[Any]], facts: Facts) -> str:
    """The fault that this speed shows; empty where there is none."""
    return examine(samples, measured.pair, facts)
