"""The complete [twin] table: keys omitted in the rig file take the nominal values.

    [twin.machine]       each key that is missing comes from [machine]
    [twin.friction]      likewise from [friction]; of another model, those keys that both have
    [twin.valve]         `slew_per_s` comes from [twin.machine]
    [twin.sensors.NAME]  `present` comes from [sensors.NAME]; `delay_s` is the nominal one less that of the filter

so that a rig file without [twin] simulates the nominal rig, with a real valve and real sensors.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

import msgspec

from firmware_bridge.driver import RigFacts
from hilctl.friction import MODELS, Friction, model_of
from hilctl.params import BadValues, Params, Problem, check, fields_of, leaves, plain
from sim.sensors import filter_delay_s
from sim.settings import Sensors, TwinConfig


@cache
def config_of(model: str) -> type[TwinConfig]:
    """The declaration of [twin] for a friction model: its [twin.friction] has that model's parameters."""
    made = msgspec.defstruct(
        f"{MODELS[model].Params.__name__}Twin",
        [("friction", MODELS[model].Params)],
        bases=(TwinConfig,),
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )
    made.__doc__ = TwinConfig.__doc__
    return cast("type[TwinConfig]", made)


def resolve(given: object, facts: RigFacts, at: str = "twin") -> TwinConfig:
    """The twin's table: the given values, else the nominal ones. BadValues with every problem, its keys below `at`."""
    if not isinstance(given, Mapping):
        raise BadValues([Problem(at, given, "must be a table")])
    table: dict[str, Any] = dict(given)
    _inherit_machine(table, _table(facts.tables.get("machine")))
    _inherit_slew(table)
    _inherit_friction(table, _table(facts.tables.get("friction")))
    _inherit_sensors(table, _table(facts.tables.get("sensors")))
    model = model_of(table["friction"], f"{at}.friction")
    return check(config_of(model.name), table, at)


def _table(value: object) -> dict[str, Any]:
    """A nominal table, however it is held, as a mapping."""
    if isinstance(value, Friction):
        return value.table()
    if isinstance(value, Params):
        return plain(value)
    return dict(value) if isinstance(value, Mapping) else {}


def _inherit_slew(table: dict[str, Any]) -> None:
    valve, machine = table.get("valve", {}), table.get("machine")
    if isinstance(valve, Mapping) and isinstance(machine, Mapping) and "slew_per_s" in machine:
        table["valve"] = {"slew_per_s": machine["slew_per_s"], **valve}


def _inherit(table: dict[str, Any], name: str, nominal: Mapping[str, Any]) -> None:
    own = table.get(name, {})
    if isinstance(own, Mapping):  # what is no table at all is for the check to refuse
        table[name] = _laid_over(nominal, own)


def _inherit_machine(table: dict[str, Any], nominal: dict[str, Any]) -> None:
    """An overlap of its own, on both sides or on one, takes the place of the nominal one however that is declared."""
    own = table.get("machine", {})
    if isinstance(own, Mapping) and "dead_band" in own:
        nominal = {**nominal, "overlap_a": 0.0, "overlap_b": 0.0}
    elif isinstance(own, Mapping) and not {"overlap_a", "overlap_b"}.isdisjoint(own):
        sides = {side: nominal.get(side) or nominal.get("dead_band", 0.0) for side in ("overlap_a", "overlap_b")}
        nominal = {**nominal, "dead_band": 0.0, **sides}
    _inherit(table, "machine", nominal)


def _laid_over(nominal: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    both = {key: _laid_over(nominal[key], value) for key, value in own.items()
            if isinstance(value, Mapping) and isinstance(nominal.get(key), Mapping)}  # fmt: skip
    return {**nominal, **own, **both}


def _inherit_friction(table: dict[str, Any], nominal: Mapping[str, Any]) -> None:
    own = table.get("friction", {})
    name = own.get("model") if isinstance(own, Mapping) else None
    if isinstance(name, str) and name in MODELS:
        nominal = _shared(nominal, MODELS[name].Params)
    _inherit(table, "friction", nominal)


def _shared(nominal: Mapping[str, Any], table: type[Params]) -> dict[str, Any]:
    """Those keys that this table has too, in its sub-tables likewise."""
    known = {field.name: field for field in fields_of(table)}
    return {
        key: _shared(value, below) if isinstance(value, Mapping) and (below := known[key].table) is not None else value
        for key, value in nominal.items()
        if key in known
    }


def _inherit_sensors(table: dict[str, Any], nominal: Mapping[str, Any]) -> None:
    given = table.get("sensors", {})
    if not isinstance(given, Mapping):
        return
    defaults = {leaf.path: leaf.default for leaf in leaves(Sensors)}
    sensors = dict(given)
    for name, believed in nominal.items():
        own = sensors.get(name, {})
        if not isinstance(own, Mapping) or not isinstance(believed, Mapping):
            continue
        inherited: dict[str, Any] = {}
        if f"{name}.present" in defaults and "present" in believed:
            inherited["present"] = believed["present"]
        if f"{name}.delay_s" in defaults and "delay_s" in believed:
            bandwidth = own.get("bandwidth_hz", defaults[f"{name}.bandwidth_hz"])
            if isinstance(bandwidth, (int, float)) and bandwidth >= 0:
                inherited["delay_s"] = max(believed["delay_s"] - filter_delay_s(bandwidth), 0.0)
        sensors[name] = {**inherited, **own}
    table["sensors"] = sensors
