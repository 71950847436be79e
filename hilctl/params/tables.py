"""Tables in tables, and the same by dotted key: `{"law": {"pid": {"kp": 2}}}` is `{"law.pid.kp": 2}`."""

from collections.abc import Mapping
from typing import Any

from hilctl.params.declare import BadValues, Problem


def flat(tables: Mapping[str, Any], at: str = "", between: str = ".") -> dict[str, Any]:
    """By dotted key, below `at`. An empty table has no key."""
    out: dict[str, Any] = {}
    for name, value in tables.items():
        key = f"{at}{between}{name}" if at else str(name)
        if isinstance(value, Mapping):
            out |= flat(value, key, between)
        else:
            out[key] = value
    return out


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """As tables."""
    tree: dict[str, Any] = {}
    for key, value in values.items():
        put(tree, key, value)
    return tree


def put(tree: dict[str, Any], key: str, value: Any) -> None:
    """Sets one value, by its dotted key; tables that are missing are made. BadValues where a value stands above it."""
    *tables, name = key.split(".")
    for depth, table in enumerate(tables, 1):
        tree = tree.setdefault(table, {})
        if not isinstance(tree, dict):
            above = ".".join(tables[:depth])
            raise BadValues([Problem(key, value, f"{above} is a value, not a table", f"write {above}=VALUE")])
    tree[name] = value
