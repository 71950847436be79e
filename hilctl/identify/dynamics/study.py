"""The result of a study of a rig's dynamics, as one value: records, findings, cleaned channels, responses and models.

`hilctl identify dynamics` computes it; `written.plain_study` turns it into study.json, and the report draws it. A part
without a result is None or empty, and a sentence beside it says why.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.grey.result import Fit
from hilctl.identify.dynamics.judge import Finding
from hilctl.identify.dynamics.kinds import Kind, Role
from hilctl.identify.dynamics.preprocess.prepared import Prepared
from hilctl.identify.dynamics.response import Bandwidth, Crossing, Response
from hilctl.identify.dynamics.transfer import Family, Fitted
from hilctl.identify.dynamics.tuning.result import Tuning
from hilctl.identify.dynamics.validate import Independence, StepComparison, Whiteness
from hilctl.identify.plant.result import PlantFit
from sim.servo import Hold

Reals = npt.NDArray[np.float64]


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


@dataclass(frozen=True)
class Cleaned:
    """An experiment's channels before and after preparation, with each step."""

    experiment: str
    prepared: Prepared


@dataclass(frozen=True)
class Found:
    """The faults of an experiment's record."""

    experiment: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Measured:
    """A frequency response, from the experiments of one group."""

    experiment: str  # the group
    kind: Kind
    pair: Pair
    response: Response
    bandwidth: Bandwidth
    role: Role = "fit"


@dataclass(frozen=True)
class Transfers:
    """Black-box transfer functions on one response, and the paper's plain least squares for comparison."""

    experiment: str
    pair: Pair
    band_hz: tuple[float, float]
    family: Family | None
    levy: tuple[Fitted, ...]
    refused: str = ""


@dataclass(frozen=True)
class Grey:
    """The fit of the grey box, and the mass from force and acceleration if the model has none."""

    model: str  # "the rig's own plant"
    experiments: tuple[str, ...]
    outputs: tuple[str, ...]
    fit: Fit | None
    before: Mapping[str, float] = field(default_factory=dict)  # nominal values of the rig file, by the model's names
    keys: Mapping[str, str] = field(default_factory=dict)  # the rig file's key, by the model's names
    mass: PlantFit | None = None  # machine.m from force against acceleration; not identifiable from flow
    refused: str = ""


@dataclass(frozen=True, kw_only=True)
class Check:
    """A model on a record that it was not fitted to."""

    experiment: str
    model: str  # "grey", or "order N"
    output: str
    rate_hz: float
    driven: Reals
    measured: Reals
    modelled: Reals
    fit_percent: float
    whiteness: Whiteness | None = None
    independence: Independence | None = None
    step: StepComparison | None = None
    refused: str = ""


@dataclass(frozen=True)
class Against:
    """A model compared with a measured frequency response that it was not fitted to."""

    experiment: str
    model: str
    pair: Pair
    hz: Reals
    measured: npt.NDArray[np.complex128]
    modelled: npt.NDArray[np.complex128]
    fit_percent: float  # equation 29, of the magnitudes
    error_percent: float  # |H - Hm| / |Hm|, over all lines


@dataclass(frozen=True, kw_only=True)
class Study:
    """The whole result."""

    rig: str
    rate_hz: float
    made: str  # date and time, UTC
    command: str  # as typed
    experiments: tuple[Experiment, ...]
    findings: tuple[Found, ...] = ()
    prepared: tuple[Cleaned, ...] = ()
    responses: tuple[Measured, ...] = ()
    transfers: tuple[Transfers, ...] = ()
    grey: Grey | None = None
    checks: tuple[Check, ...] = ()
    against: tuple[Against, ...] = ()
    tuning: Tuning | None = None  # gains proposed for the identified machine
    remarks: tuple[str, ...] = ()

    def experiment(self, name: str) -> Experiment:
        """By name; KeyError if there is none."""
        return {each.name: each for each in self.experiments}[name]

    def held(self, channel: str) -> bool:
        """Whether the channel is held between samples; responses from it are corrected for the hold."""
        return any(one.hold(channel) is Hold.zero for one in self.experiments)


__all__ = [
    "Against",
    "Bandwidth",
    "Check",
    "Cleaned",
    "Crossing",
    "Experiment",
    "Found",
    "Grey",
    "Kind",
    "Measured",
    "Pair",
    "Role",
    "Study",
    "Transfers",
]
