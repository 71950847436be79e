"""Another master on the same device, seen by reading back what was written: over TCP and over a serial line."""

import re
import select
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from pymodbus.client import ModbusTcpClient

from firmware_bridge.driver import DriverError, Note, complaints
from firmware_bridge.modbus.record import head
from hilctl.signals import Status
from tests.system.modbus_parts import device, opened, talking

KINDS = pytest.mark.parametrize("kind", ["tcp", "rtu"])
WAYS = pytest.mark.parametrize("fc23", [True, False], ids=["function-23", "functions-3-and-16"])
VALVE, ENABLE, SUPPLY, HEARTBEAT, WATCHDOG = 0, 1, 2, 3, 40
ANSWERED = (Status.OK, Status.STALE)  # of two ticks right behind each other: a busy host's device may not have ticked
pytestmark = pytest.mark.timeout(120)


@contextmanager
def other_master(there: Any) -> Iterator[Any]:
    """A second client of the same device."""
    client = ModbusTcpClient("127.0.0.1", port=there.place["port"], timeout=2.0, retries=0)
    assert client.connect()
    try:
        yield client
    finally:
        client.close()


@WAYS
def test_a_second_master_that_writes_the_valve_is_seen_in_the_next_tick_unless_the_watchdog_is_read_back_then(fc23):
    with talking("tcp", amplifier__fc23=fc23, read_back_every=1) as (there, rig), other_master(there) as other:
        seen = []
        for k in range(60):
            assert rig.tick(0.1, 1, 2) == Status.OK
            assert not other.write_registers(VALVE, [3000 + k], device_id=1).isError()
            seen.append(rig.tick(0.1, 1, 2))
        assert there.registers[VALVE] == round(0.1 * 32767)  # our own stands there again
        assert seen.count(Status.OVERWRITTEN) >= 52 and set(seen) <= {Status.OK, Status.OVERWRITTEN}
        assert rig.health["overwritten"] == seen.count(Status.OVERWRITTEN)
        said = rig.driver.health()["overwritten"]
        assert re.match(r"valve held 30\d\d that was not written here; \d\d in all", said)


@pytest.mark.parametrize("register", [VALVE, ENABLE, SUPPLY, HEARTBEAT])
def test_every_output_is_read_back_and_nothing_of_our_own_is_taken_for_another_masters(register):
    with talking("tcp", amplifier__fc23=True, read_back_every=1) as (there, rig):
        for k in range(200):
            assert rig.tick(0.001 * k, k % 2, k % 3) == Status.OK
        seen = []
        for _ in range(3):  # at most one of them is the watchdog's turn
            there.tell(set={register: 777})
            seen.append(rig.tick())
        assert seen.count(Status.OVERWRITTEN) >= 2
        rig.tick()
        assert rig.tick() == Status.OK


@pytest.mark.many(quick=3)
@WAYS
@pytest.mark.parametrize("register", [VALVE, ENABLE, SUPPLY, HEARTBEAT])
def test_on_a_line_every_output_is_read_back_after_the_command_and_no_tick_waits_for_it(fc23, register):
    """What another master writes is seen if it stands when the line is free; one that writes all the time is."""
    with talking("rtu", amplifier__fc23=fc23, read_back_every=1) as (there, rig):
        for k in range(200):
            assert rig.tick(0.001 * k, k % 2, k % 3) == Status.OK
            assert there.registers[VALVE] == round(0.001 * k * 32767)
        assert rig.health["read_backs"] == 199  # the last one is under way
        enough = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(lambda: [there.tell(set={register: 777}) for _ in iter(enough.is_set, True)])
            try:
                rig.until(lambda status: status == Status.OVERWRITTEN)
            finally:
                enough.set()
            writing.result()
        for _ in range(3):
            rig.tick()
        assert rig.tick() == Status.OK


