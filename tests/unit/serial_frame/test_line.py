"""A port outside the tick: whatever way it goes, that is one error of ours, and the port can be opened again."""

import os
import termios
import threading
import tty

import pytest
import serial

from firmware_bridge.driver import DriverError
from firmware_bridge.serial_frame.line import Line, NoAnswer
from firmware_bridge.serial_frame.messages import SCHEMA, VERSION, Type


@pytest.fixture
def far():
    """The device's end of a line, and the name of the host's."""
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    for end in (master, slave):
        try:
            os.close(end)
        except OSError:
            pass  # unplugged by the test


@pytest.mark.parametrize("name", ["/dev/no-such-port", "/dev/null"])
def test_what_is_no_port_is_told_by_its_name(name):
    with pytest.raises(DriverError, match=f"^{name}: .*check that the device is plugged in"):
        Line(name, 115_200)


@pytest.mark.parametrize("error", [serial.SerialException("gone"), OSError(5, "gone"), termios.error(5, "gone")])
def test_a_port_that_goes_while_it_is_set_up_is_given_back(far, monkeypatch, error):
    before = len(os.listdir("/proc/self/fd"))

    def gone(_fd, _blocking):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, "set_blocking", gone)  # the last of our own set-up
        with pytest.raises(DriverError, match="gone") as held:  # and with it whatever its frames hold
            Line(far[1], 115_200)
        assert len(os.listdir("/proc/self/fd")) == before, held
    Line(far[1], 115_200).close()


def test_a_device_that_is_unplugged_while_it_is_asked_is_no_silence(far):
    line = Line(far[1], 115_200)

    def unplug():
        os.read(far[0], 1)
        os.close(far[0])

    hand = threading.Thread(target=unplug)
    hand.start()
    with pytest.raises(DriverError) as refused:
        line.hello(VERSION, SCHEMA, 30.0)
    hand.join()
    assert not isinstance(refused.value, NoAnswer)
    with pytest.raises(DriverError):
        line.ask(Type.DISARM)
    line.close()
    line.close()


def test_a_second_program_on_the_port_is_refused_until_the_first_has_closed_it(far):
    first = Line(far[1], 115_200)
    with pytest.raises(DriverError, match=f"{far[1]}: .*no other program"):
        Line(far[1], 115_200)
    first.close()
    Line(far[1], 115_200).close()
