"""What of a part was applied, and the commands that apply the rest."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from hilctl.report.numbers import quantity
from hilctl.results.identified import Applied, Sets, set_line
from hilctl.results.quantity import Flag, Quantity

UNPROVEN = "whether compensation gains from it is not measured here"


class Part(Protocol):
    """What every part has that `hilctl identify` measured."""

    @property
    def sets(self) -> Sets:
        """What applies it."""

    @property
    def applied(self) -> Applied | None:
        """What was."""


def applied(found: Part, what: str, before: str) -> str:
    """The second line: what is active now, and what it was."""
    if found.applied is not None:
        return f"{what}, active since epoch {found.applied.epochs[-1]}"
    return f"nothing: {before}" if found.sets else "nothing: all values are active already"


def _to_set(found: Part, origin: str) -> str:
    """The commands that apply it; empty where nothing is left to apply."""
    if found.applied is not None:
        return ""
    return " then ".join(f"`{set_line(one, origin)}`" for one in found.sets)


def then(found: Part, origin: str, otherwise: str, rig: str) -> str:
    """The last line: what applies it; else that; else the proof on the rig."""
    return (_to_set(found, origin) or otherwise
            or f"`hilctl commission {rig}` proves on the rig what compensation with it gains")  # fmt: skip


def values(quantities: Mapping[str, Quantity]) -> str:
    """Those that were identified, with their intervals."""
    said = []
    for name, one in quantities.items():
        if one.identified:
            value, interval, unit = quantity(one.value, one.low, one.high, one.unit)
            said.append(f"{name} = {value} {unit} {interval}".rstrip())
    return f"{', '.join(said)} (95 % intervals)" if said else "no parameter is identified"


def unknown(quantities: Mapping[str, Quantity]) -> list[str]:
    """The names of those that were not."""
    return [name for name, one in quantities.items() if not one.identified]


def remedy(flags: Iterable[Flag]) -> str:
    """Of the first flag that has one."""
    return next((flag.remedy for flag in flags if flag.remedy), "")
