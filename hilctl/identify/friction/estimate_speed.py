"""One speed: windows, gates and points from the samples of its triangle."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from hilctl.experiment.facts import OFFSETS, Facts
from hilctl.experiment.record import record_of
from hilctl.experiment.sensors import CHANNEL_OF, SENSED
from hilctl.identify.friction.estimate_points import pair, points
from hilctl.identify.friction.estimate_windows import Samples, Window, cut, force, had, timed
from hilctl.identify.friction.judge_expected import Expected
from hilctl.identify.friction.judge_windows import judge
from hilctl.identify.friction.plan import Leg
from hilctl.results.friction import Pair, Point


class Measured(Struct, frozen=True):
    """One speed, finished."""

    index: int
    leg: Leg
    ticks: int  # of the loop that it took, pauses not counted
    oil_degc: float | None
    mass_kg: float  # with which m a was taken off
    windows: list[Window]
    points: list[Point]
    pair: Pair | None
    lost: float = 0.0  # share of the readings
    again: Sequence[str] = ()  # why it was driven before, and did not count

    @property
    def discarded(self) -> list[Window]:
        """The windows that do not count; each says why."""
        return [w for w in self.windows if w.reason]


def aligned(samples: Samples, facts: Facts, offsets: Mapping[str, float]) -> Samples:
    """With the offsets at the campaign's begin instead of those: zeroing between two speeds shifts no point."""
    out = dict(samples)
    for key, (name, channel) in zip(OFFSETS, CHANNEL_OF.items(), strict=True):
        moved = offsets[key] - facts[key]
        if moved:
            out[channel] = samples[channel] + facts[f"sensors.{name}.gain"] * moved
    return out


def evaluate(
    index: int, leg: Leg, samples: Samples, facts: Facts, expected: Expected, again: Sequence[str] = ()
) -> Measured:
    """From its rows, just measured or stored."""
    record = record_of(samples, facts.rate_hz).bridged
    samples = timed(record, facts)
    windows = cut(samples, leg, facts, expected)
    judge(windows, leg.speed_m_s, facts, expected)
    found = points(windows, force(samples, facts), had(samples), facts)
    oil = float(np.mean(samples["oil_temperature_degc"])) if len(samples["tick"]) else math.nan
    return Measured(
        index, leg, record.ticks, oil if math.isfinite(oil) else None, float(facts["machine.m"]), windows, found,
        pair(found), record.losses(SENSED).share, again,
    )  # fmt: skip
