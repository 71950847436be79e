"""Friction at constant speeds: what was measured, and the sliding curve through it."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from hilctl.results.lengths import same_length
from hilctl.results.prepared import Prepared
from hilctl.results.quantity import Flag, Quantity

Table = Annotated[dict[str, Any], Meta(description="a [friction] table of the rig file")]
Row = list[float | None]


class Point(Struct, frozen=True):
    """Friction at one speed in one direction; the force counts against the motion."""

    direction: int
    speed_m_s: float
    force_n: float
    std_n: Annotated[float, Meta(description="standard error of the force")]
    windows: int
    samples: int


class Pair(Struct, frozen=True):
    """Friction at one speed, both directions together."""

    speed_m_s: float
    force_n: float
    std_n: float
    offset_n: Annotated[float, Meta(description="force that both directions share")]


class Discarded(Struct, frozen=True):
    """A window that does not count."""

    speed_m_s: float
    direction: int
    reason: str


class Windows(Struct, frozen=True):
    """The stretches of constant speed that forces are means over."""

    counted: int
    discarded: list[Discarded]


class Speeds(Struct, frozen=True):
    """How many speeds were asked for, and measured."""

    planned: int
    finished: int


class OilRange(Struct, frozen=True):
    """The oil's temperatures in °C."""

    low: float
    high: float


class Campaign(Struct, frozen=True):
    """The speeds that were driven, and their forces."""

    id: str = field(name="campaign")
    rig: str
    begun: str
    epoch: int
    folder: str
    complete: bool
    speeds: Speeds
    points: list[Point]
    curve: list[Pair]
    windows: Windows
    oil_degc: OilRange | None
    rig_seconds: float
    remarks: list[str]
    prepared: Prepared | None = None


class Fitted(Struct, frozen=True):
    """The points as the fit saw them, one entry each; forces with their signs, the offset included."""

    speed_m_s: Row
    force_n: Row
    sd_n: Row | None
    curve_n: Row
    residual_n: Row
    inside: list[bool]

    def __post_init__(self) -> None:
        same_length(speed_m_s=self.speed_m_s, force_n=self.force_n, sd_n=self.sd_n, curve_n=self.curve_n,
                    residual_n=self.residual_n, inside=self.inside)  # fmt: skip


class Rejected(Struct, frozen=True):
    """A point that does not belong to the curve."""

    point: int
    speed_m_s: float
    force_n: float
    curve_n: float
    deviations: Annotated[float | None, Meta(description="its distance in its own standard errors")]
    limit: float


class FTest(Struct, frozen=True):
    """Whether a richer model of the directions is needed."""

    richer: str
    over: str
    f: float | None
    probability: Annotated[float | None, Meta(description="of such an F by chance")]
    difference: float | None
    taken: bool


class Tried(Struct, frozen=True):
    """A friction model that was compared with the points."""

    law: str
    model: str
    bic: float | None
    above_best: float | None
    weight: float | None
    parameters: int | None
    directions: str | None
    refused: str
    f_tests: list[FTest]


class Knowledge(Struct, frozen=True):
    """What the data say of a set of parameters together."""

    key: str
    names: list[str]
    covariance: list[Row]
    condition: float | None
    weakest: str

    def __post_init__(self) -> None:
        for index, row in enumerate(self.covariance):
            same_length(names=self.names, covariance=self.covariance, **{f"covariance[{index}]": row})


class Search(Struct, frozen=True):
    """The runs of the hybrid genetic algorithm, beside variable projection."""

    key: str
    names: list[str]
    mean: Row
    spread: Annotated[Row, Meta(description="of the runs, relative to the range")]
    gap: float | None
    reached: Annotated[float, Meta(description="share of the runs that reach the least sum of squares")]
    history: Annotated[list[list[Row]], Meta(description="run, generation, parameter: the best of each generation")]

    def __post_init__(self) -> None:
        same_length(names=self.names, mean=self.mean, spread=self.spread)
        for index, run in enumerate(self.history):
            same_length(**{"history[0]": self.history[0], f"history[{index}]": run})
            for row in run:
                same_length(names=self.names, **{f"an entry of history[{index}]": row})


class SlidingFit(Struct, frozen=True):
    """The friction model of the sliding curve, and its evidence."""

    law: str
    why: str
    table: Table
    directions: str
    parameters: dict[str, Quantity]
    offset: Annotated[Quantity | None, Meta(description="a force that does not turn with the motion: no friction")]
    points: Fitted
    rejected: list[Rejected]
    scatter_n: float | None
    r2: float | None
    fit_percent: float | None
    flags: list[Flag]
    laws: list[Tried]
    knowledge: list[Knowledge]
    searches: list[Search]


class ActiveFriction(Struct, frozen=True):
    """The friction model that stays active, each parameter with its interval and its origin."""

    law: str
    kind: Annotated[str, Meta(description="the model that was tried on the rig")] = field(name="class")
    why: str
    certain: bool
    parameters: dict[str, Quantity]
    table: Table
