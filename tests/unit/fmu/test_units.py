"""Units of the rig file in base units."""

import pytest

from hilctl.fmu.units import base_unit
from hilctl.friction import linear_models
from hilctl.params import leaves
from sim.resolve import config_of


@pytest.mark.parametrize(
    ("unit", "base"),
    [
        ("m/s²", {"m": 1, "s": -2}),
        ("N·s/m", {"kg": 1, "s": -1}),
        ("m³/(s·Pa)", {"m": 4, "kg": -1, "s": 1}),
        ("Pa·s/m³", {"kg": 1, "m": -4, "s": -1}),
        ("1/s", {"s": -1}),
        ("°C", {"K": 1, "offset": 273.15}),
        ("N·(s/m)^dv", None),
    ],
)
def test_a_unit_is_a_product_of_base_units_or_none(unit, base):
    assert base_unit(unit) == base


def test_only_a_power_that_is_itself_a_parameter_has_no_base_unit():
    units = {leaf.unit for model in linear_models() for leaf in leaves(config_of(model))}
    assert {unit for unit in units if unit and base_unit(unit) is None} <= {"N·(s/m)^dv"}
