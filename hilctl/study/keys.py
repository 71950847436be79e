"""Which keys of a rig file can be varied: every number and choice, with its unit, its bounds and its nominal value."""

from typing import NamedTuple

from hilctl.friction import MODELS
from hilctl.params import Leaf, Problem, leaves, nearest
from hilctl.params.declare import flatten
from hilctl.rig import Rig, Tables

# What does not shape a run: names, ports, files.
_ASIDE = ("rig.", "service.", "recording.")
_KINDS = ("float", "int", "bool", "choice")


class Known(NamedTuple):
    """A key that can be varied."""

    leaf: Leaf
    nominal: object  # as the rig file has it; None where it is left open


def keys_of(rig: Rig) -> dict[str, Known]:
    """All of them, by name."""
    driver = "twin" if rig.driver == "twin" else "driver"
    parts = [("", Tables, flatten(rig.tables)), ("friction", type(rig.friction.params), flatten(rig.friction.params)),
             (driver, type(rig.driver_config), flatten(rig.driver_config))]  # fmt: skip
    found: dict[str, Known] = {}
    for at, table, values in parts:
        for leaf in leaves(table):
            key = f"{at}.{leaf.path}" if at else leaf.path
            if leaf.kind in _KINDS and not key.startswith(_ASIDE):
                found[key] = Known(leaf._replace(path=key), values.get(leaf.path))
    for key, model in (("friction.model", rig.friction.model), ("twin.friction.model", "")):
        if not key.startswith("twin") or driver == "twin":
            leaf = Leaf(key, "choice", "", 0, 0, model, "friction model", choices=tuple(MODELS))
            found[key] = Known(leaf, model)
    return found


def seed_key(rig: Rig) -> str:
    """The key of the sensors' noise, which every run sets; empty where the simulation has none."""
    key = "twin.seed" if rig.driver == "twin" else "driver.seed"
    return key if key in keys_of(rig) else ""


def unknown(key: str, value: object, known: dict[str, Known]) -> Problem:
    """What is said of a key that cannot be varied."""
    return Problem(key, value, "no such key that can be varied", nearest(key, tuple(known)))
