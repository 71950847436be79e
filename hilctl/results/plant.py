"""The machine: how well valve, cylinder and mass are identified."""

from typing import Annotated

from msgspec import Meta, Struct

from hilctl.results.quantity import Flag


class PlantEvidence(Struct, frozen=True):
    """The evidence behind the machine's quantities."""

    flags: list[Flag]
    notes: Annotated[list[str], Meta(description="what the numbers are relative to, and what was lost")]
    explained_percent: Annotated[dict[str, float], Meta(description="of the flow in each motion")]
    scatter: Annotated[float | None, Meta(description="of a spectral line, in units of the expected one")]
    singular_values: list[float | None]
    weakest: Annotated[str, Meta(description="the combination of parameters that the data know least")]
    changes: Annotated[
        dict[str, float], Meta(description="what the controller's model of the machine takes, by key of the rig file")
    ]
    rig_seconds: float
    samples: int
