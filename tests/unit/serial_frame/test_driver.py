"""The driver and the firmware on a pseudo-terminal: the life of a connection, and what it says when there is none."""

import inspect
import math
import os
import threading
import time
import tty

import numpy as np
import pytest

from firmware_bridge.driver import COMMAND, READINGS, Driver, DriverError
from firmware_bridge.firmware.board import Board
from firmware_bridge.firmware.build import build, compiler
from firmware_bridge.registry import exchange_of, find
from firmware_bridge.serial_frame.frames import Splitter, seal
from firmware_bridge.serial_frame.messages import HEAD, SCHEMA, DeviceTrip, State
from firmware_bridge.serial_frame.state import record
from hilctl import rig
from hilctl.signals import Status

SLOW = {"limits.velocity.max_m_s": 0.1, "loop.time_to_live_s": 0.1}


@pytest.fixture
def board():
    if compiler() is None:
        pytest.skip("needs a C compiler")
    with Board(build("native", sanitized=True), has_line=True) as made:
        yield made


@pytest.fixture
def make():
    """Drivers of a port, closed in the end."""
    made = []

    def one(port, **table):
        kind = find("serial")
        facts = rig.load("table-500", twin=True, changes=SLOW).facts()
        made.append(kind(kind.Config(port=port, **{"handshake_s": 10.0, **table}), facts))
        return made[-1]

    yield one
    for driver in made:
        driver.close()


class Dialogue:
    """Ticks by hand."""

    def __init__(self, driver):
        self.driver, self.exchange = driver, exchange_of(driver)
        self.command, self.readings = np.zeros(1, COMMAND)[0], np.zeros(1, READINGS)[0]
        self.command.deadline_ns = 2**62

    def tick(self, valve=0.0, enable=0, supply=0):
        self.command.valve, self.command.enable, self.command.supply = valve, enable, supply
        return int(self.exchange(self.driver.state, self.command, self.readings))


def until(condition):
    """What the condition gives once it is true."""
    give_up_s = time.monotonic() + 30
    while not (found := condition()):
        assert time.monotonic() < give_up_s
        time.sleep(0)
    return found


def under_way(dialogue, valve, reached):
    """Ticks with outputs until this is reached; a device that a busy host has left alone too long is enabled again."""

    def once():
        status = dialogue.tick(valve, 1, 2)
        if status == Status.EXCEPTION:
            dialogue.tick()
        return status == Status.OK and reached(dialogue.readings)

    until(once)


def ready(driver):
    driver.open()
    assert driver.check() == []
    driver.arm()
    return Dialogue(driver)


def test_it_keeps_the_contract(board, make):
    driver = make(board.port)
    assert isinstance(driver, Driver)
    assert len([n for n, _ in inspect.getmembers(type(driver), inspect.isfunction) if not n.startswith("_")]) <= 8
    driver.close()
    dialogue = ready(driver)
    for valve in (0.0, math.nan, math.inf, 1e300):
        status = dialogue.tick(valve, enable=2**40, supply=-1)
        assert status in (Status.OK, Status.TIMEOUT, Status.STALE)  # a busy host may keep the board waiting
    assert np.isfinite(dialogue.readings.displacement_m) and (dialogue.readings.age_ns >= 0).all()
    driver.disarm()
    assert board.seen()["state"] == State.READY
    driver.close()
    driver.disarm()
    driver.close()


def test_armed_it_moves_the_table_and_disarmed_the_valve_is_null(board, make):
    driver = make(board.port)
    dialogue = ready(driver)
    under_way(dialogue, 0.0, lambda readings: readings.supply_pressure_pa > 20e6)
    from_m = dialogue.readings.displacement_m
    under_way(dialogue, 0.05, lambda readings: readings.displacement_m > from_m + 0.01)
    driver.disarm()
    seen = until(lambda: (now := board.seen())["enable"] == 0 and now)
    assert (seen["state"], seen["trip"], seen["valve"], seen["supply"]) == (State.READY, 0, 0, 0)


