"""A chain from a TOML file: the keys of `[twin.specimen.chain]`, and laws with parameters of their own.

links = 2
link1.couple_n_m = 6.0
joint1.law = "coulomb"

[joint2.friction]                    # in place of the coefficients: a force at the pin's surface, or a torque
model = "breakaway-rotational"
tbrk = 0.5
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hilctl.errors import WrongUse
from hilctl.params import BadValues, Problem, check
from sim.specimens.chain.laws import Bearing, bearing_of, own_bearing
from sim.specimens.chain.settings import Chain

_OWN = "friction"


def read_chain(path: Path) -> tuple[Chain, Sequence[Bearing]]:
    """The chain and the laws in its joints; WrongUse if this is no TOML, BadValues with every bad value."""
    try:
        given: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as bad:
        raise WrongUse(f"{path} is no TOML file: {bad}") from None
    tables = {name: table for name, table in given.items() if isinstance(table, dict)}
    laws = {name: table[_OWN] for name, table in tables.items() if name.startswith("joint") and _OWN in table}
    stripped = {
        name: {k: v for k, v in table.items() if k != _OWN} if isinstance(table, dict) else table
        for name, table in given.items()
    }
    for name in laws:
        coefficients = [key for key in stripped[name] if key != "radius_m"]
        if coefficients:
            limit, remedy = "has no effect beside a law of its own", f"omit it, or [{name}.{_OWN}]"
            raise BadValues([Problem(f"{name}.{key}", stripped[name][key], limit, remedy) for key in coefficients])
        stripped[name]["law"] = "none"
    own = check(Chain, stripped)
    joints = [f"joint{k}" for k in range(1, own.links + 1)]
    unused = [name for name in laws if name not in joints]
    if unused:
        raise BadValues([Problem(f"{name}.{_OWN}", "a law", f"is of no joint: links = {own.links}") for name in unused])
    bearings = [
        own_bearing(laws[name], hinge, f"{name}.{_OWN}") if name in laws else bearing_of(hinge)
        for name, hinge in zip(joints, own.hinges, strict=True)
    ]
    return own, bearings
