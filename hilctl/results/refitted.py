"""Stored measurements that were judged again: fits.json."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from hilctl.results.quantity import Quantity


class Refitted(Struct, frozen=True, kw_only=True):
    """A stored measurement, judged again."""

    folder: str
    rig: str = ""
    begun: Annotated[str, Meta(description="when it was measured: date and time, UTC")] = ""
    model: Annotated[str, Meta(description="the friction model, or what else was fitted")] = ""
    explained_percent: Annotated[float | None, Meta(description="of what was measured, by the model")] = None
    parameters: Annotated[dict[str, Quantity], Meta(description="of the model")] = field(default_factory=dict)
    refused: Annotated[str, Meta(description="why it gives no model, or nothing at all; empty where it does")] = ""
    result: Annotated[
        dict[str, Any] | None,
        Meta(description="as friction.json, presliding.json, plant.json or study.json has it; `sets` is empty"),
    ] = None
