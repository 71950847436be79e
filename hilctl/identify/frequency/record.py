"""How a record was made and what it is for: the two words that planning, studies and reports share.

An experiment as it was driven or read: its channels, and how it was made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from hilctl.experiment.record import Record
from hilctl.results.response import Reals
from hilctl.servo import Hold

Kind = Literal["stepped", "sweep", "multisine", "step", "motion", "record"]
Role = Literal["fit", "check"]  # models are fitted to the record; models are only validated on it


class Pair(NamedTuple):
    """From which channel to which one."""

    input: str
    output: str

    def __str__(self) -> str:
        return f"{self.input} → {self.output}"


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One motion, or one recording from elsewhere, with all channels that are evaluated."""

    name: str
    group: str  # experiments of one group give one response
    kind: Kind
    role: Role
    settings: Mapping[str, Any]  # of the excitation, by key
    rate_hz: float
    channels: Mapping[str, Reals]  # as recorded, by channel name, of one length
    band_hz: tuple[float, float]  # that was driven
    begins: int = 0  # sample at which the excitation begins
    reference: str = "xd_m"  # the channel with what was driven, free of noise
    signal: Any = None  # the excitation: Stepped, Swept, Tones; None for other motions and recordings
    source: str = "rig"  # or the name of the file
    notes: tuple[str, ...] = ()  # a reduced amplitude, and the like
    record: Record | None = None  # which of these are fresh, as the rig gave them; None for recordings from elsewhere

    @property
    def samples(self) -> int:
        """How many."""
        return len(next(iter(self.channels.values())))

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.samples / self.rate_hz

    def hold(self, channel: str) -> Hold:
        """How a channel behaves between samples: our converter holds its output."""
        return Hold.zero if self.source == "rig" and channel == "u_applied" else Hold.first
