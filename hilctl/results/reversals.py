"""Friction before it slides: which model shows it, and why."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from hilctl.results.friction import Row, Table
from hilctl.results.quantity import Quantity

Kind = Literal["static", "lugre", "gms", "dahl"]
Choice = Literal["static", "lugre", "gms", "dahl", "undecided"]


class Swing(Struct, frozen=True):
    """A motion that was driven."""

    amplitude_m: float
    frequency_hz: float
    cycles: int


class Turn(Struct, frozen=True):
    """Friction over the distance since a reversal, both reversals of a cycle."""

    amplitude_m: float
    distance_m: Row
    measured_n: Row
    laws_n: Annotated[dict[str, Row], Meta(description="the same of each friction model")]


class Hysteresis(Struct, frozen=True):
    """The loop of friction over displacement in one swing: `measured`, and of each friction model."""

    amplitude_m: float
    frequency_hz: float
    turned: Annotated[float, Meta(description="share of its level through which friction turns; 1: whole")]
    loss_j: Annotated[dict[str, float], Meta(description="energy that a cycle takes")]
    chord_n_m: Annotated[dict[str, float], Meta(description="slope from one reversal to the other")]
    left: Annotated[dict[str, float], Meta(description="variances of noise a point that each model leaves")]


class Alternative(Struct, frozen=True):
    """A friction model beside the one that was taken, not ruled out."""

    kind: Kind
    probability: float
    friction: Table


class Evidence(Struct, frozen=True):
    """What the choice rests on."""

    level: Annotated[float | None, Meta(description="of friction here, as a multiple of the sliding curve's")]
    level_n: float | None
    travel_m: Annotated[float | None, Meta(description="of the table, from minus to plus half of the level")]
    travel_error_m: float | None
    reversals: int
    turn: Turn
    left: Annotated[
        dict[str, float], Meta(description="variances of noise a point that each model leaves; empty under a jump")
    ] = field(default_factory=dict)
    loops: Annotated[
        list[Hysteresis], Meta(description="cycles that were not fitted; empty where friction jumps")
    ] = field(default_factory=list)
    points: Annotated[int | None, Meta(description="of these cycles")] = None
    independent: Annotated[
        float | None, Meta(description="as how many independent points they count: neighbours share their errors")
    ] = None


class Reversals(Struct, frozen=True):
    """The kind of friction, its parameters, and its evidence."""

    kind: Kind
    certain: bool
    why: str
    advice: str
    warnings: list[str]
    friction: Table
    parameters: dict[str, Quantity]
    evidence: Evidence
    swings: list[Swing]
    rig_seconds: float
    choice: Annotated[
        Choice, Meta(description="the friction model that is more probable than `decided_from`, or undecided")
    ] = "undecided"
    probabilities: Annotated[
        dict[str, float], Meta(description="of each model that the sliding curve allows; 1 together")
    ] = field(default_factory=dict)
    decided_from: Annotated[float, Meta(description="the probability from which on a model is chosen")] = 1.0
    reasons: Annotated[list[str], Meta(description="what in the measured loops speaks for it")] = field(
        default_factory=list
    )
    alternatives: list[Alternative] = field(default_factory=list)
    sides: Annotated[
        dict[str, Quantity], Meta(description="parameters of the negative side over those of the positive")
    ] = field(default_factory=dict)
