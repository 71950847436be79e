"""docs/serial-devices.md: its rig file is taken as it stands, and its messages are those of the data sheet's page."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.registry import configured, find
from firmware_bridge.serial_text.desk import Desk
from firmware_bridge.serial_text.settings import described
from firmware_bridge.serial_text.template import TemplateError, read
from hilctl import rig
from hilctl.signals import SENSORS

PAGE = (Path(__file__).parents[3] / "docs" / "serial-devices.md").read_text(encoding="utf-8")


def test_the_walk_ends_in_a_rig_file_that_asks_as_the_data_sheet_says():
    table = tomllib.loads("\n".join(re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)))["driver"]
    facts = rig.load("table-500", twin=True, changes={
        "sensors.pressure_a.stale_s": 0.2, "law.three_state.kp_per_mpa": 0.0}).facts()  # fmt: skip
    sensors = facts.tables["sensors"]
    alone = {name: msgspec.structs.replace(getattr(sensors, name), present=False) for name in SENSORS
             if name != "pressure_a"}  # fmt: skip
    tables = {**facts.tables, "sensors": msgspec.structs.replace(sensors, **alone)}
    facts = facts._replace(tables=tables, takes=(), rate_hz=200.0)
    own = {key: value for key, value in table.items() if key != "name"}
    desk = Desk(described(configured(find("serial_text"), own, facts)))
    assert desk.request("pressure") == b"#0184\r"
    said = desk.answer("pressure", {"pressure_a": 102.31})
    assert re.fullmatch(rb">01\+102\.310 bar[0-9A-F]{2}\r", said)
    assert desk.read("pressure", said) == len(said)
    assert desk.value("pressure_a", 102.31) == pytest.approx(1.0231e7)


def test_the_error_that_it_shows_is_that_of_the_program():
    text = r"{displacement@0:8}{fault@4:X2}\r"
    with pytest.raises(TemplateError) as caught:
        read(text)
    assert f"driver.messages.status.answer: '{text}' refused, {caught.value}" in PAGE
