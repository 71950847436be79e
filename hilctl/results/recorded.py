"""What a recording and a trip's black box say in numbers: the twins of their pages, for a program."""

from typing import Annotated, Any

from msgspec import Meta, Struct


class Figures(Struct, frozen=True):
    """A channel in numbers, over all samples that hold one."""

    channel: str
    unit: str
    least: float | None
    most: float | None
    mean: float | None
    rms: float | None
    empty: Annotated[int, Meta(description="samples without a number")]


class Motion(Struct, frozen=True):
    """A motion that ran, or the part of it that was recorded."""

    number: int
    text: Annotated[str, Meta(description="as it was planned; empty where its plan was not recorded")]
    kind: str
    parameters: dict[str, Any]
    begins_s: Annotated[float, Meta(description="after the first sample")]
    seconds: float
    epoch: Annotated[int, Meta(description="of the active parameters at its begin")]
    error_rms_m: Annotated[float | None, Meta(description="of the tracking error")]
    error_peak_m: float | None
    ended: Annotated[str, Meta(description="why; empty where the recording ended first")]


class Recorded(Struct, frozen=True, kw_only=True):
    """A recording."""

    rig: str
    file: str
    started: str
    rate_hz: float
    clock: str
    complete: Annotated[bool, Meta(description="closed as it should be; else `end` says what it is")]
    end: Annotated[str, Meta(description="complete, still being written, not complete (`ended` says why), or cut off")]
    ended: Annotated[str, Meta(description="why it ended by itself; empty where it was ended")]
    epoch: int
    samples: int
    seconds: float
    lost: Annotated[int, Meta(description="samples that are missing between the first and the last")]
    skipped: Annotated[int, Meta(description="periods that the loop missed")]
    rejected: Annotated[int, Meta(description="samples with a rejected reading")]
    saturated_s: float
    modes: Annotated[dict[str, float], Meta(description="seconds in each mode")]
    motions: list[Motion]
    changes: Annotated[list[dict[str, Any]], Meta(description="of parameters: tick, epoch, author, key, old, new")]
    trips: list[str]
    warnings: Annotated[dict[str, int], Meta(description="how often each limit that only warns was passed")]
    channels: list[Figures]


class Followed(Struct, frozen=True):
    """An event after the trip."""

    after_s: float
    kind: str
    text: str


class Tripped(Struct, frozen=True, kw_only=True):
    """A trip, as its black box holds it."""

    rig: str
    file: str
    started: str
    epoch: int
    tick: int
    trip: str
    text: str
    key: str
    unit: str
    value: float | None
    limit: float | None
    remedy: str
    action: Annotated[str, Meta(description="the reaction")]
    off_after_s: Annotated[float | None, Meta(description="until everything was switched off; null where it was not")]
    travel_m: Annotated[float | None, Meta(description="of the table after the trip")]
    changed: Annotated[list[str], Meta(description="keys that were set before the trip, while it was recorded")]
    followed: list[Followed]
    link: Annotated[dict[str, list[Any]], Meta(description="counters of the link at the trip and afterwards")]
    log: Annotated[list[dict[str, Any]], Meta(description="the newest lines")]
