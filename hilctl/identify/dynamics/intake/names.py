"""What a column is: which of our channels, and the factor that brings it to SI.

Our own names are taken as they are: `displacement_m`. So are other units, `displacement_mm`, `pressure_a_bar`,
`displacement [mm]`, and short names that are given with --map: `displacement=Weg:mm`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hilctl.identify.dynamics.intake.foreign import IntakeFault
from hilctl.machine import GRAVITY
from hilctl.params import nearest
from hilctl.signals import CHANNELS

# Of a unit of ours: how others are written, and their factor.
_UNITS: dict[str, dict[str, float]] = {
    "m": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "µm": 1e-6, "in": 0.0254},
    "m/s": {"m_s": 1.0, "m/s": 1.0, "mm_s": 1e-3, "mm/s": 1e-3},
    "m/s²": {"m_s2": 1.0, "m/s2": 1.0, "m/s²": 1.0, "g": GRAVITY, "cm_s2": 1e-2, "mm_s2": 1e-3},
    "Pa": {"pa": 1.0, "kpa": 1e3, "mpa": 1e6, "bar": 1e5, "psi": 6894.757293168},
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "": {"": 1.0, "1": 1.0, "%": 1e-2, "percent": 1e-2, "v": 1.0},
}
_OURS = {channel.name: channel.unit for channel in CHANNELS}
TIME = "time_s"
SHORT: dict[str, str] = {
    "displacement": "displacement_m", "position": "displacement_m", "acceleration": "acceleration_m_s2",
    "pressure_a": "pressure_a_pa", "pressure_b": "pressure_b_pa", "load_pressure": "load_pressure_pa",
    "supply_pressure": "supply_pressure_pa", "command": "u_applied", "u": "u_applied", "reference": "xd_m",
    "xd": "xd_m", "velocity": "velocity_m_s", "time": TIME, "t": TIME,
}  # fmt: skip
_BRACKETED = re.compile(r"^(?P<name>.*?)\s*[\[(](?P<unit>[^\])]*)[\])]\s*$")


class Column(NamedTuple):
    """One column that is taken."""

    at: int
    channel: str
    factor: float


def channel_named(word: str) -> str:
    """Of a short name or one of ours; IntakeFault for another."""
    word = word.strip()
    channel = SHORT.get(word, word)
    if channel not in _OURS and channel != TIME:
        raise IntakeFault(f"--map {word}: no such channel; {nearest(word, [*SHORT, *_OURS]) or 'see `hilctl watch`'}")
    return channel


def columns_of(header: Sequence[str], mapping: Mapping[str, str]) -> list[Column]:
    """What each column is; those that are none of ours are left out. IntakeFault where a mapping leads nowhere."""
    names = [name.strip() for name in header]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise IntakeFault(f"the header names {', '.join(twice)} twice; name every column once")
    taken = [_mapped(names, word, told) for word, told in mapping.items()]
    done = {one.channel for one in taken}
    for at, name in enumerate(names):
        found = _known(name)
        if found is not None and found[0] not in done and at not in [one.at for one in taken]:
            taken.append(Column(at, *found))
            done.add(found[0])
    return taken


def _mapped(names: Sequence[str], word: str, told: str) -> Column:
    channel = channel_named(word)
    ours = "s" if channel == TIME else _OURS[channel]
    column, mark, unit = told.rpartition(":")
    if told in names or not mark or column not in names:
        column, unit = told, ""
    if column not in names:
        raise IntakeFault(f"--map {word}={told}: the header has no such column; it has {', '.join(names)}")
    if not unit and (found := _BRACKETED.match(column)):
        unit = found["unit"]
    if not unit:
        known = _known(column)
        return Column(names.index(column), channel, known[1] if known and known[0] == channel else 1.0)
    return Column(names.index(column), channel, _factor(ours, unit, f"--map {word}={told}"))


def _factor(ours: str, unit: str, where: str) -> float:
    known = _UNITS.get(ours, {})
    factor = known.get(unit.strip(), known.get(unit.strip().lower()))
    if factor is None:
        raise IntakeFault(f"{where}: unit {unit!r} is not known here; known are {', '.join(filter(None, known))}")
    return factor


def _known(name: str) -> tuple[str, float] | None:
    """The channel that a column's name says, and its factor."""
    if name in _OURS:
        return name, 1.0
    bracketed = _BRACKETED.match(name)
    if bracketed:
        base, unit = bracketed["name"].strip(), bracketed["unit"].strip()
        channel = SHORT.get(base.lower(), base)
        ours = "s" if channel == TIME else _OURS.get(channel)
        return None if ours is None else (channel, _factor(ours, unit, f"column {name!r}"))
    for base, channel in SHORT.items():
        ours = "s" if channel == TIME else _OURS[channel]
        if name.lower() == base:
            return channel, 1.0
        if name.lower().startswith(f"{base}_") and (unit := name[len(base) + 1 :].lower()) in _UNITS.get(ours, {}):
            return channel, _UNITS[ours][unit]
    return None
