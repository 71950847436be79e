"""The firmware on a Cortex-M in QEMU: what a process on a PC cannot show. A hang, and a line that nobody reads."""

import fcntl
import os
import struct
import termios
from pathlib import Path

import pytest

from firmware_bridge.firmware.build import HERE, MOST_FLASH, MOST_RAM, WATCHDOG_US, build, core_size, cross_compiler
from firmware_bridge.firmware.emulated import EmulatedBoard, emulator
from firmware_bridge.serial_frame.line import Line
from firmware_bridge.serial_frame.messages import ONE, SCHEMA, VERSION, DeviceTrip, Fault, State, Type
from tests.system.serial_parts import HANDSHAKE_S, TTL_TICKS, ticks_pass
from tests.system.service_parts import until

SOURCES = Path(os.environ.get("HILCTL_FIRMWARE", HERE))  # the mutants' own
TICK_HZ = 2000
ALL, LOOP, TICK = 1, 2, 3  # what hangs

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(cross_compiler() is None or emulator() is None, reason="needs arm-none-eabi-gcc and QEMU"),
]


@pytest.fixture
def device():
    with EmulatedBoard(build("mps2_an385", sources_in=SOURCES), "mps2_an385") as made:
        yield made


def running(device):
    """The near end of its line, and the valve half open."""
    line = Line(device.port, 921_600)
    boot = line.hello(VERSION, SCHEMA, HANDSHAKE_S).values[3]
    assert line.ask(Type.ARM, boot, 100_000, wait_s=5).type == Type.ARM
    assert line.ask(Type.CYCLIC, ONE // 2, 5, wait_s=5).state == State.RUNNING
    return line


def test_the_core_fits_on_a_cortex_m3():
    size = core_size()
    assert size.flash <= MOST_FLASH
    assert size.ram + size.stack <= MOST_RAM


@pytest.mark.parametrize("hung", [ALL, LOOP, TICK], ids=["all", "main_loop", "tick"])
def test_a_hang_ends_in_the_watchdogs_reset_null_not_armed_without_session_and_says_why(device, hung):
    line = running(device)
    before = device.seen()
    device.tell(f"line hung {hung}")
    after = device.booted()
    assert after["boot"] != before["boot"]
    assert (after["state"], after["trip"]) == (State.TRIPPED, DeviceTrip.WATCHDOG)
    assert (after["valve"], after["enable"], after["supply"], after["session"]) == (0, 0, 0, 0)
    refused = line.ask(Type.CYCLIC, ONE // 2, 5, wait_s=5)
    assert (refused.type, refused.values[0]) == (Type.FAULT, Fault.NO_SESSION)
    told = line.hello(VERSION, SCHEMA, HANDSHAKE_S)
    assert (told.trip, told.values[3]) == (DeviceTrip.WATCHDOG, after["boot"])
    assert line.ask(Type.ARM, after["boot"], 100_000, wait_s=5).type == Type.FAULT
    assert device.seen()["enable"] == 0
    line.close()


def test_the_cause_of_a_reset_is_told_once(device):
    device.tell(f"line hung {ALL}")
    assert device.booted()["trip"] == DeviceTrip.WATCHDOG
    again = device.press_reset()
    assert (again["state"], again["trip"]) == (State.IDLE, 0)


def test_the_watchdog_leaves_a_device_alone_whose_tick_and_main_loop_live(device):
    before = device.seen()
    assert before["trip"] == 0
    ticks_pass(device, round(1.3 * WATCHDOG_US * TICK_HZ / 1_000_000))
    after = device.seen()
    assert (after["boot"], after["trip"]) == (before["boot"], 0)


def unread(port: int) -> int:
    return int(struct.unpack("i", fcntl.ioctl(port, termios.FIONREAD, b"\0\0\0\0"))[0])


def test_a_host_that_never_reads_stops_the_line_and_nothing_else_and_the_device_hears_it_again(device):
    line = running(device)
    device.tell("line babble 100000000")
    counts = [0]

    def full() -> bool:
        ticks_pass(device, 50)
        counts.append(unread(line.fd))
        return counts[-1] == counts[-2] > 1000

    until(full, "a line that takes no more")
    ticks_pass(device, 2 * TTL_TICKS)
    seen = device.seen()  # it ticks, and answers
    assert (seen["state"], seen["trip"]) == (State.TRIPPED, DeviceTrip.TIME_TO_LIVE)
    assert (seen["trip_tick"] - seen["good_tick"], seen["valve"], seen["enable"]) == (TTL_TICKS, 0, 0)
    device.tell("line babble 0")
    assert line.hello(VERSION, SCHEMA, HANDSHAKE_S).trip == DeviceTrip.TIME_TO_LIVE
    line.close()