def test_on_a_line_without_time_left_the_read_back_comes_later():
    with talking("rtu", amplifier__fc23=True, read_back_every=1) as (there, rig):
        own = head(rig.driver.state)
        own.rest_ns = -2_000_000_000  # as if the command had taken all of the period
        for _ in range(20):
            assert rig.tick(0.1, 1, 2) == Status.OK
        assert (rig.health["postponed"], rig.health["read_backs"]) == (20, 0)
        own.rest_ns = 0
        for _ in range(3):
            assert rig.tick(0.1, 1, 2) == Status.OK
        assert rig.health["read_backs"] == 2
        assert there.registers[VALVE] == round(0.1 * 32767)


@pytest.mark.slow
def test_on_a_line_a_device_that_is_slower_than_the_arithmetic_is_read_back_seldom_but_is():
    """Each time it makes the next tick late."""
    with talking("rtu", amplifier__fc23=True, read_back_every=1) as (there, rig):
        own = head(rig.driver.state)
        there.faults(delay_s=0.03)
        for _ in range(60):  # what is usual is learned
            rig.tick(0.1, 1, 2)
        left_s = 0.02  # of a period, after the command: enough by arithmetic, too little for this device
        takes_ns = max(int(own.request[r].takes_ns) for r in range(3))
        before = rig.health
        for _ in range(60):
            own.rest_ns = int(own.bus[0].usual_ns) + takes_ns + int(1e9 * (left_s - rig.limit_s))
            rig.tick(0.1, 1, 2)
        asked = 60 - (rig.health["postponed"] - before["postponed"])
        assert 2 <= asked <= 12
        assert there.registers[VALVE] == round(0.1 * 32767)


@pytest.mark.slow
def test_on_a_line_the_answer_to_a_read_back_that_has_long_been_there_costs_the_next_tick_nothing():
    with talking("rtu", amplifier__fc23=True, read_back_every=1) as (_, rig):
        own = head(rig.driver.state)
        bus, waited_ns = own.bus[0], []
        bus.gap_ns = 50_000_000
        for _ in range(20):
            assert rig.tick(0.1, 1, 2) in ANSWERED
            over_ns = int(bus.sent_ns) + int(bus.usual_ns) + 200_000_000
            while time.monotonic_ns() < over_ns or not select.select([int(bus.fd)], [], [], 1.0)[0]:
                pass
            begun_ns = time.monotonic_ns()
            assert rig.tick(0.1, 1, 2) in ANSWERED
            waited_ns.append(int(own.taken_ns[0]) - begun_ns)  # the command went out then
        assert sorted(waited_ns)[10] < bus.gap_ns


def test_outputs_are_read_back_every_few_ticks_as_the_rig_file_says():
    with talking("tcp", amplifier__fc23=True, read_back_every=5) as (there, rig):
        for _ in range(50):
            assert rig.tick(0.1, 1, 2) == Status.OK
        assert rig.health["read_backs"] + rig.health["postponed"] >= 10 > rig.health["read_backs"] - 1
        assert rig.health["sent"] == 50 + rig.health["read_backs"]
        seen = []
        for _ in range(10):
            there.tell(set={VALVE: 1234})
            seen.append(rig.tick(0.1, 1, 2))
        assert 1 <= seen.count(Status.OVERWRITTEN) <= 2 and set(seen) == {Status.OK, Status.OVERWRITTEN}


def test_a_command_goes_out_no_earlier_in_a_tick_without_a_read_back():
    """Else command and sample would be later in every second tick, by as long as a read-back takes."""
    with talking("tcp", amplifier__fc23=True, read_back_every=2) as (_, rig):
        own = head(rig.driver.state)
        waits_ns = []
        for k in range(400):
            begun_ns, phase_ns = time.monotonic_ns(), int(own.phase_ns)
            assert rig.tick(0.1, 1, 2) == Status.OK
            least_ns = min(phase_ns, int(own.phase_ns))
            assert own.bus[0].sent_ns - begun_ns >= least_ns, k
            waits_ns.append(least_ns)
        assert rig.health["read_backs"] == 200
        assert waits_ns[-1] > 0


def test_a_command_that_was_not_answered_is_not_held_against_another_master():
    """Nobody knows then what the device has."""
    with talking("tcp", amplifier__fc23=True, read_back_every=1) as (there, rig):
        rig.tick(0.1, 1, 2)
        there.faults(mangle="silent", count=2)
        rig.limit_s = 0.02
        assert Status.OVERWRITTEN not in rig.until(lambda status: status == Status.OK)
        rig.limit_s = 0.5
        assert rig.health["overwritten"] == 0