def test_a_silent_host_trips_the_device_in_the_time_to_live_and_only_enabling_again_resets_it(board, make):
    dialogue = ready(make(board.port))
    until(lambda: dialogue.tick(0.01, 1, 2) == Status.OK)
    until(lambda: board.seen()["state"] == State.TRIPPED)
    seen = until(lambda: (now := board.seen())["enable"] == 0 and now)
    assert seen["trip"] == DeviceTrip.TIME_TO_LIVE
    assert seen["trip_tick"] - seen["good_tick"] == seen["ttl_ticks"] == 200
    assert dialogue.tick(0.01, 1, 2) == Status.EXCEPTION  # at the first exchange after it
    until(lambda: dialogue.tick(0.01, 1, 2) == Status.EXCEPTION)  # a board on a busy host may be stale for an exchange
    until(lambda: dialogue.tick() == Status.OK)
    assert board.seen()["state"] == State.TRIPPED
    until(lambda: dialogue.tick(0.0, 1, 2) == Status.OK)
    assert board.seen()["state"] == State.RUNNING


def test_a_new_host_finds_the_trip_latched_and_arming_the_driver_leaves_it(board, make):
    dialogue = ready(make(board.port))
    dialogue.tick(0.0, 1, 1)
    dialogue.driver.close()
    until(lambda: board.seen()["state"] == State.TRIPPED)
    again = ready(make(board.port))
    assert board.seen()["state"] == State.TRIPPED
    assert again.tick() == Status.OK
    assert again.tick(0.0, 1, 1) == Status.OK
    assert board.seen()["state"] == State.RUNNING


def test_the_emergency_stop_reaches_the_host_one_exchange_after_the_device(board, make):
    dialogue = ready(make(board.port))
    until(lambda: dialogue.tick(0.0, 1, 1) == Status.OK)
    board.tell("set emergency_stop 1")
    until(lambda: board.seen()["state"] == State.TRIPPED)
    assert dialogue.tick(0.0, 1, 1) == Status.OK
    assert dialogue.readings.emergency_stop == 1.0
    dialogue.tick()
    dialogue.tick(0.0, 1, 1)
    assert board.seen()["state"] == State.TRIPPED  # still open: no reset
    board.tell("set emergency_stop 0")
    until(lambda: dialogue.tick(0.0, 1, 1) == Status.EXCEPTION)
    dialogue.tick()
    assert until(lambda: dialogue.tick(0.0, 1, 1) == Status.OK or dialogue.tick())


def test_a_rebooted_device_is_refused_until_the_whole_handshake_is_done_again(board, make):
    driver = make(board.port)
    dialogue = ready(driver)
    until(lambda: dialogue.tick(0.0, 1, 1) == Status.OK)
    board.tell("reboot")
    for enable in (1, 1, 0, 1, 0, 1):  # as if unplugged
        assert dialogue.tick(0.0, enable, 1) == Status.CLOSED
    assert "rebooted" in driver.health()["reason"]
    assert board.seen()["state"] == State.IDLE
    driver.close()
    assert ready(driver).tick(0.0, 1, 1) == Status.OK


def test_unplugged_the_exchange_says_closed_and_everything_else_is_a_driver_error(board, make):
    driver = make(board.port)
    dialogue = ready(driver)
    assert dialogue.tick() == Status.OK
    board.process.kill()
    board.process.wait()
    until(lambda: dialogue.tick() == Status.CLOSED)
    assert driver.health()["reason"] == f"{board.port}: the port is closed"
    with pytest.raises(DriverError, match="plugged in"):
        driver.check()
    driver.disarm()
    with pytest.raises(DriverError, match="plugged in"):
        driver.open()


@pytest.mark.parametrize("port", ["/dev/no-such-port", "/dev/null", "", "\0"])
def test_what_is_no_serial_port_is_a_driver_error(make, port):
    with pytest.raises(DriverError, match="check that the device is plugged in"):
        make(port).open()


def test_two_programs_on_one_port_the_second_is_refused(board, make):
    dialogue = ready(make(board.port))
    with pytest.raises(DriverError, match="no other program"):
        make(board.port).open()
    assert dialogue.tick() == Status.OK


