"""The Modbus driver on a real pymodbus server in a process of its own, over TCP and over a serial line."""

import os
import socket
import struct
from itertools import pairwise

import pytest

from firmware_bridge.driver import DriverError
from firmware_bridge.modbus.driver import ModbusDriver, resolve
from firmware_bridge.modbus.record import head
from hilctl.signals import Status
from tests.system.modbus_parts import Dialogue, device, facts, opened, talking

KINDS = pytest.mark.parametrize("kind", ["tcp", "rtu"])
WAYS = pytest.mark.parametrize("fc23", [True, False], ids=["function-23", "functions-3-and-16"])
pytestmark = pytest.mark.timeout(120)


@KINDS
@WAYS
def test_command_goes_out_and_readings_come_in(kind, fc23):
    with talking(kind, amplifier__fc23=fc23) as (there, dialogue):
        for _ in range(300):
            assert dialogue.tick(0.1, 1, 2) == Status.OK
        registers = there.registers
        assert registers[:3] == [round(0.1 * 32767), 1, 2]
        assert dialogue.readings.displacement_m > 0.005
        counts = struct.unpack(">ifii", struct.pack(">8H", *registers[10:18]))
        assert dialogue.readings.displacement_m == pytest.approx(counts[0] * 1e-6)
        assert dialogue.readings.acceleration_m_s2 == pytest.approx(counts[1])
        assert dialogue.readings.pressure_a_pa == pytest.approx(counts[2] * 100)
        assert dialogue.readings.pressure_b_pa == pytest.approx(counts[3] * 100)
        assert dialogue.readings.supply_pressure_pa == pytest.approx(21e6, rel=0.1)
        assert dialogue.readings.oil_temperature_degc == pytest.approx(40, abs=15)
        assert dialogue.readings.emergency_stop == 0
        assert (dialogue.readings.age_ns[:8] > 0).all()
        assert dialogue.health["sent"] == dialogue.health["answered"] == (300 if fc23 else 600)


@KINDS
def test_the_heartbeat_is_another_number_in_every_tick(kind):
    with talking(kind, amplifier__fc23=True) as (there, dialogue):
        seen = []
        for _ in range(5):
            dialogue.tick()
            seen.append(there.registers[3])
        assert len(set(seen)) == 5


def test_arming_sets_the_devices_watchdog_to_the_rig_files_time_to_live():
    with talking("tcp") as (there, _):
        assert there.registers[40] == 10


@KINDS
def test_disarming_leaves_null_and_not_enabled(kind):
    with device(kind) as there, opened(there.table()) as driver:
        dialogue = Dialogue(driver)
        for _ in range(20):
            dialogue.tick(0.3, 1, 2)
        assert there.registers[:3] != [0, 0, 0]
        driver.disarm()
        assert there.registers[:3] == [0, 0, 0]
        assert dialogue.tick(0.3, 1, 2) == Status.CLOSED
        assert there.registers[:3] == [0, 0, 0]


def test_disarming_over_a_lost_connection_makes_a_new_one():
    with device("tcp") as there, opened(there.table()) as driver:
        dialogue = Dialogue(driver)
        dialogue.tick(0.3, 1, 2)
        with socket.socket(fileno=os.dup(int(head(driver.state).bus[0].fd))) as same:
            same.shutdown(socket.SHUT_RDWR)
        assert dialogue.tick(0.3, 1, 2) == Status.CLOSED
        driver.disarm()
        assert there.registers[:3] == [0, 0, 0]


@KINDS
def test_it_can_be_opened_again_after_it_was_closed(kind):
    with device(kind) as there, opened(there.table()) as driver:
        assert Dialogue(driver).tick() == Status.OK
        driver.close()
        driver.open()
        assert driver.check() == []
        driver.arm()
        assert Dialogue(driver).tick() == Status.OK


