"""The changes of an identified friction model: keys and values as `set` takes them.

The model changes while the inverse model is off: its parameters then mean something else, and are not blended. `steps`
are the sets in their order.
"""

from collections.abc import Mapping
from typing import Any

from hilctl.friction import MODELS
from hilctl.friction.model import Kind
from hilctl.identify.presliding.result import Presliding
from hilctl.params import leaves
from hilctl.params.tables import flat

INVERSE = "law.feed.inverse"
_MODEL = "friction.model"


def changes(found: Presliding, in_force: Mapping[str, Any]) -> dict[str, Any]:
    """The differences from the active [friction], by dotted key; None where a number is removed."""
    table, model = dict(found.table), MODELS[str(in_force[_MODEL])]
    if found.kind == "static" and _jumps_alike(model.name):
        table["model"] = model.name
    own = {leaf.path for leaf in leaves(MODELS[table["model"]].Params)}
    wanted = {
        f"friction.{key}": list(value) if isinstance(value, tuple) else value
        for key, value in flat(table).items() if key in own
    }  # fmt: skip
    if table["model"] == model.name and "friction.k" in wanted and in_force.get("friction.s0") is not None:
        wanted["friction.s0"] = None  # elements that are listed add up to a stiffness of their own
    return {key: value for key, value in wanted.items() if key not in in_force or in_force[key] != value}


def steps(found: Presliding, in_force: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sets that apply the model; none where nothing differs. `in_force` also holds the inverse's share."""
    made, share = changes(found, in_force), float(in_force[INVERSE])
    if not made:
        return []
    return [{INVERSE: 0.0}, made, {INVERSE: share}] if share else [made]


def _jumps_alike(name: str) -> bool:
    """Whether this model also jumps on Stribeck's curve."""
    model = MODELS[name]
    return model.kind is Kind.JUMPS and {"fc", "fs", "vs", "sigma"} <= {leaf.path for leaf in leaves(model.Params)}
