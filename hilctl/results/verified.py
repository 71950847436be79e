"""The result of a verification: what has changed since a commissioning, why, and whether compensation may stay on."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from hilctl.results.prepared import Prepared
from hilctl.results.quantity import Quantity

VERIFIED_FORMAT = 1
Verdict = Literal["unchanged", "changed", "undecided"]
Single = Literal["unchanged", "changed", "undecided", "not stored", "not measured"]


class Compared(Struct, frozen=True):
    """One quantity, as it is stored and as it is now."""

    name: Annotated[str, Meta(description="for a person")]
    verdict: Annotated[
        Single,
        Meta(
            description="changed: by more than both intervals and by more than what matters; undecided: not seen to "
            "change, but the intervals together are wider than what matters"
        ),
    ]
    stored: Quantity | None = None
    now: Quantity | None = None
    change: Annotated[float | None, Meta(description="now less stored")] = None
    interval: Annotated[float | None, Meta(description="half of the 95 % interval of the change")] = None
    relevant: Annotated[float | None, Meta(description="the least change that matters")] = None

    @property
    def share(self) -> float | None:
        """The change as a share of the stored value; None where that is 0, or where there is no change."""
        value = self.stored.value if self.stored else None
        return self.change / abs(value) if self.change is not None and value else None


class Cause(Struct, frozen=True):
    """What these data allow as the reason of a change."""

    code: str
    text: str
    because: Annotated[list[str], Meta(description="the keys of what has changed")]
    remedy: str


class Judged(Struct, frozen=True):
    """A sine under the stored parameters; distortions in %."""

    amplitude_m: float
    without: Annotated[float, Meta(description="without compensation")]
    compensated: float
    then: Annotated[float | None, Meta(description="compensated, when it was commissioned")] = None


class Compensation(Struct, frozen=True):
    """Whether the compensation of the commissioning may stay on."""

    may_stay: Annotated[bool | None, Meta(description="null where none was commissioned")]
    text: str
    remedy: str = ""
    sines: Annotated[dict[str, Judged], Meta(description="by the sine's frequency in Hz")] = field(default_factory=dict)


class Verified(Struct, frozen=True):
    """`verify.json`: a rig held against its commissioning."""

    rig: str
    date: Annotated[str, Meta(description="when it began, UTC")]
    source: Annotated[str, Meta(description="the stored result of the commissioning")]
    commissioned: Annotated[str, Meta(description="when that began, UTC")]
    verdict: Annotated[Verdict, Meta(description="of all together")]
    compared: Annotated[dict[str, Compared], Meta(description="by the names in [machine], or by whole keys")]
    causes: list[Cause]
    compensation: Compensation
    notes: list[str]
    prepared: Prepared
    oil_then_degc: float | None
    oil_now_degc: float | None
    folder: str
    rig_seconds: float
    wall_seconds: float = 0.0
    format: Annotated[int, Meta(description="of this file")] = VERIFIED_FORMAT