@KINDS
def test_slow_groups_are_read_every_nth_tick_and_tell_their_age(kind):
    slow = {"reading__oil_temperature__every": 20, "reading__oil_temperature__stale_s": 5.0}
    with talking(kind, amplifier__fc23=True, amplifier__read_across=2, **slow) as (_, dialogue):
        ages = []
        for _ in range(200):
            assert dialogue.tick() == Status.OK
            ages.append(int(dialogue.readings.age_ns[6]))
        read = dialogue.health["answered"] - 200
        renewed = sum(later < earlier for earlier, later in pairwise(ages))
        assert 9 <= read <= 10
        assert 5 <= renewed <= read  # in a tick that a busy host made long a reading is old though it is new


@KINDS
@pytest.mark.parametrize("every", [1, 5])
def test_a_second_unit_shares_the_bus(kind, every):
    oil = {"device": "transducers", "address": 7, "scale": 0.1, "every": every, "stale_s": 5.0}
    with device(kind) as there:
        table = there.table(amplifier__fc23=True, amplifier__read_across=1, reading__oil_temperature=oil)
        table["transducers"] = {**table["amplifier"], "unit": 2, "fc23": False}
        with opened(table) as driver:
            dialogue = Dialogue(driver)
            dialogue.readings.oil_temperature_degc = 0.0
            for _ in range(20):
                assert dialogue.tick(0.1, 1, 2) == Status.OK
            assert dialogue.readings.oil_temperature_degc == pytest.approx(40.1)
            assert dialogue.readings.spool != 0
            assert 20 + 20 // every <= dialogue.health["answered"] <= 21 + 20 // every
            assert there.registers[0] == round(0.1 * 32767)


def test_transducers_on_a_line_of_their_own_do_not_hold_up_the_tick():
    with device("tcp") as amplifier, device("rtu") as transducers:
        table = amplifier.table(
            amplifier__fc23=True, transducers=transducers.reach(), answer_timeout_s=0.5,
            reading__pressure_a__device="transducers", reading__pressure_a__every=5, reading__pressure_a__stale_s=5.0,
            reading__pressure_b__device="transducers", reading__pressure_b__every=5, reading__pressure_b__stale_s=5.0,
        )  # fmt: skip
        with opened(table) as driver:
            dialogue = Dialogue(driver)
            transducers.faults(delay_s=0.05)
            own = head(driver.state)
            assert set(dialogue.until(lambda status: own.bus[1].answered >= 3)) == {Status.OK}
            assert own.bus[0].answered > 10 * own.bus[1].answered
            assert dialogue.readings.age_ns[2] > dialogue.readings.age_ns[0]


def test_a_slow_reading_that_is_too_old_is_no_reading_any_more():
    slow = {"reading__oil_temperature__every": 10, "reading__oil_temperature__stale_s": 0.02}
    with device("tcp") as amplifier, device("rtu") as transducers:
        table = amplifier.table(transducers=transducers.reach(), reading__oil_temperature__device="transducers", **slow)
        with opened(table) as driver:
            dialogue = Dialogue(driver)
            transducers.faults(mangle="silent", count=10**6)
            statuses = set()
            for _ in range(2000):
                statuses.add(dialogue.tick())
                if dialogue.readings.oil_temperature_degc != dialogue.readings.oil_temperature_degc:
                    break
            assert dialogue.readings.oil_temperature_degc != dialogue.readings.oil_temperature_degc
            assert statuses == {Status.OK}
            assert dialogue.readings.displacement_m == dialogue.readings.displacement_m


def test_a_second_process_on_the_same_device_is_refused():
    with device("tcp") as there, opened(there.table()):
        rig = facts()
        with pytest.raises(DriverError, match="another process on this machine drives it"):
            ModbusDriver(resolve(there.table(), rig), rig).open()


def test_a_second_process_on_the_same_serial_port_is_refused():
    with device("rtu") as there, opened(there.table()):
        rig = facts()
        with pytest.raises(DriverError, match=r"cannot be reached: .*lock"):
            ModbusDriver(resolve(there.table(), rig), rig).open()
