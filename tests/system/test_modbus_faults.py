"""Faults of link and device, injected into a real server in a process of its own."""

import itertools
import os
import signal
import socket
from contextlib import contextmanager

import pytest

from firmware_bridge.driver import TRIES, DriverError
from firmware_bridge.modbus.driver import ModbusDriver, resolve
from hilctl.rig import load
from hilctl.signals import Status
from tests.system.emulate_parts import Emulation
from tests.system.modbus_parts import Dialogue, device, facts, opened, reached_and_armed, talking

KINDS = pytest.mark.parametrize("kind", ["tcp", "rtu"])
BROKEN = {Status.TIMEOUT, Status.BAD_CHECKSUM, Status.BAD_REPLY}
pytestmark = pytest.mark.timeout(120)


def reached(table, **changes):
    rig = facts(**changes)
    driver = ModbusDriver(resolve(table, rig), rig)
    driver.open()
    return driver


def told(table, **changes):
    driver = reached(table, **changes)
    try:
        return driver.check()
    finally:
        driver.close()


@pytest.mark.many(quick=3)
@KINDS
@pytest.mark.parametrize(("code", "status"), [(1, Status.EXCEPTION), (2, Status.EXCEPTION), (3, Status.EXCEPTION),
                                              (4, Status.EXCEPTION), (8, Status.BAD_CHECKSUM), (10, Status.TIMEOUT),
                                              (11, Status.TIMEOUT)])  # fmt: skip
def test_an_exception_is_told_at_once_and_counted_by_its_code(kind, code, status):
    with talking(kind, amplifier__fc23=True) as (there, dialogue):
        there.faults(exception=code, times=1)
        assert dialogue.tick() == status
        assert dialogue.tick() == Status.OK
        assert dialogue.health["exceptions"] == {code: 1}


@KINDS
@pytest.mark.parametrize("code", [5, 6])
def test_a_busy_device_is_asked_again_in_the_same_tick_but_not_for_ever(kind, code):
    with talking(kind, amplifier__fc23=True) as (there, dialogue):
        there.faults(exception=code, times=2)
        assert dialogue.tick() == Status.OK
        assert dialogue.health["busy"] == 2
        there.faults(exception=code, times=10**6)
        assert dialogue.tick() == Status.EXCEPTION
        assert dialogue.health["busy"] == 4


@KINDS
def test_the_answer_of_a_wrong_unit_is_discarded_and_the_next_ones_fit(kind):
    with talking(kind, amplifier__fc23=True, answer_timeout_s=0.1) as (there, dialogue):
        dialogue.tick(0.1, 1, 2)
        while dialogue.health["wrong_unit"] == 0:  # a busy host may keep it for longer than anybody waits for it
            there.faults(mangle="unit", count=1)
            assert dialogue.tick(0.1, 1, 2) in BROKEN
        in_step(there, dialogue)


@KINDS
@pytest.mark.parametrize("mangle", ["silent", "short", "flip", "twice"])
def test_after_a_spoiled_answer_readings_are_never_off_by_one(kind, mangle):
    if mangle == "flip" and kind == "tcp":
        pytest.skip("TCP carries a checksum of its own")
    # An answer that a busy host keeps for longer than the limit and the quiet after it fits the next request on RTU.
    with talking(kind, amplifier__fc23=True, answer_timeout_s=0.1) as (there, dialogue):
        for _ in range(5):
            there.faults(mangle=mangle, count=1)
            status = dialogue.tick()
            assert status == Status.OK or status in BROKEN
            in_step(there, dialogue)


def in_step(there, dialogue):
    """The counter that is read is that of the newest sample, tick after tick."""
    for _ in range(5):
        dialogue.until(lambda status: status == Status.OK)
        assert dialogue.readings.device_tick == there.tell()["tick"]


def test_a_slow_answer_now_and_then_costs_its_tick_and_is_taken_in_the_next():
    with talking("tcp", amplifier__fc23=True) as (there, dialogue):
        dialogue.limit_s = 0.005
        there.faults(delay_s=0.02, delay_every=10)
        seen = [dialogue.tick() for _ in range(200)]
        assert set(seen) <= {Status.OK, Status.LATE, Status.TIMEOUT}
        assert seen.count(Status.OK) > 100
        assert Status.TIMEOUT in seen
        there.faults()
        dialogue.until(lambda status: status == Status.OK)
        in_step(there, dialogue)
        assert dialogue.health["strays"] == 0


@pytest.mark.parametrize("fc23", [True, False], ids=["function-23", "functions-3-and-16"])
def test_an_answer_of_an_earlier_tick_is_late_only_where_every_reading_is_a_new_one(fc23):
    with talking("tcp", amplifier__fc23=fc23) as (there, dialogue):
        dialogue.limit_s = 0.01
        there.faults(delay_s=0.012, writes_too=True)
        seen = []
        for _ in range(60):
            before = int(dialogue.readings.device_tick)
            seen.append(dialogue.tick())
            assert (int(dialogue.readings.device_tick) > before) == (seen[-1] in (Status.OK, Status.LATE)), seen
        assert Status.TIMEOUT in seen
        assert Status.LATE in seen or not fc23  # a write that is late is followed by the next write, and by no reading
        assert set(seen) <= {Status.OK, Status.LATE, Status.TIMEOUT}


