"""What a column is: which of our channels, and the factor that brings it to SI.

Our own names are taken as they are: `displacement_m`. So are other units, `displacement_mm`, `pressure_a_bar`,
`displacement [mm]`, and short names that are given with --map: `displacement=Weg:mm`. In place of a unit, a number says
what one of the column's is worth, as of a sensor's volts: `displacement=U_weg:0.02`.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hilctl.identify.frequency.intake_record import IntakeFault
from hilctl.machine import GRAVITY
from hilctl.params import nearest
from hilctl.signals import CHANNELS

# Of a unit of ours: how others are written, and their factor.
_UNITS: dict[str, dict[str, float]] = {
    "m": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "µm": 1e-6, "in": 0.0254},
    "m/s": {"m_s": 1.0, "m/s": 1.0, "mm_s": 1e-3, "mm/s": 1e-3},
    "m/s²": {
        "m_s2": 1.0, "m/s2": 1.0, "m/s²": 1.0, "m/s^2": 1.0, "g": GRAVITY, "cm_s2": 1e-2, "mm_s2": 1e-3,
        "mm/s2": 1e-3, "mm/s²": 1e-3, "mm/s^2": 1e-3,
    },
    "Pa": {"pa": 1.0, "kpa": 1e3, "mpa": 1e6, "bar": 1e5, "psi": 6894.757293168},
    "s": {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "": {"": 1.0, "1": 1.0, "%": 1e-2, "percent": 1e-2, "v": 1.0},
}
_OTHERS = ("v", "mv", "a", "ma", "n", "kn", "nm", "°c", "degc", "°", "deg", "rad", "hz", "rpm", "l/min", "-", "")
_OURS = {channel.name: channel.unit for channel in CHANNELS}
TIME = "time_s"
SHORT: dict[str, str] = {
    "displacement": "displacement_m", "position": "displacement_m", "acceleration": "acceleration_m_s2",
    "pressure_a": "pressure_a_pa", "pressure_b": "pressure_b_pa", "load_pressure": "load_pressure_pa",
    "supply_pressure": "supply_pressure_pa", "command": "u_applied", "u": "u_applied", "reference": "xd_m",
    "xd": "xd_m", "velocity": "velocity_m_s", "time": TIME, "t": TIME,
}  # fmt: skip
_BRACKETED = re.compile(r"^(?P<name>.*?)\s*[\[(](?P<unit>[^\])]*)[\])]\s*$")


def unit_of(cell: str) -> str | None:
    """The unit that stands in a cell of a line of units; empty for none, None where that is no unit."""
    word = plain(cell).strip().strip("[]()").strip()
    if word.lower() in _OTHERS:
        return "" if word in ("", "-") else word
    return word if any(word in known or word.lower() in known for known in _UNITS.values()) else None


def plain(text: str) -> str:
    """The Greek letter for micro as the sign for micro, which is another character."""
    return text.replace("\N{GREEK SMALL LETTER MU}", "\N{MICRO SIGN}")


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
    names = [plain(name).strip() for name in header]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise IntakeFault(f"the header names {', '.join(twice)} twice; name every column once")
    taken = [_mapped(names, word, plain(told)) for word, told in mapping.items()]
    for what in ("at", "channel"):
        said = [getattr(one, what) for one in taken]
        words = [f"{word}={told}" for word, told in mapping.items()]
        twice = [word for word, one in zip(words, said, strict=True) if said.count(one) > 1]
        if twice:
            raise IntakeFault(f"--map {' '.join(twice)}: the same {'column' if what == 'at' else 'channel'} more than "
                              "once; give every channel a column of its own")  # fmt: skip
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
    at, unit = _place(names, told), ""
    if at is None:
        column, _, unit = told.rpartition(":")
        at = _place(names, column)
    if at is None:
        raise IntakeFault(f"--map {word}={told}: the header has no such column; it has {', '.join(names)}")
    if not unit and (found := _BRACKETED.match(names[at])):
        unit = found["unit"]
    if not unit:
        known = _known(names[at])
        return Column(at, channel, known[1] if known and known[0] == channel else 1.0)
    return Column(at, channel, _factor(ours, unit, f"--map {word}={told}"))


def told_unit(name: str, mapping: Mapping[str, str]) -> bool:
    """Whether the unit of a time column is said, by its name or by --map."""
    given = next((told for word, told in mapping.items() if SHORT.get(word.strip(), word.strip()) == TIME), "")
    at_end = given.rpartition(":")[2] if ":" in given else ""
    return bool(_BRACKETED.match(name)) or "_" in name or at_end in _UNITS["s"]


def _place(names: Sequence[str], told: str) -> int | None:
    """Of the column that is called so, or so without its unit; None where none is, or several."""
    if told in names:
        return names.index(told)
    bare = [at for at, name in enumerate(names) if (found := _BRACKETED.match(name)) and found["name"] == told.strip()]
    return bare[0] if len(bare) == 1 else None


def _factor(ours: str, unit: str, where: str) -> float:
    known = _UNITS.get(ours, {})
    factor = known.get(unit.strip(), known.get(unit.strip().lower()))
    if factor is None:
        try:
            factor = float(unit)
        except ValueError:
            factor = 0.0
    if not (math.isfinite(factor) and factor):
        raise IntakeFault(
            f"{where}: unit {unit!r} is not known here; known are {', '.join(filter(None, known))}, or the number of "
            f"{ours or 'parts of 1'} that one is worth, like --map CHANNEL=COLUMN:0.02"
        )
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
