"""Who gives and who takes what: what the rig file says of it, and what follows where it leaves it open."""

from collections.abc import Iterator
from typing import NamedTuple

from firmware_bridge.driver import OUTPUTS, Has
from firmware_bridge.mixed.settings import Part
from hilctl.params import Problem
from hilctl.signals import SENSORS


class Share(NamedTuple):
    """What one part does for the rig."""

    gives: tuple[str, ...]
    takes: tuple[str, ...]


def shares(parts: dict[str, Part], has: dict[str, Has | None], present: tuple[str, ...], at: str,
           problems: list[Problem]) -> dict[str, Share]:
    """Every part's share. `has` is what a part's own table says; `present`, which sensors the rig has."""
    gives, takes = _gives(parts, has, present), _takes(parts, has)
    problems += _unlike(parts, has, at)
    problems += _open(parts, has, at)
    if not problems:
        problems += _readings(gives, present, at)
        problems += _outputs(takes, at)
        problems += [Problem(f"{at}.{name}", "gives nothing and takes nothing",
                             "every part must read a sensor or drive an output",
                             "remove it, or set gives or takes")
                     for name in parts if not gives[name] and not takes[name]]  # fmt: skip
    return {name: Share(gives[name], takes[name]) for name in parts}


def _gives(parts: dict[str, Part], has: dict[str, Has | None], present: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    said = {s for part in parts.values() for s in part.gives or ()}
    out: dict[str, tuple[str, ...]] = {}
    for name, part in parts.items():
        known = has[name]
        if part.gives is not None:
            out[name] = part.gives
        elif known is not None:
            out[name] = tuple(s for s in known.readings if s not in said)
    taken = {s for given in out.values() for s in given}
    left = tuple(s for s in present if s not in taken)
    return {name: tuple(s for s in out.get(name, left) if s in present) for name in parts}


def _takes(parts: dict[str, Part], has: dict[str, Has | None]) -> dict[str, tuple[str, ...]]:
    out: dict[str, tuple[str, ...]] = {}
    for name, part in parts.items():
        known = has[name]
        if part.takes is not None:
            out[name] = part.takes
        elif known is not None:
            out[name] = known.outputs
    driven = any("valve" in taken for taken in out.values())
    return {name: out.get(name, () if driven else OUTPUTS) for name in parts}


def _unlike(parts: dict[str, Part], has: dict[str, Has | None], at: str) -> Iterator[Problem]:
    """What a part shall give or take, and its own table does not have."""
    for name, part in parts.items():
        known = has[name]
        if known is None:
            continue
        for key, asked, own in (("gives", part.gives, known.readings), ("takes", part.takes, known.outputs)):
            for signal in asked or ():
                if signal not in own:
                    yield Problem(f"{at}.{name}.{key}", signal, "its table has no such signal", "describe it there")


def _open(parts: dict[str, Part], has: dict[str, Has | None], at: str) -> Iterator[Problem]:
    """What follows from the others can follow for one part only."""
    for key in ("gives", "takes"):
        left_open = [n for n, part in parts.items() if getattr(part, key) is None and has[n] is None]
        if key == "takes" and any("valve" in (part.takes or ()) for part in parts.values()):
            continue
        for name in left_open[1:]:
            yield Problem(f"{at}.{name}.{key}", "open", f"is also omitted in {at}.{left_open[0]}",
                          f"set {key} = [...] in one of them")


def _readings(gives: dict[str, tuple[str, ...]], present: tuple[str, ...], at: str) -> Iterator[Problem]:
    for sensor in SENSORS:
        givers = [name for name, given in gives.items() if sensor in given]
        for other in givers[1:]:
            yield Problem(f"{at}.{other}.gives", sensor, f"{at}.{givers[0]} also gives it",
                          "set gives = [...] so that only one of them does")
        if sensor in present and not givers:
            yield Problem(f"{at}.*.gives", sensor, f"sensors.{sensor}.present says that the rig has it",
                          "let a part give it, or set present = false")


def _outputs(takes: dict[str, tuple[str, ...]], at: str) -> Iterator[Problem]:
    drivers = [name for name, taken in takes.items() if "valve" in taken]
    if not drivers:
        yield Problem(f"{at}.*.takes", "no valve", "exactly one part must take the valve",
                      'set takes = ["valve", "enable", "supply"] for the part with the amplifier')
    for other in drivers[1:]:
        yield Problem(f"{at}.{other}.takes", "valve", f"{at}.{drivers[0]} also takes it",
                      "exactly one part takes the valve")
