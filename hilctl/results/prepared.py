"""What was done before anything was measured."""

from typing import Annotated

from msgspec import Meta, Struct


class Zeroed(Struct, frozen=True):
    """A sensor that was zeroed."""

    sensor: str
    key: str
    old: Annotated[float, Meta(description="offset before, in the sensor's own unit")]
    new: Annotated[float, Meta(description="offset now")]
    read: Annotated[float, Meta(description="the sensor's mean reading before")]
    date: str


class Prepared(Struct, frozen=True):
    """The preparation as it was done."""

    date: str
    zeroed: list[Zeroed]
    polarity: Annotated[str, Meta(description="how it was proved")]
    null_opening: Annotated[float, Meta(description="the opening at which the loop holds the table at rest")]
    warm_up_s: float
    oil_before_degc: float | None
    oil_after_degc: float | None
    epoch: int
    remarks: list[str]
