"""`hilctl check` against devices: what is wrong is said in words that name the key; exit code 1, never a traceback."""

import os
import threading
import tty
from contextlib import contextmanager

import pytest

from firmware_bridge.registry import find
from hilctl import rig
from hilctl.cli import rigs
from hilctl.cli.main import main
from tests.system.modbus_parts import QUICK_LINE, device, opened
from tests.system.serial_parts import SLOW, board

SERIAL = {key: value for key, value in SLOW.items() if not key.startswith(("driver.", "arming.", "service."))}


@pytest.fixture(scope="module")
def margins():
    return rigs._margins(rig.load("table-500"))


@pytest.fixture
def check(monkeypatch, capsys, margins):
    """The exit code, and what was said on standard error."""
    monkeypatch.setattr(rigs, "_margins", lambda rig: margins)  # they cost a second, and are the same each time

    def run(driver, **changes):
        settings = {**_flat("driver", driver), **changes}
        words = [f"{key}={_toml(value)}" for key, value in settings.items()]
        code = main(["check", "table-500", "--set", *words])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert (code == 0) == ("opened, and is what the rig file says" in said.out)
        return code, said.err

    return run


def _flat(at, table):
    if not isinstance(table, dict):
        return {at: table}
    return {path: value for key, entry in table.items() for path, value in _flat(f"{at}.{key}", entry).items()}


def _toml(value):
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else repr(value)


@contextmanager
def babbling():
    """A device at another speed: whatever is said to it, what comes back are no frames."""
    master, slave = os.openpty()
    tty.setraw(slave)

    def answer():
        while True:
            try:
                count = len(os.read(master, 4096))
            except OSError:
                return
            os.write(master, b"\xf8\x80\x00\xf8" * count)

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield os.ttyname(slave)
    finally:
        os.close(slave)
        thread.join(0.1)


MODBUS = [
    ({}, ""),
    ({"reading__acceleration__words": "low_first"}, 'with words = "high_first" it would read'),
    ({"reading__oil_temperature__address": 9999}, "driver.reading.oil_temperature.address = 9999"),
    ({"amplifier__port": 1}, "127.0.0.1:1: cannot be reached"),
]


@pytest.mark.parametrize(("changes", "complaint"), MODBUS, ids=[said or "as it should be" for _, said in MODBUS])
def test_a_modbus_device_is_checked_against_its_map(check, changes, complaint):
    with device("tcp") as there:
        code, said = check({"name": "modbus", **there.table(**changes)})
        assert code == bool(complaint)
        assert complaint in said


def test_a_modbus_device_that_another_process_drives_is_not_opened(check):
    with device("tcp") as there, opened(there.table()):
        code, said = check({"name": "modbus", **there.table()})
    assert code == 1
    assert "another process on this machine drives it; end that one first" in said


@pytest.mark.parametrize("kind", ["modbus", "serial"])
def test_a_line_at_a_wrong_speed_is_told_as_that(check, kind):
    with babbling() as port:
        if kind == "serial":
            code, said = check({"name": "serial", "port": port, "handshake_s": 0.3}, **SERIAL)
        else:
            with device("tcp") as there:
                table = there.table()
            table["amplifier"] = {**QUICK_LINE, "serial": port}
            code, said = check({"name": "modbus", **table})
    assert code == 1
    assert "check" in said and "baud" in said


def test_a_rate_that_the_line_cannot_carry_is_refused_before_the_port_is_opened(check, capsys):
    code, said = check({"name": "serial", "port": "/dev/no-such-port", "baud": 115_200}, **{"loop.rate_hz": 500})
    assert code == 2
    assert "loop.rate_hz" in said and "at most 144 Hz" in said


def test_firmware_is_checked_and_its_port_belongs_to_one_process(check):
    with board() as there:
        table = {"name": "serial", "port": there.port}
        assert check(table, **SERIAL) == (0, "")
        facts = rig.load("table-500", changes={**SERIAL, "driver": table}).facts()
        holder = find("serial")(find("serial").resolve({"port": there.port}, facts), facts)
        holder.open()
        try:
            code, said = check(table, **SERIAL)
        finally:
            holder.close()
    assert code == 1
    assert there.port in said and "no other program does" in said


def test_a_port_that_is_not_there_is_named(check):
    code, said = check({"name": "serial", "port": "/dev/no-such-port"}, **SERIAL)
    assert code == 1
    assert "/dev/no-such-port" in said and "plugged in" in said


def test_a_driver_whose_code_raises_is_told_and_not_a_traceback(check, monkeypatch):
    monkeypatch.setattr(find("null"), "check", lambda self: 1 // 0)
    code, said = check({"name": "null"})
    assert code == 1
    assert "driver null: its code raised ZeroDivisionError" in said
