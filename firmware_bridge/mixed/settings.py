"""The rig file's [driver] table of the driver `mixed`: parts, each a driver by its name.

    [driver]
    name = "mixed"

    [driver.parts.amplifier]       a part, under a name of your own
    name = "serial"                its driver; beside it that driver's own keys
    port = "/dev/ttyACM0"

    [driver.parts.transducers]
    name = "modbus"
    gives = ["pressure_a", "pressure_b"]
"""

from typing import TYPE_CHECKING, Annotated, Literal, cast

import msgspec

from firmware_bridge.driver import OUTPUTS
from hilctl.params import Params, note
from hilctl.signals import SENSORS

MOST_PARTS = 4

if TYPE_CHECKING:  # a type checker wants them spelled out, and would check nothing by them
    SensorName = str
    OutputName = str
else:
    SensorName, OutputName = Literal[SENSORS], Literal[OUTPUTS]


class Part(Params, kw_only=True):
    """One part of a mixed rig; the keys of its driver are added."""

    name: Annotated[str, note("its driver")]
    gives: Annotated[
        tuple[SensorName, ...] | None,
        note("sensors that this part reads; if omitted: those of its register map, or those that no other part reads"),
    ] = None
    takes: Annotated[
        tuple[OutputName, ...] | None,
        note("outputs that this part drives, the valve in one part only; if omitted: those of its map, or all"),
    ] = None


class MixedConfig(Params):
    """Parts under names of your own, at most four; [driver.parts.NAME]."""


def config_of(parts: dict[str, tuple[Part, Params]]) -> MixedConfig:
    """The table with these parts, each with its driver's own."""
    tables = {name: _joined(part, own) for name, (part, own) in parts.items()}
    below = msgspec.defstruct(
        "Parts", [(name, type(table)) for name, table in tables.items()], bases=(Params,), frozen=True, kw_only=True
    )
    made = msgspec.defstruct("Mixed", [("parts", below)], bases=(MixedConfig,), frozen=True, kw_only=True)
    return cast(MixedConfig, made(parts=below(**tables)))


def _joined(part: Part, own: Params) -> Params:
    fields = [(key, Part.__annotations__[key]) for key in Part.__struct_fields__]
    made = msgspec.defstruct("Part", fields, bases=(type(own),), frozen=True, kw_only=True)
    return cast(Params, made(**{k: getattr(own, k) for k in own.__struct_fields__},
                             **{k: getattr(part, k) for k in Part.__struct_fields__}))