def test_no_queue_of_old_commands_waits_for_a_device_that_wakes_up_again():
    with talking("tcp", amplifier__fc23=True, lost_after=1000) as (there, dialogue):
        dialogue.tick()
        before = there.tell()["requests"]
        there.process.send_signal(signal.SIGSTOP)
        dialogue.limit_s = 0.001
        for k in range(100):
            assert dialogue.tick(0.5, 1, 2) == Status.TIMEOUT, k
        there.process.send_signal(signal.SIGCONT)
        dialogue.limit_s = 0.5
        dialogue.until(lambda status: status == Status.OK)
        assert there.tell()["requests"] - before < 10
        in_step(there, dialogue)


def test_in_the_tick_in_which_a_lost_request_is_given_up_the_command_goes_out():
    with talking("tcp", amplifier__fc23=True, answer_timeout_s=0.25) as (there, dialogue):
        assert dialogue.tick(0.1, 1, 2) == Status.OK
        there.faults(mangle="silent", count=1)
        dialogue.limit_s = 0.01
        assert dialogue.tick(0.2, 1, 2) == Status.TIMEOUT
        dialogue.limit_s = 0.5  # beyond the time at which it is given up
        assert dialogue.tick(0.3, 1, 2) == Status.OK
        assert there.registers[0] == round(0.3 * 32767)
        assert dialogue.health["timeouts"] == 1


@KINDS
def test_a_silent_device_is_lost_after_as_many_requests_as_the_rig_file_says(kind):
    with talking(kind, amplifier__fc23=True, answer_timeout_s=0.005, lost_after=3) as (there, dialogue):
        there.faults(mangle="silent", count=10**6)
        dialogue.limit_s = 0.02
        seen = dialogue.until(lambda status: status == Status.CLOSED)
        assert set(seen[:-1]) == {Status.TIMEOUT}
        assert dialogue.health["timeouts"] == 3
        there.faults()
        assert dialogue.tick() == Status.CLOSED  # never by itself


@KINDS
def test_a_device_that_is_unplugged_is_seen_at_the_next_exchange(kind):
    with device(kind) as there, opened(there.table(amplifier__fc23=True)) as driver:
        dialogue = Dialogue(driver)
        assert dialogue.tick() == Status.OK
        there.end()
        assert dialogue.tick() == Status.CLOSED
        assert dialogue.tick() == Status.CLOSED
        driver.disarm()
        driver.close()


def test_a_device_that_repeats_its_sample_is_stale():
    with talking("tcp", amplifier__fc23=True, reading__displacement__stale_s=0.02) as (there, dialogue):
        assert dialogue.tick() == Status.OK
        there.faults(same_sample=True)
        seen = dialogue.until(lambda status: status == Status.STALE)
        assert set(seen[:-1]) <= {Status.OK}
        assert {dialogue.tick() for _ in range(20)} == {Status.STALE}
        there.faults()
        dialogue.until(lambda status: status == Status.OK)


def test_a_fault_that_the_device_reports_is_an_exception_in_the_same_exchange():
    with talking("tcp", amplifier__fc23=True) as (there, dialogue):
        there.tell(set={24: 7})
        assert dialogue.tick() == Status.EXCEPTION


def test_a_device_in_fault_is_told_before_arming():
    with device("tcp") as there:
        there.tell(set={24: 7})
        assert any("the device reports fault 7" in problem for problem in told(there.table()))
        reset = {"device": "amplifier", "address": 4}
        assert not any("fault" in problem for problem in told(there.table(output__reset=reset)))  # arming resets it


@KINDS
def test_a_wrong_word_order_is_told_by_what_the_value_would_be(kind):
    with device(kind) as there:
        (problem,) = told(there.table(reading__acceleration__words="low_first"))
        assert problem.startswith("driver.reading.acceleration: reads ")
        assert 'with words = "high_first" it would read 0.' in problem
        assert told(there.table()) == []


def test_an_address_outside_the_device_is_told_by_its_signal():
    with device("tcp") as there:
        (problem,) = told(there.table(reading__fault__address=5000))
        assert "driver.reading.fault.address = 5000" in problem
        assert "exception 2, illegal address" in problem
        (problem,) = told(there.table(reading__fault__address=64, amplifier__read_across=100))
        assert "driver.reading.fault.address = 64" in problem


def test_an_output_outside_the_device_is_refused_when_it_is_armed():
    with device("tcp") as there:
        driver = reached(there.table(output__heartbeat__address=5000))
        with pytest.raises(DriverError, match=r"function 16, registers 5000 .*exception 2"):
            driver.arm()
        driver.disarm()
        driver.close()


@KINDS
def test_a_wrong_unit_in_the_rig_file_is_told(kind):
    with device(kind) as there:
        problems = told(there.table(amplifier__unit=9))
        assert any("unit 9: no answer" in p or "unit 9: exception" in p for p in problems), problems