def test_a_device_that_obeys_another_host_is_not_taken_over(board, make):
    dialogue = ready(make(board.port, timeout_s=0.001))
    stop = threading.Event()

    def drive():
        while not stop.is_set():
            dialogue.tick()

    dialogue.tick()
    dialogue.driver._line.close()
    record(dialogue.driver.state).fd = os.open(board.port, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)  # and no lock
    other = threading.Thread(target=drive)
    other.start()
    try:
        with pytest.raises(DriverError, match=r"another host drives|no answer to HELLO|no other program reads"):
            make(board.port, handshake_s=0.5).open()
    finally:
        stop.set()
        other.join()
        os.close(record(dialogue.driver.state).fd)


def test_a_silent_device_is_told_from_a_wrong_baud_rate(board, make):
    board.tell("line mute 1")
    with pytest.raises(DriverError, match="no answer within"):
        make(board.port, handshake_s=0.2).open()
    board.tell("line babble 1000000")
    board.tell("line mute 0")
    board.tell("line deaf 1")
    with pytest.raises(DriverError, match=r"bytes came .* check driver.baud = 921600"):
        make(board.port, handshake_s=0.3).open()


def test_firmware_of_another_version_is_refused_saying_both(make):
    master, near = os.openpty()
    tty.setraw(near)

    def old_firmware():
        for body in Splitter().feed(os.read(master, 64)):
            kind, _, sequence, session = HEAD.unpack_from(body)
            who = (9).to_bytes(2, "little") + (0xABCDEF).to_bytes(4, "little")
            os.write(master, seal(HEAD.pack(kind | 0x80, 0, sequence, session) + who + b"something else"))

    far = threading.Thread(target=old_firmware)
    far.start()
    with pytest.raises(DriverError, match=f"version 9, schema 00abcdef; this program version 1, schema {SCHEMA:08x}"):
        make(os.ttyname(near)).open()
    far.join()
    os.close(master)
    os.close(near)


def test_a_board_that_does_not_fit_the_rig_file_is_refused_before_it_is_armed(board, make):
    board.tell("board end_high 50000000")
    board.tell("set displacement 2000000000")
    driver = make(board.port, baud=115_200)
    driver.open()
    said = until(lambda: len(found := driver.check()) == 3 and found)
    assert [text.split(":")[0] for text in said] == [
        "loop.rate_hz", "the device's end stops at -0.098 and 0.05 m", "sensors.displacement"]  # fmt: skip


@pytest.mark.parametrize(
    ("fault", "spoils"), [("line flip 40", True), ("line cut 5", True), ("line twice 1", False), ("line mute 1", True)]
)
def test_a_spoilt_answer_fails_its_tick_at_once_and_the_dialogue_goes_on(board, make, fault, spoils):
    dialogue = ready(make(board.port, timeout_s=0.005))
    until(lambda: dialogue.tick() == Status.OK)
    board.tell(fault)
    if spoils:
        until(lambda: dialogue.tick() in (Status.TIMEOUT, Status.BAD_CHECKSUM, Status.BAD_REPLY))
    else:
        assert Status.LATE not in [dialogue.tick() for _ in range(50)]
    board.tell("line mute 0")
    board.tell("line twice 0")
    until(lambda: dialogue.tick() == Status.OK)


def test_an_answer_that_is_lost_outside_the_tick_is_asked_for_again(board, make):
    driver = make(board.port)
    driver.open()
    board.tell("line flip 40")
    assert driver.check() == []
    board.tell("line flip 40")
    driver.arm()
    seen = board.seen()
    assert (seen["state"], seen["valve"]) == (State.ARMED, 0)
    driver.disarm()
    board.tell("line mute 1")
    with pytest.raises(DriverError, match="no answer"):
        driver.arm()
    board.tell("line mute 0")


def test_a_hung_device_times_out_and_its_stopped_clock_is_stale(board, make):
    dialogue = ready(make(board.port, timeout_s=0.002))
    until(lambda: dialogue.tick() == Status.OK)
    board.tell("line hung 1")
    until(lambda: dialogue.tick() == Status.TIMEOUT)
    assert dialogue.tick() == Status.TIMEOUT
