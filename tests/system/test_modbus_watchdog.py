"""A watchdog whose time nobody can set: it is measured at arming, on the emulated amplifier."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from firmware_bridge.driver import DriverError, Note, complaints
from firmware_bridge.modbus.driver import ModbusDriver
from hilctl import rig
from hilctl.signals import Status
from tests.system.emulate_parts import Emulation
from tests.system.modbus_parts import Dialogue

pytestmark = pytest.mark.timeout(120)
FIXED = {"driver.watchdog.device": "none", "driver.watchdog.address": 0, "driver.watchdog.fixed_s": 0.08,
         "driver.connect_timeout_s": 0.5, "driver.answer_timeout_s": 0.4}  # fmt: skip


@pytest.fixture(scope="module")
def device() -> Iterator[Emulation]:
    """An amplifier with a watchdog of 80 ms that no register takes."""
    with Emulation("modbus-tcp", "table-500-modbus",
                   *(word for key, value in FIXED.items() for word in ("--set", f"{key}={value}"))) as made:
        yield made


@contextmanager
def driver_of(device: Emulation, **changes: object) -> Iterator[ModbusDriver]:
    """Reached and checked, not armed."""
    loaded = rig.load("table-500-modbus", changes={**FIXED, **device.place, **changes})
    made = ModbusDriver(loaded.driver_config, loaded.facts())
    made.open()
    try:
        yield made
    finally:
        made.disarm()
        made.close()


def test_a_watchdog_that_trips_in_the_time_that_is_stated_is_armed_and_recovers(device):
    device.tell("clear")
    with driver_of(device) as driver:
        assert complaints(driver.check()) == []
        driver.arm()
        assert device.seen["trip"] == "none"
        talk = Dialogue(driver)
        assert talk.until(lambda status: status == Status.OK)


@pytest.mark.parametrize("factor", ["1.5", "1000"])
def test_a_watchdog_that_trips_later_than_stated_or_never_is_refused_and_nothing_was_enabled(device, factor):
    device.tell("clear")
    device.tell("mark")
    device.tell(f"slow_watchdog {factor}")
    with driver_of(device) as driver:
        driver.check()
        with pytest.raises(DriverError, match=r"driver\.watchdog\.fixed_s = 0\.08 s: after .* has not tripped"):
            driver.arm()
    seen = device.seen
    assert (seen["enable"], seen["supply"]) == (0, 0) and seen["travelled_m"] < 1e-4


def test_where_no_register_shows_the_trip_the_check_says_that_the_time_is_assumed(device):
    device.tell("clear")
    without = {"driver.reading.fault.device": "none", "driver.output.reset.device": "none"}
    with driver_of(device, **without) as driver:
        told = driver.check()
        assert complaints(told) == []
        (note,) = [text for text in told if isinstance(text, Note)]
        assert "fixed_s = 0.08 s is assumed, not measured: the device has no reading.fault and no output.reset" in note
        driver.arm()
