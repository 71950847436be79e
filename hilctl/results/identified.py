"""The answers of `hilctl identify`, as their files hold them: what was found, and what became of it."""

import json
import shlex
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct, field

from hilctl.results.friction import Campaign, SlidingFit, Table
from hilctl.results.plant import PlantEvidence
from hilctl.results.prepared import Prepared
from hilctl.results.quantity import Quantity
from hilctl.results.reversals import Reversals

Sets = Annotated[list[dict[str, Any]], Meta(description="what applies the result, as `hilctl set` takes it: one a set")]
WallSeconds = Annotated[float, Meta(description="that the command took")]


class Applied(Struct, frozen=True):
    """The sets that were applied."""

    epochs: list[int]


class IdentifiedFriction(Campaign, frozen=True, kw_only=True):
    """`friction.json`: friction at constant speeds."""

    fit: SlidingFit | None = None
    fit_refused: Annotated[str, Meta(description="why no friction model fits the points; empty where one does")] = ""
    sets: Sets = field(default_factory=list)
    applied: Applied | None = None
    wall_seconds: WallSeconds = 0.0


class FittedPoints(Struct, frozen=True, kw_only=True):
    """`fit.json`: the friction model of points that were measured elsewhere."""

    source: str
    joint: Annotated[bool, Meta(description="torques in N·m over angular speeds in rad/s, not forces over speeds")]
    given: Annotated[int, Meta(description="points in the file; each of them counts in r2 and fit_percent")]
    set_aside: Annotated[int, Meta(description="of them, points that belong to no curve; `rejected` lists them")]
    fit: SlidingFit
    wall_seconds: WallSeconds = 0.0


class IdentifiedReversals(Reversals, frozen=True, kw_only=True):
    """`presliding.json`: friction before it slides."""

    rig: str
    curve: Table
    prepared: Prepared | None
    folder: str
    sets: Sets
    applied: Applied | None
    wall_seconds: WallSeconds = 0.0


class Plant(PlantEvidence, frozen=True, kw_only=True):
    """Valve, cylinder and mass."""

    plant: Annotated[dict[str, Quantity], Meta(description="by the key of the rig file")]


class IdentifiedPlant(Plant, frozen=True, kw_only=True):
    """`plant.json`: valve, cylinder and mass."""

    rig: str
    prepared: Prepared | None
    folder: str
    sets: Sets
    applied: Applied | None
    wall_seconds: WallSeconds = 0.0


Answer = TypeVar("Answer", bound=Struct)


def answer(kind: type[Answer], found: Struct, **more: Any) -> Answer:
    """A result with what a command adds to it."""
    return kind(**{name: getattr(found, name) for name in found.__struct_fields__}, **more)


def set_line(changes: Mapping[str, Any], origin: str) -> str:
    """The command that applies these values."""
    words = (shlex.quote(f"{key}={json.dumps(value, separators=(',', ':'))}") for key, value in changes.items())
    return f"hilctl set {' '.join(words)} --origin {shlex.quote(origin)}"
