"""Friction before it slides: which model shows it, and why."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from hilctl.results.friction import Row, Table
from hilctl.results.quantity import Quantity

Kind = Literal["static", "lugre", "gms", "dahl"]


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


class Evidence(Struct, frozen=True):
    """What the choice rests on."""

    level: Annotated[float | None, Meta(description="of friction here, as a multiple of the sliding curve's")]
    level_n: float | None
    travel_m: Annotated[float | None, Meta(description="of the table, from minus to plus half of the level")]
    travel_error_m: float | None
    reversals: int
    left_lugre: Annotated[float | None, Meta(description="variances of noise a point that the model leaves")]
    left_gms: float | None
    lead_of_lugre: float | None
    turn: Turn
    left_dahl: float | None = None


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
