"""What a friction fit says: the law, how sure it is, why this one, and what is wrong with it."""

from typing import Any, NamedTuple

from hilctl.friction import Friction
from hilctl.identify.friction_fit.choose import Tried, weights
from hilctl.identify.friction_fit.flags import Flag
from hilctl.identify.friction_fit.points import Points
from hilctl.params.finite import finite


class Parameter(NamedTuple):
    """One number of the law, with its 95 % interval."""

    name: str  # its key in the law's table; negative.NAME in the other direction
    unit: str
    value: float
    low: float
    high: float
    by: str  # linear or profile
    identified: bool  # False: the data do not say what it is; see the flags


class Rejected(NamedTuple):
    """A point that does not belong."""

    point: int
    speed_m_s: float
    force_n: float
    curve_n: float
    deviations: float  # its distance in its own standard errors, the point left out
    limit: float


class Search(NamedTuple):
    """The hybrid algorithm's runs on one set of words, beside the yardstick's."""

    key: str  # "" or "negative."
    names: tuple[str, ...]
    mean: tuple[float, ...]  # of the runs, as the paper takes it
    spread: tuple[float, ...]  # greatest less least of the runs, relative to the range
    gap: float  # the worst run's sum of squares over the yardstick's, less 1
    reached: float  # share of the runs within 1e-9 of the yardstick
    history: Any  # run, generation (the start first), word: the best of each generation


class Knowledge(NamedTuple):
    """What the data say of one set of words together."""

    key: str
    names: tuple[str, ...]
    covariance: Any
    condition: float  # of the Jacobian, its columns of length 1
    weakest: str


class FrictionFit(NamedTuple):
    """An identified friction law. `friction.table()` is what the rig file holds."""

    friction: Friction
    law: str
    why: str
    directions: str  # alike, offset or apart
    parameters: tuple[Parameter, ...]
    offset: Parameter | None  # a force that does not turn with the direction; taken off, not part of the law
    points: Points
    curve_n: Any  # at the points, the offset included
    inside: Any  # which points count
    rejected: tuple[Rejected, ...]
    scatter_n: float  # standard deviation of a point of mean weight
    r2: float
    fit_percent: float  # 100 (1 - |F - curve| / |F - mean|), the directions folded onto one another, like r2
    flags: tuple[Flag, ...]
    tried: tuple[Tried, ...]
    knowledge: tuple[Knowledge, ...]
    searches: tuple[Search, ...]

    @property
    def residual_n(self) -> Any:
        """Forces less the curve."""
        return self.points.force_n - self.curve_n

    def parameter(self, name: str) -> Parameter:
        """The one with this key."""
        return next(p for p in self.parameters if p.name == name)

    def flagged(self, *codes: str) -> list[Flag]:
        """Flags with one of these codes."""
        return [flag for flag in self.flags if flag.code in codes]

    def to_json(self) -> dict[str, Any]:
        """As plain values that JSON can hold: what is no finite number is null."""
        told: dict[str, Any] = finite(
            {
                "law": self.law,
                "why": self.why,
                "table": self.friction.table(),
                "directions": self.directions,
                "parameters": {p.name: p._asdict() for p in self.parameters},
                "offset": self.offset and self.offset._asdict(),
                "points": {
                    "speed_m_s": self.points.speed_m_s,
                    "force_n": self.points.force_n,
                    "sd_n": self.points.sd_n if self.points.sd_known else None,
                    "curve_n": self.curve_n,
                    "residual_n": self.residual_n,
                    "inside": self.inside,
                },
                "rejected": [r._asdict() for r in self.rejected],
                "scatter_n": self.scatter_n,
                "r2": self.r2,
                "fit_percent": self.fit_percent,
                "flags": [flag._asdict() for flag in self.flags],
                "laws": laws_table(self.tried),
                "knowledge": [k._asdict() for k in self.knowledge],
                "searches": [s._asdict() for s in self.searches],
            }
        )
        return told


def laws_table(tried: tuple[Tried, ...]) -> list[dict[str, Any]]:
    """Every law that was held against the points, with its evidence."""
    least = min(t.bic for t in tried)
    return [
        {
            "law": t.form.name,
            "model": t.form.model,
            "bic": t.bic,
            "above_best": t.bic - least,
            "weight": weight,
            "parameters": t.fitted and t.fitted.words,
            "directions": t.fitted and str(t.fitted.directions),
            "refused": t.refused,
            "f_tests": [step._asdict() for step in t.steps],
        }
        for t, weight in zip(tried, weights(list(tried)), strict=True)
    ]
