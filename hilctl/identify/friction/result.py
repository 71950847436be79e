"""What a friction fit says: the law, how sure it is, why this one, and what is wrong with it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from hilctl.friction import Friction
from hilctl.identify.friction.fit_points import Points
from hilctl.identify.friction.judge_law import Tried, weights
from hilctl.params.finite import finite
from hilctl.results import friction as results
from hilctl.results.quantity import Flag, Quantity


class FrictionFit(NamedTuple):
    """An identified friction law. `friction.table()` is what the rig file holds."""

    friction: Friction
    law: str
    why: str
    directions: str  # alike, offset or apart
    parameters: Mapping[str, Quantity]  # by the key in the table; negative.NAME in the other direction
    offset: Quantity | None  # a force that does not turn with the direction; taken off, not part of the law
    points: Points
    curve_n: Any  # at the points, the offset included
    inside: Any  # which points count
    rejected: tuple[results.Rejected, ...]
    scatter_n: float  # standard deviation of a point of mean weight
    r2: float
    fit_percent: float  # 100 (1 - |F - curve| / |F - mean|) of all points, both directions folded, like r2
    flags: tuple[Flag, ...]
    tried: tuple[Tried, ...]
    knowledge: tuple[results.Knowledge, ...]
    searches: tuple[results.Search, ...]

    @property
    def residual_n(self) -> Any:
        """Forces less the curve."""
        return self.points.force_n - self.curve_n

    def parameter(self, name: str) -> Quantity:
        """The one with this key."""
        return self.parameters[name]

    def flagged(self, *codes: str) -> list[Flag]:
        """Flags with one of these codes."""
        return [flag for flag in self.flags if flag.code in codes]

    def told(self) -> results.SlidingFit:
        """As a result holds it: what is no finite number is None."""
        points = self.points
        return results.SlidingFit(
            law=self.law, why=self.why, table=finite(self.friction.table()), directions=self.directions,
            parameters=dict(self.parameters), offset=self.offset,
            points=results.Fitted(
                speed_m_s=finite(points.speed_m_s), force_n=finite(points.force_n),
                sd_n=finite(points.sd_n) if points.sd_known else None, curve_n=finite(self.curve_n),
                residual_n=finite(self.residual_n), inside=finite(self.inside),
            ),
            rejected=list(self.rejected), scatter_n=finite(self.scatter_n), r2=finite(self.r2),
            fit_percent=finite(self.fit_percent), flags=list(self.flags), laws=laws_table(self.tried),
            knowledge=list(self.knowledge), searches=list(self.searches),
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """As plain values that JSON can hold."""
        plain: dict[str, Any] = msgspec.to_builtins(self.told())
        return plain


def laws_table(tried: tuple[Tried, ...]) -> list[results.Tried]:
    """Every model that was compared with the points, with its evidence."""
    least = min(t.bic for t in tried)
    return [
        results.Tried(
            law=t.form.name, model=t.form.model, bic=finite(t.bic), above_best=finite(t.bic - least),
            weight=finite(weight), parameters=t.fitted and t.fitted.words,
            directions=str(t.fitted.directions) if t.fitted else None, refused=t.refused,
            f_tests=[results.FTest(**finite(step)) for step in t.steps],
        )
        for t, weight in zip(tried, weights(list(tried)), strict=True)
    ]  # fmt: skip
