"""Identified values as one set, and the way back to what held before.

A friction model goes in with every one of its keys: what the identification leaves out gets its declared default, not
what an earlier model happened to have there.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hilctl.friction import MODELS
from hilctl.identify.campaign import Facts, read_facts
from hilctl.params import leaves

if TYPE_CHECKING:
    from hilctl.client import Client

INVERSE, PREVIEW, SMOOTH = "law.feed.inverse", "law.feed.extra_preview_s", "law.feed.smooth_s"


def friction_values(table: Mapping[str, Any]) -> dict[str, Any]:
    """The [friction] table as keys for `set`, complete."""
    model = MODELS[str(table["model"])]
    given = dict(_keys(table, "friction"))
    values: dict[str, Any] = {"friction.model": model.name}
    for leaf in leaves(model.Params, "friction"):
        if leaf.path in given:
            values[leaf.path] = given[leaf.path]
        elif leaf.path != "friction.model" and (leaf.optional or isinstance(leaf.default, (int, float, tuple))):
            values[leaf.path] = list(leaf.default) if isinstance(leaf.default, tuple) else leaf.default
    return values


def _keys(table: Mapping[str, Any], at: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in table.items():
        key = f"{at}.{name}"
        if isinstance(value, Mapping):
            found += _keys(value, key)
        elif value is not None:
            found.append((key, list(value) if isinstance(value, tuple) else value))
    return found


def adopt(rig: "Client", values: Mapping[str, Any], origin: str) -> tuple[int, dict[str, float]]:
    """One set; its epoch. Where the gains in force do not hold the machine that it describes, with gains that do."""
    from hilctl.client import Code, Refused

    try:
        return rig.set(values, origin=origin), {}
    except Refused as refused:
        if refused.code != Code.BAD_VALUE or "unstable" not in refused.message:
            raise
    gains = _gains_for(rig, values)
    return rig.set({**values, **gains}, origin=origin), gains


def _gains_for(rig: "Client", values: Mapping[str, Any]) -> dict[str, float]:
    from hilctl.law.tuning import tune

    facts = read_facts(rig)
    other = {key: value for key, value in facts.values.items() if not key.startswith("friction.")}
    rubbing = {key: value for key, value in (values if "friction.model" in values else facts.values).items()
               if key.startswith("friction.")}  # fmt: skip
    new = Facts(facts.rig, facts.rate_hz, facts.epoch, {**other, **dict(values), **rubbing})
    return dict(tune(new.controller, new.friction, new.dt_s, new["law.feedback"]).values)


def settable(rig: "Client") -> dict[str, Any]:
    """Every parameter in force that a set may name."""
    return {key: value for key, value in rig.get().items() if not key.startswith("twin.")}


def put_back(rig: "Client", before: Mapping[str, Any], origin: str) -> list[str]:
    """What was changed since is as it was; the keys that were."""
    now = settable(rig)
    changed = {key for key in {*now, *before} if now.get(key) != before.get(key)}
    if not changed:
        return []
    if "friction.model" in changed and (now[INVERSE] or before[INVERSE]):
        rig.set({INVERSE: 0.0}, origin=origin)
    friction = any(key.startswith("friction.") for key in changed)
    values = {key: before[key] for key in changed if key in before and not key.startswith("friction.")}
    later = values.pop(INVERSE, before[INVERSE])
    if friction:
        values |= {key: value for key, value in before.items() if key.startswith("friction.")}
    if values:
        _set(rig, values, origin)
    if rig.get(INVERSE)[INVERSE] != later:
        rig.set({INVERSE: later}, origin=origin)
    return sorted(changed)


def _set(rig: "Client", values: Mapping[str, Any], origin: str) -> None:
    """Where something of it is bound to off, the rig is switched off before."""
    from hilctl.client import Code, Refused

    try:
        rig.set(values, origin=origin)
    except Refused as refused:
        if refused.code != Code.WRONG_MODE:
            raise
        rig.off()
        rig.set(values, origin=origin)
