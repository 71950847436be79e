"""The unit's variables: what a simulation tool sets and reads, its place in the model, and its description."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from firmware_bridge.driver import READINGS
from hilctl.fmu.parameters import Parameters
from hilctl.signals import SENSOR_KINDS
from sim.settings import TwinConfig


class Variable(NamedTuple):
    """One variable."""

    reference: int
    name: str
    type: str  # Float64, Boolean, Int32, Int64
    causality: str  # input, output, local, parameter
    variability: str
    place: str  # in C: offsetof(Model, place)
    meaning: str
    start: float | int | bool | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""


# the true state, which no sensor shows: field of the plant's record, unit, meaning
_TRUTHS = (
    ("position_m", "x", "m", "true position of the table"),
    ("velocity_m_s", "v", "m/s", "true velocity of the table"),
    ("acceleration_m_s2", "acceleration", "m/s²", "true acceleration of the table"),
    ("pressure_a_pa", "pa", "Pa", "true pressure in chamber A"),
    ("pressure_b_pa", "pb", "Pa", "true pressure in chamber B"),
    ("supply_pressure_pa", "ps", "Pa", "true supply pressure"),
    ("supply_flow_m3_s", "supply_flow", "m³/s", "flow that the valve draws from the supply"),
    ("spool", "spool", "", "true spool position, of full opening"),
    ("friction_n", "friction", "N", "friction force on the table"),
)
_INPUT, _READING, _TRUTH, _OPTION, _PARAMETER = 1, 100, 200, 900, 1000  # first value references


def variables_of(config: TwinConfig, parameters: Parameters) -> list[Variable]:
    """All of them, in the order of their references."""
    return [*_inputs(), *_readings(config), *_truths(), *_options(config), *_parameters(parameters)]


def _inputs() -> Iterator[Variable]:
    yield Variable(_INPUT, "valve", "Float64", "input", "continuous", "command.valve",
                   "valve command, of full opening; it holds over a communication step", 0.0, -1.0, 1.0)  # fmt: skip
    yield Variable(_INPUT + 1, "enable", "Boolean", "input", "discrete", "command.enable",
                   "the valve's amplifier is on; off, the spool goes to its mechanical null", True)  # fmt: skip
    yield Variable(_INPUT + 2, "supply", "Int32", "input", "discrete", "command.supply",
                   "supply: 0 off, 1 low pressure, 2 high pressure", 2, 0, 2)  # fmt: skip


def _readings(config: TwinConfig) -> Iterator[Variable]:
    for k, kind in enumerate(SENSOR_KINDS):
        if kind.channel in (READINGS.names or ()) and getattr(getattr(config.sensors, kind.name), "present", True):
            yield Variable(_READING + k, kind.channel, "Float64", "output", "discrete", f"readings.{kind.channel}",
                           kind.meaning, unit=kind.unit)  # fmt: skip


def _truths() -> Iterator[Variable]:
    for k, (name, field, unit, meaning) in enumerate(_TRUTHS):
        yield Variable(_TRUTH + k, f"true.{name}", "Float64", "local", "discrete", f"twin.plant.{field}", meaning,
                       unit=unit)  # fmt: skip


def _options(config: TwinConfig) -> Iterator[Variable]:
    yield Variable(_OPTION, "noise", "Boolean", "parameter", "fixed", "noise",
                   "the sensors' noise; off, every reading is free of it", True)  # fmt: skip
    yield Variable(_OPTION + 1, "twin.seed", "Int64", "parameter", "fixed", "seed",
                   "seed of the sensors' noise: the same seed gives the same numbers",
                   config.seed, 0, 2**31 - 1)  # fmt: skip


def _parameters(parameters: Parameters) -> Iterator[Variable]:
    for k, one in enumerate(parameters.listed):
        yield Variable(_PARAMETER + k, one.name, "Float64", "parameter", "tunable" if one.tunable else "fixed",
                       f"parameter[{k}]", one.meaning, one.start, one.low, one.high, one.unit)  # fmt: skip


def c_row(v: Variable) -> str:
    """The variable in the unit's table."""
    kind = {"Float64": "r", "Boolean": "b", "Int32": "i", "Int64": "l"}[v.type]
    use = {"input": "i", "output": "o", "local": "o"}.get(v.causality, "t" if v.variability == "tunable" else "p")
    low, high = (_c(v.low, "-INFINITY"), _c(v.high, "INFINITY"))
    return f"    {{{v.reference}, '{kind}', '{use}', offsetof(Model, {v.place}), {low}, {high}, \"{v.name}\"}},"


def _c(bound: Any, without: str) -> str:
    return without if bound is None else repr(float(bound))
