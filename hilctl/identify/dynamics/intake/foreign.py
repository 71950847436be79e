"""A record that this program has not driven."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hilctl.identify.campaign.facts import Facts
from hilctl.identify.dynamics.study import Experiment, Role

Reals = npt.NDArray[np.float64]

REFERENCE = "xd_m"  # what our own recordings show of what was driven


class IntakeFault(Exception):
    """A file that cannot be taken. The message says where, what, and what to do."""


@dataclass(frozen=True)
class Foreign:
    """Channels by our names, in SI."""

    name: str
    channels: Mapping[str, Reals]
    rate_hz: float
    times_s: Reals | None
    facts: Facts | None = None  # what it says of the rig it is from
    notes: tuple[str, ...] = ()

    def only(self, *names: str) -> "Foreign":
        """With these channels alone."""
        kept = {name: self.channels[name] for name in names if name in self.channels}
        return Foreign(self.name, kept, self.rate_hz, self.times_s, self.facts, self.notes)


def experiment_of(
    foreign: Foreign, driven: str, *, role: Role = "fit", band_hz: tuple[float, float] | None = None
) -> Experiment:  # fmt: skip
    """As a study takes it; `driven` is the input's channel, `band_hz` what is said to have been driven."""
    values = foreign.channels.get(driven)
    reference = driven
    if REFERENCE in foreign.channels and np.ptp(foreign.channels[REFERENCE]) > 0:
        reference = REFERENCE
    channels = dict(foreign.channels)
    if foreign.times_s is not None:
        channels["time_s"] = foreign.times_s
    return Experiment(
        name=foreign.name, group=foreign.name, kind="record", role=role,
        settings={"band_declared": band_hz is not None}, rate_hz=foreign.rate_hz, channels=channels,
        band_hz=band_hz or shown_band(values, foreign.rate_hz), reference=reference, source=foreign.name,
        notes=foreign.notes,
    )  # fmt: skip


def shown_band(values: Reals | None, rate_hz: float) -> tuple[float, float]:
    """Where a signal has its power; something, where it has none."""
    from hilctl.identify.dynamics.evidence import band_of

    if values is None or len(values) < 4 or not np.isfinite(values).all() or not np.ptp(values) > 0:
        return 1.0, 2.0
    low, high = band_of(values, rate_hz)
    return (low, high) if high > low else (low, 2 * low)
