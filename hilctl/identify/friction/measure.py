"""One speed: its triangle driven, its samples fetched without loss, judged."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hilctl.experiment import drive as experiment
from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import Facts
from hilctl.experiment.policy import MEANS
from hilctl.experiment.record import record_of
from hilctl.experiment.sensors import CHANNEL_OF, SENSED
from hilctl.identify.friction.estimate_points import pair, points
from hilctl.identify.friction.estimate_windows import CHANNELS, Samples, cut, force, had, timed
from hilctl.identify.friction.judge_expected import Expected
from hilctl.identify.friction.judge_faults import CampaignFault, examine
from hilctl.identify.friction.judge_windows import judge
from hilctl.identify.friction.plan import Leg
from hilctl.identify.friction.store import Measured

if TYPE_CHECKING:
    from hilctl.client import Client


def drive(rig: "Client", leg: Leg) -> experiment.Driven:
    """The triangle. LegFault if it does not end as planned."""
    name = f"at {leg.speed_m_s:g} m/s"
    try:
        return experiment.drive(
            rig, experiment.Leg(name, lambda: rig.track("triangle", **leg.parameters), CHANNELS, MEANS)
        )
    except LegFault as fault:
        raise CampaignFault(
            f"{fault}. Finished speeds are kept: correct it, `hilctl reset` and `hilctl arm` after a trip, and resume"
        ) from None


def aligned(samples: Samples, then: Facts, now: Facts) -> dict[str, npt.NDArray[Any]]:
    """With the offsets at the campaign's begin: zeroing between two speeds shifts no point."""
    out = dict(samples)
    for name, channel in CHANNEL_OF.items():
        moved = now[f"sensors.{name}.offset"] - then[f"sensors.{name}.offset"]
        if moved:
            out[channel] = samples[channel] + then[f"sensors.{name}.gain"] * moved
    return out


def evaluate(
    index: int, leg: Leg, samples: Samples, facts: Facts, expected: Expected, again: Sequence[str] = ()
) -> Measured:
    """Windows, gates and points of one speed, from its rows, also stored ones."""
    record = record_of(samples, facts.rate_hz).bridged
    samples = timed(record, facts)
    windows = cut(samples, leg, facts, expected)
    judge(windows, leg.speed_m_s, facts, expected)
    found = points(windows, force(samples, facts), had(samples), facts)
    oil = float(np.mean(samples["oil_temperature_degc"])) if len(samples["tick"]) else math.nan
    return Measured(
        index=index, leg=leg, ended=datetime.now(UTC).isoformat(timespec="seconds"),
        epoch=int(samples["epoch"][-1]), ticks=int(samples["tick"][-1] - samples["tick"][0] + 1),
        oil_degc=oil if math.isfinite(oil) else None, mass_kg=float(facts["machine.m"]), windows=windows,
        points=found, pair=pair(found), lost=record.losses(SENSED).share, again=list(again),
    )  # fmt: skip


def wrong(measured: Measured, samples: Mapping[str, npt.NDArray[Any]], facts: Facts) -> str:
    """The fault that this speed shows; empty where there is none."""
    return examine(record_of(samples, facts.rate_hz).bridged, measured.pair, facts)
