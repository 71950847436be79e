"""The result of an identification: every quantity with its interval and origin, and its flags."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from hilctl.params.finite import finite
from hilctl.results.plant import PlantEvidence
from hilctl.results.quantity import Flag, Quantity


class PlantFit(NamedTuple):
    """An identified machine."""

    quantities: Mapping[str, Quantity]  # by key, as in the rig file where it has one
    model: frozenset[str]  # those of the inverse model; others are of a sensor, or derived
    flags: tuple[Flag, ...]
    notes: tuple[str, ...]  # what the numbers are relative to
    explained_percent: dict[str, float]  # of each record's flow
    scatter: float  # of a spectral line, in units of what is expected of it
    singular_values: tuple[float, ...]
    weakest: str
    rig_seconds: float
    samples: int
    losses: tuple[str, ...] = ()

    def quantity(self, key: str) -> Quantity:
        """By key."""
        return self.quantities[key]

    def changes(self) -> dict[str, float]:
        """What to set in the rig, by key: the model's parameters that were identified."""
        return {
            key: q.value for key, q in self.quantities.items()
            if key in self.model and q.identified and q.before is not None and q.value is not None
        }  # fmt: skip

    @property
    def told(self) -> dict[str, Quantity]:
        """As a result holds them: without numbers where these data say none."""
        return {key: q if q.identified else q.withheld() for key, q in self.quantities.items()}

    def evidence(self) -> PlantEvidence:
        """How well they are identified."""
        return PlantEvidence(
            flags=list(self.flags), notes=[*self.notes, *self.losses], explained_percent=finite(self.explained_percent),
            scatter=finite(self.scatter), singular_values=finite(self.singular_values), weakest=self.weakest,
            changes=self.changes(), rig_seconds=self.rig_seconds, samples=self.samples,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """As plain values that JSON can hold."""
        plain: dict[str, Any] = msgspec.to_builtins({"plant": self.told})
        return {**plain, **msgspec.to_builtins(self.evidence())}
