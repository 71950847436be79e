"""The result of a study of a rig's dynamics, as one value: records, findings, cleaned channels, responses and models.

`hilctl identify dynamics` computes it; `written.plain_study` turns it into study.json, and the report draws it. A part
without a result is None or empty, and a sentence beside it says why.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hilctl.design.result import Tuning
from hilctl.identify.frequency.estimate import Measured
from hilctl.identify.frequency.judge import Finding
from hilctl.identify.frequency.judge_model import Independence, StepComparison, Whiteness
from hilctl.identify.frequency.prepare import Prepared
from hilctl.identify.frequency.record import Experiment, Pair
from hilctl.identify.frequency.transfer_fit import Family
from hilctl.identify.grey_box.result import Fit
from hilctl.identify.plant import PlantFit
from hilctl.results.response import Reals
from hilctl.servo import Hold


@dataclass(frozen=True)
class Transfers:
    """Black-box transfer functions on one response."""

    experiment: str
    pair: Pair
    band_hz: tuple[float, float]
    family: Family | None
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
    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)  # faults of records, by experiment
    prepared: Mapping[str, Prepared] = field(default_factory=dict)  # by experiment
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
