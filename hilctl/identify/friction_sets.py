"""The sets by which an identified [friction] table is applied to a rig, in their order: only what differs.

A friction model goes in while the inverse model is off: its parameters then mean something else, and are not blended.
"""

from collections.abc import Mapping
from typing import Any

from hilctl.friction import MODELS
from hilctl.params import leaves
from hilctl.params.tables import flat

INVERSE, MODEL = "law.feed.inverse", "friction.model"
KEYS = ("friction", INVERSE)  # what must be known of the rig


def holder(table: Mapping[str, Any], in_force: Mapping[str, Any]) -> str:
    """The model that is to hold a sliding curve: the active one where it has such a curve, with its bristles."""
    active = str(in_force[MODEL])
    own = {leaf.path for leaf in leaves(MODELS[active].Params)}
    asked = {key for key, value in flat(table).items() if value is not None}
    return active if asked <= own else str(table["model"])


def changes(table: Mapping[str, Any], in_force: Mapping[str, Any], model: str) -> dict[str, Any]:
    """The differences from the active [friction], by dotted key; None where a number is removed."""
    own = {f"friction.{leaf.path}": leaf for leaf in leaves(MODELS[model].Params)}
    wanted = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in flat({**table, "model": model}, "friction").items() if key in own and value is not None
    }  # fmt: skip
    gone = {key: None for key, leaf in own.items()
            if leaf.optional and key not in wanted and in_force.get(key) is not None}  # fmt: skip
    differs = {key: value for key, value in wanted.items() if key not in in_force or in_force[key] != value}
    return differs | gone


def steps(changed: Mapping[str, Any], in_force: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sets that apply these differences; none where nothing differs."""
    share = float(in_force[INVERSE])
    if not changed:
        return []
    return [{INVERSE: 0.0}, dict(changed), {INVERSE: share}] if share else [dict(changed)]
