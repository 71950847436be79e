"""Every fault of the table can be said, is what it says, and is refused with the nearest name where it is mistyped."""

import math

import pytest

from firmware_bridge.emulate.emulated import Emulated
from firmware_bridge.emulate.faults import (
    FAULTS,
    ORDERS,
    SERIAL,
    TCP,
    TEXT,
    TRANSPORTS,
    FaultError,
    help_text,
    parse,
)
from firmware_bridge.emulate.firmware_device import FirmwareDevice
from firmware_bridge.emulate.line_faults import LineFaults
from firmware_bridge.emulate.modbus import MODBUS
from firmware_bridge.emulate.sensor_faults import SensorFaults
from firmware_bridge.emulate.text import Text
from hilctl.signals import INPUTS, SENSORS

KINDS = {**MODBUS, SERIAL: FirmwareDevice, TEXT: Text}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_device_does_every_fault_that_the_table_says_it_has(transport):
    for fault in (*FAULTS, *ORDERS):
        if transport in fault.where:
            assert hasattr(KINDS[transport], f"do_{fault.name}") or fault.name in INPUTS, fault.name


class Bare(Emulated):
    """What all devices have in common, and nothing else."""

    transport = TCP
    sensors = SensorFaults()

    def advance(self):
        """Nothing to run."""

    def status(self):
        """Nothing to tell."""
        return {}


@pytest.mark.parametrize("name", [name for name in INPUTS if name != "emergency_stop"])
def test_an_input_without_a_method_of_its_own_reads_1_on_command(name):
    device = Bare()
    device.sensors.clear()
    assert device.obey(name) == "ok"
    shown, _ = device.sensors.shown([0.0] * len(SENSORS), 0)
    assert [SENSORS[k] for k, value in enumerate(shown) if value == 1.0] == [name]


def test_what_a_device_does_stands_in_the_table():
    named = {fault.name for fault in (*FAULTS, *ORDERS)}
    for kind in (Emulated, *KINDS.values()):
        assert {name.removeprefix("do_") for name in dir(kind) if name.startswith("do_")} <= named


def test_a_line_becomes_a_command_with_its_defaults():
    assert parse("drift pressure_a 1e5", TCP) == ("drift", ("pressure_a", 1e5))
    assert parse(" delay 0.02 ", TCP) == ("delay", (0.02, 1))
    assert parse("delay 0.02 10", TCP) == ("delay", (0.02, 10))
    assert parse("witness line mute 1", SERIAL) == ("witness", ("line mute 1",))


@pytest.mark.parametrize(("text", "said"), [
    ("tiemout 1", "did you mean 'timeout'"), ("", "no fault ''"),
    ("timeout", "SECONDS is missing; usage: timeout SECONDS"),
    ("timeout x", "'x' is not a number"), ("timeout -1", "more than 0"), ("timeout 1 2", "one argument too many"),
    ("timeout nan", "more than 0"), ("exception 12", "1 to 11"), ("nan presure_a", "did you mean 'pressure_a'"),
    ("flip 1", "modbus-tcp has no such fault, only modbus-rtu and serial"),
])  # fmt: skip
def test_what_cannot_be_obeyed_is_told_with_what_to_say_instead(text, said):
    with pytest.raises(FaultError) as refused:
        parse(text, TCP)
    assert said in str(refused.value)


def test_the_help_names_every_command_of_the_transport_and_no_other():
    told = {line.split()[0] for line in help_text(TCP).splitlines()}
    assert told == {f.name for f in (*FAULTS, *ORDERS) if TCP in f.where}


# -- the line

ANSWER = bytes(range(1, 40)) + b"\0"


def test_so_many_bits_as_was_said_are_wrong_in_so_many_answers():
    line = LineFaults()
    for bits in (1, 2, 3, 4):
        line.bits, line.flips = bits, 2
        for _ in range(2):
            (piece,) = line.outgoing(ANSWER, 0.0)
            wrong = int.from_bytes(piece.data, "big") ^ int.from_bytes(ANSWER, "big")
            assert wrong.bit_count() == bits
        assert line.outgoing(ANSWER, 0.0)[0].data == ANSWER


def test_answers_are_cut_lengthened_repeated_old_of_another_unit_late_or_missing():
    line = LineFaults()
    line.keep, line.cuts = 7, 1
    assert line.outgoing(ANSWER, 0.0)[0].data == ANSWER[:7]
    line.more, line.grows = 300, 1
    long = line.outgoing(ANSWER, 0.0)[0].data
    assert len(long) == len(ANSWER) - 1 + 300 and 0 not in long
    line.copies = 1
    assert len(line.outgoing(ANSWER, 0.0)) == 21
    line.olds = 1
    assert line.outgoing(b"newer", 0.0)[0].data == ANSWER
    line.units = 1
    assert line.outgoing(b"\x01abc", 0.0, 0)[0].data == b"\x02abc"
    line.delay_s, line.delay_every = 0.5, 3
    assert [line.outgoing(ANSWER, 0.0)[0].delay_s for _ in range(6)].count(0.5) == 2
    line.silent_until_s = 10.0
    assert line.outgoing(ANSWER, 9.9) == () and not line.hears(9.9) and line.hears(10.1)
    line.clear()
    assert line.outgoing(ANSWER, 0.0) == ((0.0, ANSWER),)


def test_every_nth_request_is_lost():
    line = LineFaults()
    line.lose_every = 4
    assert [line.hears(0.0) for _ in range(8)].count(False) == 2


# -- sensors


def test_sensors_say_what_their_faults_make_of_the_truth():
    now = [0.0]
    truth = [float(k + 1) for k in range(len(SENSORS))]
    at = SENSORS.index
    faults = SensorFaults()
    assert faults.shown(truth, 5) == (truth, 5)
    faults.none("acceleration")
    faults.lowest("spool")
    faults.stuck("displacement")
    faults.drift("supply_pressure", 10.0, lambda: now[0])
    faults.flip("oil_temperature")
    faults.swap_pressures()
    first, _ = faults.shown(truth, 5)
    now[0] = 2.0
    moved = [value + 1 for value in truth]
    shown, _ = faults.shown(moved, 6)
    assert math.isnan(shown[at("acceleration")]) and shown[at("spool")] == -math.inf
    assert shown[at("displacement")] == first[at("displacement")] == truth[0]
    assert shown[at("supply_pressure")] == moved[at("supply_pressure")] + 20.0
    assert shown[at("oil_temperature")] == -moved[at("oil_temperature")]
    assert shown[at("pressure_a")] == moved[at("pressure_b")]
    faults.clear()
    faults.spike("displacement", 0.5)
    assert faults.shown(truth, 7)[0][0] == truth[0] + 0.5
    assert faults.shown(truth, 8)[0][0] == truth[0]
    faults.freeze(truth, 9)
    assert faults.shown(moved, 10) == (truth, 9)