def test_a_refused_read_back_does_not_keep_the_command_from_the_device():
    with talking("tcp", amplifier__fc23=True, read_back_every=1) as (there, rig):
        assert rig.tick(0.1, 1, 2) == Status.OK
        there.faults(exception=4, times=1)
        assert rig.tick(0.2, 1, 2) == Status.OK
        assert there.registers[VALVE] == round(0.2 * 32767)
        assert rig.health["exceptions"] == {4: 1}


def test_a_tick_without_time_for_it_commands_first_and_reads_back_later():
    with talking("tcp", amplifier__fc23=True, read_back_every=1) as (there, rig):
        there.faults(delay_s=0.02)
        rig.limit_s = 0.03
        answered = 0
        while answered < 20:  # a tick that a busy host delays beyond its deadline fails, and proves nothing
            answered += rig.tick(0.1, 1, 2) == Status.OK
        assert rig.health["postponed"] > 10
        assert there.registers[VALVE] == round(0.1 * 32767)


def test_a_device_whose_outputs_cannot_be_read_is_driven_and_the_check_says_what_that_means():
    with device("tcp") as there:
        there.faults(exception=2, times=10_000, only=VALVE)
        with opened(there.table(amplifier__fc23=True, read_back_every=None), armed=False) as driver:
            told = driver.check()
            assert complaints(told) == []
            (note,) = [text for text in told if isinstance(text, Note)]
            assert "another master's writes are not noticed" in note
        with opened(there.table(read_back_every=2), armed=False) as driver:
            (problem,) = complaints(driver.check())
            assert "driver.read_back_every = 2" in problem


def test_a_device_that_does_not_show_what_was_written_is_not_armed():
    with device("tcp") as there:
        there.faults(other_master=True)
        with opened(there.table(read_back_every=1), armed=False) as driver:
            driver.check()
            with pytest.raises(DriverError, match=r"driver.output.heartbeat: register 3 holds .* another master"):
                driver.arm()


def test_a_device_whose_time_to_live_changed_behind_our_back_is_a_lost_link():
    """It has rebooted, or somebody else set it: it is not the device that was armed."""
    with talking("tcp", amplifier__fc23=True, read_back_every=1) as (there, rig):
        for _ in range(100):
            assert rig.tick(0.1, 1, 2) == Status.OK
        there.tell(set={WATCHDOG: 100})
        assert rig.until(lambda status: status != Status.OK)[-1] == Status.CLOSED
        assert "watchdog register does not hold loop.time_to_live_s" in rig.driver.health()["reason"]
        assert rig.tick() == Status.CLOSED


@KINDS
def test_a_device_whose_sample_counter_starts_over_is_a_lost_link(kind):
    """It has rebooted: whatever it was told is forgotten, and its watchdog may be too."""
    with talking(kind, amplifier__fc23=True) as (there, rig):
        until_known(rig)
        there.tell(begin=True)
        assert rig.tick(0.1, 1, 2) == Status.CLOSED
        assert "started over: it has rebooted" in rig.driver.health()["reason"]


def until_known(rig):
    """Ticks until the pace of the device's counter is known, which takes 0.2 s."""
    own = head(rig.driver.state)
    while own.moved_ns - own.counting_ns < 200_000_000 or own.counted < 100:
        assert rig.tick(0.1, 1, 2) == Status.OK


def test_a_counter_that_stood_unread_for_a_while_has_not_started_over():
    with talking("tcp", amplifier__fc23=True, answer_timeout_s=1.0) as (there, rig):
        there.tell(real=True)
        until_known(rig)
        there.process.send_signal(signal.SIGSTOP)
        rig.limit_s = 0.05
        assert [rig.tick(0.1, 1, 2) for _ in range(4)] == [Status.TIMEOUT] * 4
        there.process.send_signal(signal.SIGCONT)
        rig.limit_s = 0.5
        assert Status.CLOSED not in rig.until(lambda status: status == Status.OK)
