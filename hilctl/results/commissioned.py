"""The result of a commissioning: one value, from which the JSON, its schema and the report come.

A part that was not done is None. `missing` says why, and how to get it alone.
"""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from hilctl.results.friction import ActiveFriction, Campaign, SlidingFit
from hilctl.results.plant import PlantEvidence
from hilctl.results.prepared import Prepared
from hilctl.results.proof import Choice, Hz, Learned, Preview, Sine, Thd, Tracked, Tuning, Worse
from hilctl.results.quantity import Flag, Quantity
from hilctl.results.reversals import Reversals

FORMAT = 2

# The parts that can be measured alone, in the order of the work, as the report names them.
PARTS = {
    "sines": "Sines, before and after",
    "tracking": "Tracking, before and after",
    "plant": "The machine",
    "friction": "Friction, measured",
    "reversals": "When it reverses",
    "compensation": "Compensation, on the rig itself",
    "gains": "Gains",
    "learning": "Learned drives",
}


class Failed(Struct, frozen=True):
    """Why the work ended early."""

    stage: str
    text: str
    parameters: Annotated[str, Meta(description="what became of the parameters")] = ""


class Missing(Struct, frozen=True):
    """A part that was not done, or not whole."""

    reason: str
    remedy: Annotated[str, Meta(description="the command that measures it alone")]


class Stage(Struct, frozen=True):
    """A part of the work, and how long it took."""

    name: str
    rig_seconds: float
    wall_seconds: float


class Loss(Struct, frozen=True):
    """Readings and ticks that a leg did without."""

    leg: str
    text: str


class Sent(Struct):
    """The set of parameters that was applied."""

    epoch: int
    author: str
    origin: str
    values: dict[str, Any]
    old: dict[str, Any]
    file: Annotated[str | None, Meta(description="where they are saved")] = None
    line: Annotated[str, Meta(description="what the rig file must say to include that file")] = ""
    included: bool = False


class Commissioned(Struct):
    """The results of a commissioning, or those so far."""

    format: Annotated[int, Meta(description="of this file; another one is refused")] = FORMAT
    rig: str = ""
    rate_hz: float = 0.0
    date: Annotated[str, Meta(description="when it began, UTC")] = ""
    author: str = ""
    clock: str = ""
    twin: Annotated[bool, Meta(description="a simulated rig")] = False
    run: Annotated[str, Meta(description="of the service")] = ""
    folder: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    complete: bool = False
    failed: Failed | None = None
    warnings: list[str] = field(default_factory=list)
    not_identified: list[Flag] = field(default_factory=list)
    missing: Annotated[dict[str, Missing], Meta(description="by part: what was not done, why, and how to get it")] = (
        field(default_factory=dict)
    )
    stages: list[Stage] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    rig_seconds: float = 0.0
    wall_seconds: float = 0.0
    prepared: Prepared | None = None
    thd: Annotated[dict[Hz, Thd], Meta(description="by the sine's frequency in Hz")] = field(default_factory=dict)
    sines: Annotated[dict[Hz, Sine], Meta(description="by the sine's frequency in Hz")] = field(default_factory=dict)
    tracking: list[Tracked] = field(default_factory=list)
    worse: Annotated[
        list[Worse],
        Meta(description="what got worse with the inverse model everywhere, which `law.feed.inverse_…` then limit"),
    ] = field(default_factory=list)
    plant: Annotated[
        dict[str, Quantity] | None,
        Meta(description="the machine, by the names in [machine]; others by their whole keys"),
    ] = None
    plant_fit: PlantEvidence | None = None
    campaign: Campaign | None = None
    fit: SlidingFit | None = None
    presliding: Reversals | None = None
    choice: Choice | None = None
    friction: ActiveFriction | None = None
    preview: Preview | None = None
    tuning: Tuning | None = None
    learning: Annotated[dict[Hz, Learned], Meta(description="by the sine's frequency in Hz")] = field(
        default_factory=dict
    )
    sent: Sent | None = None
    epoch: Annotated[int | None, Meta(description="of the active parameters at the end")] = None
    truth: Annotated[dict[str, Any] | None, Meta(description="the simulated rig's own values, where known")] = None


def has(result: Commissioned, part: str) -> bool:
    """Whether there is anything of a part."""
    held: dict[str, object] = {
        "sines": result.thd, "tracking": result.tracking, "plant": result.plant, "friction": result.fit,
        "reversals": result.presliding, "compensation": result.choice, "gains": result.tuning,
        "learning": result.learning,
    }  # fmt: skip
    return bool(held[part])
