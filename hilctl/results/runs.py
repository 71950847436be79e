"""What a study by simulation found: study-runs.json. The runs themselves stand in its table."""

from typing import Annotated

from msgspec import Meta, Struct

FORMAT = 1


class VariedQuantity(Struct, frozen=True):
    """A quantity that varied."""

    key: str
    unit: str
    values: Annotated[str, Meta(description="its range, or its choices")]
    nominal: Annotated[str, Meta(description="as the rig file has it")]


class RunMotion(Struct, frozen=True):
    """A motion of every run."""

    name: Annotated[str, Meta(description="its columns begin so")]
    kind: str
    text: str


class Spread(Struct, frozen=True):
    """An outcome over all runs that have it."""

    column: str
    unit: str
    meaning: str
    runs: int
    low: Annotated[float | None, Meta(description="5 % of the runs are below")]
    median: float | None
    high: Annotated[float | None, Meta(description="5 % of the runs are above")]
    most: float | None
    most_run: Annotated[int | None, Meta(description="the run with the greatest")]


class Influence(Struct, frozen=True):
    """How far a quantity decides an outcome."""

    key: str
    column: str
    correlation: Annotated[float | None, Meta(description="Spearman's rank correlation; null for choices")]
    share: Annotated[float, Meta(description="of the outcome's rank variance that the quantity alone explains")]
    certain: Annotated[bool, Meta(description="less than one chance in a hundred, over all quantities, of none")]


class TripCount(Struct, frozen=True):
    """A trip, and how many runs it ended."""

    trip: str
    key: Annotated[str, Meta(description="of the limit that decided")]
    runs: int
    earliest_s: float
    first_run: int
    half: Annotated[str, Meta(description="with or without compensation, where both ran")]


class Worst(Struct, frozen=True):
    """A run to look at."""

    run: int
    why: str
    values: dict[str, float | int | bool | str]


class StudiedRuns(Struct, frozen=True, kw_only=True):
    """A study by simulation."""

    format: int = FORMAT
    rig: str
    folder: str
    table: Annotated[str, Meta(description="the file with every run")]
    runs: int
    failed: Annotated[int, Meta(description="without a result: refused by the rig file's checks or by the controller")]
    outcomes: Annotated[dict[str, int], Meta(description="done, tripped, refused, impossible; of two halves the worse")]
    within_share: Annotated[float | None, Meta(description="of the runs with a result: those without a trip")]
    within_low: Annotated[float | None, Meta(description="95 % interval of that share")]
    within_high: float | None
    varied: list[VariedQuantity]
    motions: list[RunMotion]
    compensation: Annotated[str, Meta(description="as set, with, without, or both")]
    design: str
    seed: int
    trips: list[TripCount]
    spreads: list[Spread]
    influences: Annotated[list[Influence], Meta(description="the strongest first, for each outcome")]
    worst: list[Worst]
    reasons: Annotated[dict[str, int], Meta(description="why runs were refused or impossible")]
    workers: Annotated[int, Meta(description="that computed any of it")]
    real_time_per_core: Annotated[float, Meta(description="simulated seconds in a second of processor time")]
    simulated_s: float
    wall_seconds: Annotated[float, Meta(description="of the last call; a study that was resumed took longer")]
    program: dict[str, str]
