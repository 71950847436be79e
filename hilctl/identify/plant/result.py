"""The result of an identification: every quantity with its interval and origin, and its flags."""

from typing import Any, NamedTuple

from hilctl.params.finite import finite


class Flag(NamedTuple):
    """A remark that matters before the numbers are used."""

    code: str
    key: str
    text: str
    remedy: str


class Quantity(NamedTuple):
    """One number with its 95 % interval."""

    key: str  # as in the rig file, where it has one
    unit: str
    value: float
    low: float
    high: float
    origin: str
    before: float | None  # what the rig file says; None where it has no such key
    identified: bool  # False: the data do not say what it is; see the flags
    model: bool = True  # of the inverse model; False: of a sensor, or derived


class PlantFit(NamedTuple):
    """An identified machine."""

    quantities: tuple[Quantity, ...]
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
        return next(q for q in self.quantities if q.key == key)

    def changes(self) -> dict[str, float]:
        """What to set in the rig, by key: the model's parameters that were identified."""
        return {q.key: q.value for q in self.quantities if q.model and q.identified and q.before is not None}

    def to_json(self) -> dict[str, Any]:
        """As plain values that JSON can hold: what is not identified is null."""
        told = {}
        for q in self.quantities:
            numbers = {"value": q.value, "low": q.low, "high": q.high}
            told[q.key] = {
                **{name: finite(x) if q.identified else None for name, x in numbers.items()},
                "unit": q.unit, "origin": q.origin, "before": q.before, "identified": q.identified,
            }  # fmt: skip
        return {
            "plant": told,
            "flags": [flag._asdict() for flag in self.flags],
            "notes": [*self.notes, *self.losses],
            "explained_percent": self.explained_percent,
            "scatter": finite(self.scatter),
            "singular_values": [finite(s) for s in self.singular_values],
            "weakest": self.weakest,
            "rig_seconds": self.rig_seconds,
            "samples": self.samples,
        }

