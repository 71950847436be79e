"""The register map in the rig file: what is refused, and how it is said."""


import pytest

from firmware_bridge.modbus.driver import resolve
from firmware_bridge.modbus.settings import Config
from hilctl.params import BadValues, check
from tests.unit.modbus.modbus_maps import facts, table


def refused(**changes):
    with pytest.raises(BadValues) as bad:
        check(Config, table(**changes), "driver")
    return bad.value.problems


def test_a_whole_map_is_taken():
    config = check(Config, table(), "driver")
    assert config.reading.displacement.length == 2
    keys = [key for key, _ in config.registers()]
    assert keys[:4] == ["output.valve", "output.enable", "output.supply", "output.heartbeat"]


@pytest.mark.parametrize(
    ("changes", "key", "said"),
    [
        ({"reading__displacement__address": 65536}, "driver.reading.displacement.address", "0 to 65535"),
        ({"reading__displacement__address": 65535}, "driver.reading.displacement.address", "room for 2"),
        ({"reading__displacement__address": None}, "driver.reading.displacement.address", "is required"),
        ({"reading__displacement__adress": 3}, "driver.reading.displacement.adress", "did you mean 'address'"),
        ({"reading__displacement__unit": "bar"}, "driver.reading.displacement.unit", "'mm'"),
        ({"reading__displacement__type": "float64"}, "driver.reading.displacement.type", "float32"),
        ({"reading__displacement__scale": 0}, "driver.reading.displacement.scale", "not be 0"),
        ({"reading__displacement__function": 2}, "driver.reading.displacement.function", "3 to 4"),
        ({"reading__displacement__every": 0}, "driver.reading.displacement.every", "1 to 10000"),
        ({"reading__displacement__device": "transducers"}, "driver.reading.displacement.device", "set driver.trans"),
        ({"output__enable__address": 0}, "driver.output.enable.address", "is also that of driver.output.valve"),
        ({"watchdog__address": 2}, "driver.watchdog.address", "register 2 is also that of driver.output.supply"),
        ({"output__reset": {"device": "amplifier", "address": 90}, "reading__fault": {}}, "driver.output.reset.device",
         "no register shows a fault; describe driver.reading.fault"),
        ({"watchdog": {}}, "driver.watchdog.device", "must make its outputs safe when the host falls silent"),
        ({"amplifier__host": ""}, "driver.amplifier.host", "is missing"),
        ({"amplifier__transport": "rtu"}, "driver.amplifier.serial", "is missing"),
        ({"amplifier": {"transport": "rtu", "serial": "/dev/x", "unit": 0}}, "driver.amplifier.unit", "1 to 247"),
        ({"amplifier": {"transport": "rtu", "serial": "/dev/x", "requests_at_once": 2}},
         "driver.amplifier.requests_at_once", "must be 1 on a serial line"),
        ({"amplifier__requests_at_once": 3}, "driver.amplifier.requests_at_once", "1 to 2"),
        ({"connect_timeout_s": 12.0}, "driver.connect_timeout_s", "0.02 to 1 s"),
    ],
)  # fmt: skip
def test_a_wrong_map_is_refused_by_key_with_limit_and_remedy(changes, key, said):
    problems = [p for p in refused(**changes) if p.key == key]
    assert problems, [str(p) for p in refused(**changes)]
    assert any(said in str(p) for p in problems), [str(p) for p in problems]


def test_all_that_is_wrong_is_said_at_once():
    keys = {p.key for p in refused(reading__displacement__address=-1, output__valve__type="text", lost_after=0)}
    assert keys == {"driver.reading.displacement.address", "driver.output.valve.type", "driver.lost_after"}


def test_two_devices_on_one_line_are_set_alike_and_have_units_of_their_own():
    line = {"transport": "rtu", "serial": "/dev/x", "baud": 115200}
    problems = refused(amplifier=line, transducers={**line, "baud": 9600})
    assert {p.key for p in problems} == {"driver.transducers.baud", "driver.transducers.unit"}


def test_two_devices_on_one_connection_have_as_many_requests_at_once():
    door = {"transport": "tcp", "host": "gateway"}
    problems = refused(amplifier={**door, "requests_at_once": 2}, transducers={**door, "unit": 2})
    assert [p.key for p in problems] == ["driver.transducers.requests_at_once"]
    assert "must be 2, as driver.amplifier.requests_at_once: one connection" in str(problems[0])


def test_a_map_without_the_valve_or_a_sensor_that_every_rig_has_is_refused():
    with pytest.raises(BadValues, match=r"driver.output.valve.device.*every rig has a valve"):
        resolve(table(output={}, watchdog={}), facts())
    with pytest.raises(BadValues, match=r"driver.reading.pressure_a.device.*sensors.pressure_a.present"):
        resolve(table(reading__pressure_a={}), facts())


def test_a_sensor_that_the_rig_has_and_nobody_reads_is_told():
    with pytest.raises(BadValues, match=r"driver.reading.oil_temperature.device.*sensors.oil_temperature.present"):
        resolve(table(reading__oil_temperature={}), facts())
    resolve(table(reading__oil_temperature={}), facts(**{"sensors.oil_temperature.present": False}))
