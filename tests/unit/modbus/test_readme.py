"""The rig file of the page is one that the program takes."""

import re
import tomllib
from pathlib import Path

import pytest

from firmware_bridge.modbus.driver import resolve
from firmware_bridge.modbus.plan import buses
from hilctl import rig
from hilctl.params import BadValues

PAGE = (Path(__file__).resolve().parents[3] / "firmware_bridge" / "modbus" / "README.md").read_text(encoding="utf-8")


def test_the_example_is_taken_and_travels_as_the_page_says():
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    table = tomllib.loads(example)["driver"]
    assert table.pop("name") == "modbus"
    facts = rig.load("table-500", twin=True).facts()
    amplifier, transducers = buses(resolve(table, facts))
    assert [request.function for request in amplifier.fast] == [23] and not amplifier.slow
    assert [request.function for request in transducers.slow] == [4] and not transducers.fast
    table["amplifier"].update(transport="rtu", serial="/dev/x", baud=115200)
    with pytest.raises(BadValues, match=r"loop.rate_hz: 1000.0 refused"):
        resolve(table, facts)
