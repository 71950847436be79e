"""One speed: its triangle driven, its samples fetched without loss, judged."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hilctl.experiment.facts import Facts
from hilctl.experiment.sensors import CHANNEL_OF
from hilctl.experiment.trips import why_ended
from hilctl.identify.campaign.expect import Expected
from hilctl.identify.campaign.faults import CampaignFault, examine
from hilctl.identify.campaign.gates import judge
from hilctl.identify.campaign.planning import Leg
from hilctl.identify.campaign.points import pair, points
from hilctl.identify.campaign.store import Measured
from hilctl.identify.campaign.windows import CHANNELS, Samples, cut, force, timed

if TYPE_CHECKING:
    from hilctl.client import Client


def drive(rig: "Client", leg: Leg) -> dict[str, npt.NDArray[Any]]:
    """The samples of the triangle. CampaignFault if it does not end as planned."""
    motion = rig.track("triangle", **leg.parameters)
    try:
        outcome = rig.wait(motion)
    except KeyboardInterrupt:
        rig.stop()
        raise
    if outcome.why != "done":
        why = why_ended(rig, motion, outcome)
        raise CampaignFault(
            f"at {leg.speed_m_s:g} m/s: {why}. Finished speeds are kept: correct it, `hilctl reset` and `hilctl arm` "
            "after a trip, and resume"
        )
    samples = rig.samples(motion.first, outcome.last, CHANNELS, keep=rig.hello["clock"] == "virtual")
    if len(samples["tick"]) < outcome.last - motion.first + 1:
        raise CampaignFault(f"at {leg.speed_m_s:g} m/s: samples are missing; raise service.history_s")
    return samples


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
