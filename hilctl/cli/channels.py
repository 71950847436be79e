"""Samples as a person reads them: codes by their names, numbers with their units."""

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from hilctl.params import BadValues, Problem, nearest
from hilctl.signals import CHANNELS, NAMES, Arming, Mode, Status, Trip

if TYPE_CHECKING:
    from hilctl.client import Client

_CODES: dict[str, type[IntEnum]] = {"mode": Mode, "arming": Arming, "trip": Trip, "status": Status}
_UNITS = {c.name: c.unit for c in CHANNELS}
_MEANINGS = {c.name: c.meaning for c in CHANNELS}


def need_known(names: Sequence[str]) -> None:
    """BadValues where one is no channel."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise BadValues([Problem("channels", name, "no such channel", nearest(name, NAMES)) for name in unknown])


def is_code(name: str) -> bool:
    """Whether its numbers stand for names."""
    return name in _CODES


def meaning(name: str) -> str:
    """What a channel holds."""
    return _MEANINGS[name]


def newest(rig: "Client", names: Sequence[str]) -> dict[str, Any]:
    """The newest sample; empty before the first."""
    end = int(rig.status()["history"]["end"])
    columns = rig.samples(max(0, end - 1), channels=names)
    return {name: columns[name][-1].item() for name in names if len(columns[name])}


def rows(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and values with their units."""
    return [(name, shown(name, value)) for name, value in row.items()]


def shown(name: str, value: Any) -> str:
    """A channel's value: a code by its name, small and large numbers in engineering units."""
    codes = _CODES.get(name)
    if codes is not None:
        return codes(value).name.lower()
    if isinstance(value, int):
        return f"{value} {_UNITS[name]}".rstrip()
    unit = _UNITS[name]
    match unit:
        case "m":
            return f"{1e3 * value:.4f} mm"
        case "m/s":
            return f"{1e3 * value:.2f} mm/s"
        case "Pa":
            return f"{1e-6 * value:.4f} MPa"
        case _:
            return f"{value:.5g} {unit}".rstrip()
