"""A commissioning's dict, any piece of which may be missing: asking is never an error, the answer is then empty."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


class Part:
    """One value of the dict, and the way to what is in it."""

    __slots__ = ("value",)

    def __init__(self, value: object = None) -> None:
        self.value = value

    def __bool__(self) -> bool:
        if isinstance(self.value, (str, Mapping, list, tuple)):
            return len(self.value) > 0
        return self.value is not None

    def __getitem__(self, key: str) -> "Part":
        return Part(self.value.get(key)) if isinstance(self.value, Mapping) else Part()

    @property
    def text(self) -> str:
        """As a person reads it; empty where there is none."""
        if self.value is None or isinstance(self.value, (Mapping, list, tuple)):
            return ""
        if isinstance(self.value, float) and not math.isfinite(self.value):
            return ""
        if isinstance(self.value, bool):
            return "yes" if self.value else "no"
        return str(self.value)

    @property
    def number(self) -> float | None:
        """A finite one, or None."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            return None
        return float(self.value) if math.isfinite(self.value) else None

    @property
    def parts(self) -> list["Part"]:
        """Of a list."""
        return [Part(item) for item in self.value] if isinstance(self.value, (list, tuple)) else []

    @property
    def texts(self) -> list[str]:
        """Of a list, those that say something."""
        return [part.text for part in self.parts if part.text]

    @property
    def named(self) -> dict[str, "Part"]:
        """Of an object."""
        return {str(key): Part(item) for key, item in self.value.items()} if isinstance(self.value, Mapping) else {}

    @property
    def by_number(self) -> list[tuple[float, "Part"]]:
        """Of an object whose keys are numbers, as frequencies are: in their order."""
        found = []
        for key, part in self.named.items():
            try:
                number = float(key)
            except ValueError:
                continue
            if math.isfinite(number) and part:
                found.append((number, part))
        return sorted(found, key=lambda one: one[0])

    @property
    def row(self) -> npt.NDArray[np.float64]:
        """Of a list of numbers; nan for what is none."""
        numbers = [part.number for part in self.parts]
        return np.array([math.nan if x is None else x for x in numbers], float)

    def column(self, key: str) -> npt.NDArray[np.float64]:
        """Of a list of objects, this number of each; nan where it is missing."""
        return Part([part[key].value for part in self.parts]).row

    def block(self, levels: int) -> npt.NDArray[np.float64] | None:
        """Of numbers in so many levels of lists, of one length a level; None where they are no such thing."""
        try:
            made = np.array(self.value, float)
        except (TypeError, ValueError):
            return None
        return made if made.ndim == levels and made.size else None


def alike(*rows: Any) -> tuple[Any, ...]:
    """Rows of numbers cut to the entries that all of them have."""
    length = min(len(row) for row in rows)
    cut = [row[:length] for row in rows]
    whole = np.all([np.isfinite(row) for row in cut], axis=0)
    return tuple(row[whole] for row in cut)