@KINDS
@pytest.mark.parametrize("lost", [1, TRIES - 1])
def test_an_answer_that_is_lost_outside_the_tick_is_asked_for_again(kind, lost):
    with device(kind) as there:
        driver = reached(there.table())
        there.faults(mangle="silent", count=lost)
        assert driver.check() == []
        there.faults(mangle="silent", count=lost)
        driver.arm()
        assert Dialogue(driver).tick() == Status.OK
        driver.disarm()
        driver.close()


def test_an_answer_that_comes_too_late_is_not_taken_for_that_to_the_next_request():
    with device("rtu") as there:
        driver = reached(there.table())
        there.faults(delay_s=0.6, delay_every=3)
        assert driver.check() == []
        driver.close()


def test_another_device_than_the_rig_file_says_is_told():
    with device("tcp") as there:
        assert told(there.table(amplifier__vendor="hilctl", amplifier__product="bench")) == []
        (problem,) = told(there.table(amplifier__vendor="hilctl", amplifier__revision="2.0"))
        assert problem == "driver.amplifier.revision: the device says '1.0', the rig file '2.0'"


def test_another_master_is_told_by_the_heartbeat_that_moves():
    with device("tcp") as there:
        there.faults(other_master=True)
        assert any("another master drives the device" in problem for problem in told(there.table()))


def test_a_device_that_is_not_there_is_told_with_the_systems_reason():
    with device("tcp") as there:
        table = there.table()
        there.end()
    with pytest.raises(DriverError, match=r"cannot be reached: .*refused"):
        reached(table)
    with pytest.raises(DriverError, match=r"cannot be reached: .*No such file"):
        reached({**table, "amplifier": {"transport": "rtu", "serial": "/dev/none", "baud": 4_000_000, "gap_s": 0}})


def test_a_device_that_accepts_and_never_answers_is_told():
    with socket.create_server(("127.0.0.1", 0)) as silent, device("tcp") as there:
        table = there.table(amplifier__port=silent.getsockname()[1])
        (problem,) = told(table)
        assert "no answer" in problem


def test_a_device_that_keeps_another_time_to_live_is_not_armed():
    with device("tcp") as there:
        there.faults(least_watchdog=50)
        driver = reached(there.table())
        with pytest.raises(DriverError, match=r"keeps \[50\] instead of \[10\]"):
            driver.arm()
        driver.disarm()
        driver.close()


def test_function_23_that_the_device_lacks_is_told_by_its_key():
    with device("tcp") as there:
        there.faults(exception=1, times=1)
        driver = reached(there.table(amplifier__fc23=True))
        with pytest.raises(DriverError, match=r"driver.amplifier.fc23: .*set fc23 = false"):
            driver.arm()
        driver.disarm()
        driver.close()


def test_no_descriptor_stays_open():
    with device("tcp") as there:
        before = len(os.listdir("/proc/self/fd"))
        with opened(there.table()):
            pass
        assert len(os.listdir("/proc/self/fd")) == before


def test_a_device_that_takes_one_request_at_a_time_is_found_out_before_it_is_driven():
    with device("tcp") as there:
        (problem,) = told(there.table(amplifier__fc23=True, amplifier__requests_at_once=2))
        assert problem.startswith("driver.amplifier.requests_at_once = 2") and problem.endswith("set 1")
        assert told(there.table(amplifier__fc23=True)) == []


@contextmanager
def emulated(**changes):
    """The emulated rig's own preset, with a dialogue that has time."""
    patient = {"driver.answer_timeout_s": 0.9, "driver.connect_timeout_s": 0.9}
    with Emulation("modbus-tcp") as there:
        rig = load("table-500-modbus", changes={**there.place, **patient, **changes})
        with reached_and_armed(ModbusDriver(rig.driver_config, rig.facts())) as driver:
            yield there, Dialogue(driver, limit_s=0.3)


@pytest.mark.parametrize(("at_once", "next_one"), [(1, Status.TIMEOUT), (2, Status.OK)])
def test_a_lost_answer_costs_a_tick_where_the_next_request_may_overtake(at_once, next_one):
    changes = {"driver.read_back_every": 0, "driver.amplifier.requests_at_once": at_once}
    with emulated(**changes) as (there, dialogue):
        assert dialogue.tick() == Status.OK
        there.tell("lose 1")
        assert dialogue.tick() == Status.TIMEOUT
        there.tell("clear")
        assert dialogue.tick() == next_one
        assert dialogue.health["timeouts"] == at_once - 1


def test_a_read_back_that_is_lost_costs_no_more_than_a_command():
    with emulated(**{"driver.read_back_every": 2}) as (there, dialogue):
        there.tell("lose 7")
        seen = [dialogue.tick() for _ in range(50)]
        assert set(seen) == {Status.OK, Status.TIMEOUT}
        assert seen.count(Status.TIMEOUT) > 5 and dialogue.health["read_backs"] > 5
        assert (Status.TIMEOUT, Status.TIMEOUT) not in itertools.pairwise(seen)
