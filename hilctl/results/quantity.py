"""A number that was found out, and a remark on it: the one declaration of each, for all results."""

import math
from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

Origin = Literal["measured", "identified", "assumed", "nominal", "not identifiable"]


class Quantity(Struct, frozen=True):
    """A number with its 95 % interval, its unit and its origin."""

    value: Annotated[float | None, Meta(description="null where there is none")]
    low: Annotated[float | None, Meta(description="lower end of the 95 % interval; null where it is open")] = None
    high: Annotated[float | None, Meta(description="upper end; null where it is open")] = None
    unit: str = ""
    origin: Annotated[
        Origin,
        Meta(
            description="measured directly; identified from data; assumed; nominal: of the rig file; not identifiable "
            "from these data: the value is the best estimate, and is not applied"
        ),
    ] = "identified"
    reason: Annotated[str, Meta(description="the experiment or the assumption that it comes from")] = ""
    before: Annotated[float | None, Meta(description="the active value before; null where there was none")] = None

    @property
    def identified(self) -> bool:
        """Whether the data say what it is."""
        return self.origin in ("measured", "identified")

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval; infinite where it is open."""
        return (-math.inf if self.low is None else self.low, math.inf if self.high is None else self.high)

    def withheld(self) -> "Quantity":
        """Without its numbers."""
        return replace(self, value=None, low=None, high=None)

    def wider(self, by: float) -> "Quantity":
        """The interval so many times as wide, around the value."""
        if self.value is None:
            return self
        low, high = (self.value + by * (end - self.value) for end in self.bounds)
        return replace(self, low=closed(low), high=closed(high))


class Flag(Struct, frozen=True):
    """A remark that matters before a result is used."""

    code: str
    key: Annotated[str, Meta(description="the parameter that it is about, or another part")]
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.text}; {self.remedy}" if self.remedy else self.text


def closed(end: float | None) -> float | None:
    """An end of an interval as it is stored; None where it is open."""
    return None if end is None or not math.isfinite(end) else float(end)


def unsure(named: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """The same, of which these data leave open what they are."""
    return {name: replace(q, origin="not identifiable") for name, q in named.items()}


def quantity(
    value: float, low: float, high: float, unit: str, reason: str, *, identified: bool = True, before: object = None
) -> Quantity:  # fmt: skip
    """One that was estimated from data."""
    was = float(before) if isinstance(before, (int, float)) and not isinstance(before, bool) else None
    origin: Origin = "identified" if identified else "not identifiable"
    return Quantity(closed(value), closed(low), closed(high), unit, origin, reason, was)
