"""Identified values as one set, and how the values before are restored.

A friction model is set with all of its keys: one that the identification leaves out gets its declared default, not the
value of an earlier model.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hilctl.experiment.facts import Facts, read_facts
from hilctl.friction import MODELS
from hilctl.params import leaves
from hilctl.params.tables import flat

if TYPE_CHECKING:
    from hilctl.client import Client

INVERSE, PREVIEW, SMOOTH = "law.feed.inverse", "law.feed.extra_preview_s", "law.feed.smooth_s"


def friction_values(table: Mapping[str, Any]) -> dict[str, Any]:
    """The [friction] table as keys for `set`, complete."""
    model = MODELS[str(table["model"])]
    given = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in flat(table, "friction").items() if value is not None
    }  # fmt: skip
    values: dict[str, Any] = {"friction.model": model.name}
    for leaf in leaves(model.Params, "friction"):
        if leaf.path in given:
            values[leaf.path] = given[leaf.path]
        elif leaf.path != "friction.model" and (leaf.optional or isinstance(leaf.default, (int, float, tuple))):
            values[leaf.path] = list(leaf.default) if isinstance(leaf.default, tuple) else leaf.default
    return values


def applicable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Of a set as a result holds it: without the keys that the friction model before had, and this one has not."""
    if "friction.model" not in values:
        return dict(values)
    own = {"friction.model", *(leaf.path for leaf in leaves(MODELS[values["friction.model"]].Params, "friction"))}
    return {key: value for key, value in values.items() if not key.startswith("friction.") or key in own}


def adopt(rig: "Client", values: Mapping[str, Any], origin: str) -> tuple[int, dict[str, float]]:
    """One set; its epoch, and the gains that were added where the loop would be unstable with the active ones."""
    from hilctl.client import Code, Refused

    try:
        return rig.set(values, origin=origin), {}
    except Refused as refused:
        if refused.code != Code.BAD_VALUE or "unstable" not in refused.message:
            raise
    gains = _gains_for(rig, values)
    return rig.set({**values, **gains}, origin=origin), gains


def _gains_for(rig: "Client", values: Mapping[str, Any]) -> dict[str, float]:
    from hilctl.design.tuning import tune

    facts = read_facts(rig)
    other = {key: value for key, value in facts.values.items() if not key.startswith("friction.")}
    rubbing = {key: value for key, value in (values if "friction.model" in values else facts.values).items()
               if key.startswith("friction.")}  # fmt: skip
    new = Facts(facts.rig, facts.rate_hz, facts.epoch, {**other, **dict(values), **rubbing})
    return dict(tune(new.controller, new.friction, new.dt_s, new["law.feedback"]).values)


def settable(rig: "Client") -> dict[str, Any]:
    """Every active parameter that a set may name."""
    return {key: value for key, value in rig.get().items() if not key.startswith("twin.")}


def put_back(rig: "Client", before: Mapping[str, Any], origin: str) -> list[str]:
    """Restores what was changed since; returns its keys."""
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


def restored(rig: "Client", before: Mapping[str, Any], origin: str) -> str:
    """At the end of a work, which a motion does not outlast: what became of the parameters, in words."""
    from hilctl.client import NoReply, Refused

    try:
        if rig.status()["mode"] in ("track", "stop"):
            rig.stop()
        if put_back(rig, before, origin):
            return "the parameters are restored"
    except NoReply:
        return "the service has ended, and the changed parameters with it; the next starts with the rig file's"
    except Refused as error:
        return f"the parameters could not be restored: {error}; `hilctl set --undo` restores them"
    return "no parameter was changed"


def _set(rig: "Client", values: Mapping[str, Any], origin: str) -> None:
    """Switches the rig off first, where one of the values can be changed in off only."""
    from hilctl.client import Code, Refused

    try:
        rig.set(values, origin=origin)
    except Refused as refused:
        if refused.code != Code.WRONG_MODE:
            raise
        rig.off()
        rig.set(values, origin=origin)
