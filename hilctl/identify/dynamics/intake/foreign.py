"""A record that this program has not driven."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError
from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.study import Experiment, Role

Reals = npt.NDArray[np.float64]

LEAST, LONGEST, PIECES, COHERENT = 256, 2048, 8, 0.5  # samples, of a piece of a spectrum; pieces; what counts as heard
REFERENCE = "xd_m"  # what our own recordings show of what was driven


class IntakeFault(HilctlError):
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
    foreign: Foreign, driven: str, output: str = "displacement_m", *, role: Role = "fit",
    band_hz: tuple[float, float] | None = None,
) -> Experiment:  # fmt: skip
    """As a study takes it. `driven`, `output`: the channels that matter most; `band_hz`: what is said to be driven."""
    values, followed = foreign.channels.get(driven), foreign.channels.get(output)
    reference = driven
    if REFERENCE in foreign.channels and np.ptp(foreign.channels[REFERENCE]) > 0:
        reference = REFERENCE
    channels = dict(foreign.channels)
    if foreign.times_s is not None:
        channels["time_s"] = foreign.times_s
    return Experiment(
        name=foreign.name, group=foreign.name, kind="record", role=role,
        settings={"band_declared": band_hz is not None}, rate_hz=foreign.rate_hz, channels=channels,
        band_hz=band_hz or shown_band(values, followed, foreign.rate_hz), reference=reference, source=foreign.name,
        notes=foreign.notes,
    )  # fmt: skip


def shown_band(driven: Reals | None, output: Reals | None, rate_hz: float) -> tuple[float, float]:
    """From where the input has power to where the output still follows it; something, where they show nothing."""
    from scipy.signal import coherence

    from hilctl.identify.dynamics.evidence import band_of

    if driven is None or not _moves(driven):
        return 1.0, 2.0
    low, high = band_of(driven, rate_hz)
    if output is not None and _moves(output):
        hz, shared = coherence(driven, output, rate_hz, nperseg=max(64, min(LONGEST, len(driven) // PIECES)))
        heard = np.flatnonzero(np.convolve(shared, np.ones(5) / 5, "same") > COHERENT)
        high = float(hz[heard[-1]]) if len(heard) else high
    return (low, high) if high > low else (low, 2 * low)


def _moves(values: Reals) -> bool:
    return len(values) >= LEAST and bool(np.isfinite(values).all()) and float(np.ptp(values)) > 0
