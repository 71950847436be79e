"""`study.json`: what `hilctl identify dynamics` found; the samples are stored beside it."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from hilctl.results.friction import Row
from hilctl.results.grey_box import Estimate, Fit, Invariant, Open
from hilctl.results.identified import Applied, Plant, Sets, WallSeconds
from hilctl.results.prepared import Prepared
from hilctl.results.quantity import Quantity

Percent = Annotated[float | None, Meta(description="fit: 100 (1 - |error| / |measured - mean|)")]


class Experiment(Struct, frozen=True):
    """A motion that was driven, or a recording."""

    name: str
    group: Annotated[str, Meta(description="experiments of one group give one response")]
    kind: str
    role: Annotated[str, Meta(description="fit: models are fitted to it; check: they are only validated on it")]
    settings: dict[str, Any]
    rate_hz: float
    seconds: float
    samples: int
    band_hz: list[float]
    channels: list[str]
    source: Annotated[str, Meta(description="rig, or the name of a file")]
    notes: list[str]


class Found(Struct, frozen=True):
    """A fault of a record."""

    experiment: str
    kind: str
    channel: str
    text: str


class Cleaned(Struct, frozen=True):
    """A step of preparing a channel."""

    experiment: str
    step: str
    channel: str
    touched: Annotated[int, Meta(description="samples that it replaced, or all")]
    rms: float | None
    largest: float | None
    text: str


class Responded(Struct, frozen=True):
    """A frequency response, entry by entry with its 95 % interval."""

    experiment: str
    kind: str
    input: str
    output: str
    hold_taken_out: Annotated[bool, Meta(description="whether the input is held between samples, which is corrected")]
    minus_3_db: Quantity | None
    minus_90_deg: Quantity | None
    hz: Row
    magnitude: Row
    magnitude_low: Row
    magnitude_high: Row
    phase_deg: Row
    phase_low_deg: Row
    phase_high_deg: Row
    coherence: Row


class Order(Struct, frozen=True):
    """A transfer function: polynomials of s in 1/s, from the highest power down."""

    order: int
    amplitude_percent: Percent
    percent: Percent
    bic: float | None
    stable: bool
    numerator: list[float]
    denominator: list[float]
    poles: Annotated[list[list[float]], Meta(description="real and imaginary part, 1/s")]
    zeros: list[list[float]]


class Transfers(Struct, frozen=True):
    """Transfer functions on one response."""

    experiment: str
    input: str
    output: str
    band_hz: list[float]
    chosen: Annotated[int | None, Meta(description="the order that the data ask for")]
    orders: list[Order]
    refused: Annotated[str, Meta(description="why there is none; empty where there are")]


class Short(Struct, frozen=True):
    """A transfer function in two figures."""

    fit_percent: Percent
    stable: bool


class Grey(Struct, frozen=True):
    """The grey box."""

    model: str
    experiments: list[str]
    outputs: list[str]
    before: Annotated[dict[str, float], Meta(description="nominal values of the rig file, by the model's names")]
    keys: Annotated[dict[str, str], Meta(description="the rig file's key, by the model's names")]
    refused: str
    proposed: Annotated[dict[str, float], Meta(description="what may be set, by key")]
    doubt: Annotated[str, Meta(description="why nothing of the fit is proposed; empty where it may be")]
    fit: Fit | None
    mass: Annotated[Plant | None, Meta(description="the mass from force and acceleration, where the fit has none")]


class Check(Struct, frozen=True):
    """A model on a record that it was not fitted to."""

    experiment: str
    model: str
    output: str
    rate_hz: float
    fit_percent: Percent
    whiteness: Annotated[dict[str, Any] | None, Meta(description="residuals against themselves")]
    independence: Annotated[dict[str, Any] | None, Meta(description="residuals against the input")]
    step: Annotated[dict[str, Any] | None, Meta(description="figures of a step, measured and modelled")]
    refused: str


class Against(Struct, frozen=True):
    """A model compared with a response that it was not fitted to."""

    experiment: str
    model: str
    input: str
    output: str
    lines: int
    fit_percent: Percent
    error_percent: float | None


class Ends(Struct, frozen=True):
    """The fit before and after."""

    start: float | None
    final: float | None


class Study(Struct, frozen=True, kw_only=True):
    """The study; of the grey box, what programs need first stands here too, null where there is none."""

    rig: str
    rate_hz: float
    made: Annotated[str, Meta(description="date and time, UTC")]
    command: str
    experiments: list[Experiment]
    findings: list[Found]
    prepared: list[Cleaned]
    responses: list[Responded]
    transfers: list[Transfers]
    grey: Grey | None
    checks: list[Check]
    against: list[Against]
    tuning: Annotated[dict[str, Any] | None, Meta(description="proposed gains, as `hilctl tune --json` gives them")]
    remarks: list[str]
    fit_percent: Ends | None = None
    iterations: int | None = None
    rank: int | None = None
    free: int | None = None
    singular_values: list[float] | None = None
    null_directions: list[Open] | None = None
    invariants: dict[str, Invariant] | None = None
    parameters: dict[str, Estimate] | None = None
    transfer_functions: Annotated[dict[str, Short], Meta(description="of the first response, by order")]


class IdentifiedDynamics(Study, frozen=True, kw_only=True):
    """`study.json`: frequency responses, transfer functions, grey box, and whether they hold."""

    prepared_rig: Prepared | None
    folder: str
    sets: Sets
    applied: Applied | None
    report: Annotated[str | None, Meta(description="the page")]
    wall_seconds: WallSeconds = 0.0
