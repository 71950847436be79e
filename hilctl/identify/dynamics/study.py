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
    """One motion, or one record from elsewhere, with every channel that is looked at."""

    name: str
    group: str  # experiments of one group make one response; of one alone its own name
    kind: Kind
    role: Role
    settings: Mapping[str, Any]  # of the excitation, by key
    rate_hz: float
    channels: Mapping[str, Reals]  # as recorded, by name as in a sample, of one length
    band_hz: tuple[float, float]  # that was driven
    begins: int = 0  # sample at which the excitation begins
    reference: str = "xd_m"  # the channel that shows what was driven, and is free of noise
    signal: Any = None  # what was driven: Stepped, Swept, Tones; None for other motions and for records from elsewhere
    source: str = "rig"  # or the file's name
    notes: tuple[str, ...] = ()  # amplitude that was reduced, and the like

    @property
    def samples(self) -> int:
        """How many."""
        return len(next(iter(self.channels.values())))

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.samples / self.rate_hz

    def hold(self, channel: str) -> Hold:
        """How a channel goes between samples: what our converter puts out stands still."""
        return Hold.zero if self.source == "rig" and channel == "u_applied" else Hold.first


@dataclass(frozen=True)
class Cleaned:
    """An experiment's channels as they were and as they are, with each step between."""

    experiment: str
    prepared: Prepared


@dataclass(frozen=True)
class Found:
    """What is wrong with an experiment's record."""

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
    """Black-box transfer functions on one response, beside the plain least squares of the paper."""

    experiment: str
    pair: Pair
    band_hz: tuple[float, float]
    family: Family | None
    levy: tuple[Fitted, ...]
    refused: str = ""


@dataclass(frozen=True)
class Grey:
    """The grey box: its model, what was fitted, and the weighing that tells the mass where the model has none."""

    model: str  # what it is called: "the rig's own plant"
    experiments: tuple[str, ...]
    outputs: tuple[str, ...]
    fit: Fit | None
    before: Mapping[str, float] = field(default_factory=dict)  # what the rig file says, by the model's names
    keys: Mapping[str, str] = field(default_factory=dict)  # the rig file's key, by the model's names
    mass: PlantFit | None = None  # force against acceleration: machine.m, which flow does not tell
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
    """A model beside a measured frequency response that it was not fitted to."""

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
    """All of it."""

    rig: str
    rate_hz: float
    made: str  # date and time, UTC
    command: str  # that made it
    experiments: tuple[Experiment, ...]
    findings: tuple[Found, ...] = ()
    prepared: tuple[Cleaned, ...] = ()
    responses: tuple[Measured, ...] = ()
    transfers: tuple[Transfers, ...] = ()
    grey: Grey | None = None
    checks: tuple[Check, ...] = ()
    against: tuple[Against, ...] = ()
    tuning: Tuning | None = None  # gains for the machine that was identified, proposed
    remarks: tuple[str, ...] = ()

    def experiment(self, name: str) -> Experiment:
        """By name; KeyError where there is none."""
        return {each.name: each for each in self.experiments}[name]

    def held(self, channel: str) -> bool:
        """Whether it stood still between samples; responses from it are without the lag of that."""
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
