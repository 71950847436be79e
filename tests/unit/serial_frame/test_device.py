"""The firmware's core, step by step: what it obeys, and what it ignores."""

import subprocess

import pytest

from firmware_bridge.firmware.build import CORE, core_object
from firmware_bridge.serial_frame.frames import seal
from firmware_bridge.serial_frame.messages import (
    ANSWER,
    INPUT_BITS,
    INPUTS,
    ONE,
    SCHEMA,
    VERSION,
    DeviceTrip,
    Fault,
    Identity,
    State,
    Type,
    command,
)

TICK_HZ, TTL_TICKS = 2000, 20  # of the reference board; 10 ms
HALF = ONE // 2
END = 98_000_000
HIGH_ENABLED = 5


def faulted(answer, code):
    return answer.type == Type.FAULT and answer.values[0] == code


def tripped(bench, cause):
    seen = bench.seen()
    return seen["state"] == State.TRIPPED and seen["trip"] == cause


def test_hello_tells_what_the_device_is(bench):
    answer = bench.say(Type.HELLO, VERSION, SCHEMA)
    identity = Identity.of(answer.values)
    assert identity[:8] == (VERSION, SCHEMA, 1, 1, TICK_HZ, 1000, 100_000, 25_000)
    assert (identity.end_low, identity.end_high, identity.safe) == (-END, END, 0)
    assert identity.scales == (1e-9, 1e-6, 0.1, 0.1, 2000.0, 1e-4, 0.01)
    assert answer.state == State.READY


@pytest.mark.parametrize(("version", "schema"), [(VERSION + 1, SCHEMA), (VERSION, SCHEMA ^ 1)])
def test_another_version_or_schema_is_told_its_own_and_begins_no_session(bench, version, schema):
    answer = bench.say(Type.HELLO, version, schema)
    assert (answer.state, *answer.values[:2]) == (State.IDLE, VERSION, SCHEMA)
    assert faulted(bench.say(Type.ARM, 1, 10_000), Fault.NO_SESSION)


def test_before_hello_and_from_another_session_everything_is_refused(bench):
    assert faulted(bench.say(Type.CYCLIC, HALF, 5), Fault.NO_SESSION)
    bench.running()
    good = bench.seen()["good_tick"]
    bench.tick(3)
    for kind, values in ((Type.CYCLIC, (HALF, 5)), (Type.DISARM, ()), (Type.RESET, ()), (Type.ARM, (1, 10_000))):
        assert faulted(bench.say(kind, *values, sequence=9, session=99), Fault.NO_SESSION)
    seen = bench.seen()
    assert (seen["state"], seen["good_tick"], seen["valve"]) == (State.RUNNING, good, 0)


def test_a_second_host_is_refused_while_the_device_obeys_the_first(bench):
    bench.running()
    assert faulted(bench.say(Type.HELLO, VERSION, SCHEMA, sequence=0, session=99), Fault.BUSY)
    assert bench.say(Type.CYCLIC, 0, 5, sequence=3).state == State.RUNNING


@pytest.mark.parametrize("microseconds", [0, 999, 100_001, 2**32 - 1])
def test_a_time_to_live_out_of_bounds_is_refused(bench, microseconds):
    bench.say(Type.HELLO, VERSION, SCHEMA)
    assert faulted(bench.say(Type.ARM, 1, microseconds), Fault.TIME_TO_LIVE)
    assert bench.seen()["state"] == State.READY


@pytest.mark.parametrize("microseconds", [0, 999, 100_001, 2**32 - 1])
def test_no_board_can_widen_the_bounds_of_the_time_to_live(bench, microseconds):
    bench.tell("board shortest_us 0")
    bench.tell("board longest_us 4294967295")
    bench.say(Type.HELLO, VERSION, SCHEMA)
    assert faulted(bench.say(Type.ARM, 1, microseconds), Fault.TIME_TO_LIVE)


def test_a_board_can_narrow_the_bounds_of_the_time_to_live(bench):
    bench.tell("board shortest_us 5000")
    bench.tell("board longest_us 50000")
    bench.say(Type.HELLO, VERSION, SCHEMA)
    for microseconds in (4_999, 50_001):
        assert faulted(bench.say(Type.ARM, 1, microseconds), Fault.TIME_TO_LIVE)
    assert bench.say(Type.ARM, 1, 5_000).state == State.ARMED


def test_arming_another_boot_or_twice_is_refused(bench):
    bench.say(Type.HELLO, VERSION, SCHEMA)
    assert faulted(bench.say(Type.ARM, 2, 10_000), Fault.OTHER_BOOT)
    assert bench.say(Type.ARM, 1, 10_000).values == (TTL_TICKS,)
    assert faulted(bench.say(Type.ARM, 1, 10_000), Fault.WRONG_STATE)


def test_commands_act_only_once_armed(bench):
    bench.say(Type.HELLO, VERSION, SCHEMA)
    assert bench.say(Type.CYCLIC, HALF, HIGH_ENABLED).state == State.READY
    bench.tick()
    assert (bench.seen()["valve"], bench.seen()["enable"], bench.seen()["supply"]) == (0, 0, 0)
    bench.say(Type.ARM, 1, 10_000)
    assert bench.say(Type.CYCLIC, HALF, HIGH_ENABLED).state == State.RUNNING
    bench.tick()
    assert (bench.seen()["valve"], bench.seen()["enable"], bench.seen()["supply"]) == (HALF, 1, 2)
    bench.say(Type.CYCLIC, HALF, 2)
    bench.tick()
    assert (bench.seen()["valve"], bench.seen()["enable"], bench.seen()["supply"]) == (0, 0, 1)


def test_a_command_acts_when_it_comes_and_not_with_the_next_tick(bench):
    bench.running(HALF, HIGH_ENABLED)
    tick = bench.seen()["tick"]
    for valve in (HALF, -HALF, HALF // 3):
        bench.say(Type.CYCLIC, valve, HIGH_ENABLED)
        seen = bench.seen()
        assert (seen["tick"], seen["valve"], seen["enable"], seen["supply"]) == (tick, valve, 1, 2)


def test_readings_are_those_of_the_sensors(bench):
    values = {"displacement": -5, "acceleration": 6, "pressure_a": 2**31 - 1, "pressure_b": -(2**31),
              "supply_pressure": -7, "spool": 8, "oil_temperature": 32767, "emergency_stop": 1}  # fmt: skip
    for name, value in values.items():
        bench.tell(f"set {name} {value}")
    bench.say(Type.HELLO, VERSION, SCHEMA)
    bench.tick(3)
    assert bench.say(Type.CYCLIC, 0, 0).values == (*tuple(values.values())[:7], 1, 0, 3)


@pytest.mark.parametrize(("name", "flag"), list(zip(INPUTS, INPUT_BITS, strict=True)))
def test_each_input_has_its_own_flag_and_identity_tells_which_there_are(bench, name, flag):
    bench.tell(f"set {name} 1")
    bench.tell(f"board inputs {1 << INPUTS.index(name)}")
    assert Identity.of(bench.say(Type.HELLO, VERSION, SCHEMA).values).inputs == 1 << INPUTS.index(name)
    bench.tick()
    assert bench.say(Type.CYCLIC, 0, 0).values[7] == 1 << flag


def test_duplicates_and_old_sequence_numbers_are_not_obeyed_not_answered_and_never_feed(bench):
    bench.running(HALF, HIGH_ENABLED)
    old = bench.sequence
    backs = (0, 1, 100, 32768)
    repeated = [seal(command(Type.CYCLIC, (old - back) & 0xFFFF, bench.session, -HALF, 1)) for back in backs]
    for _ in range(TTL_TICKS - 2):
        for frame in repeated:
            assert bench.receive(frame) == b""
        bench.tick()
    assert bench.seen()["state"] == State.RUNNING
    bench.tick()
    seen = bench.seen()
    assert tripped(bench, DeviceTrip.TIME_TO_LIVE)
    assert seen["trip_tick"] - seen["good_tick"] == TTL_TICKS
    assert seen["ignored"] == 4 * (TTL_TICKS - 2)


@pytest.mark.parametrize("first", [0, 65530, 32760])
def test_lost_commands_are_counted_exactly_also_where_the_sequence_wraps(bench, first):
    bench.say(Type.HELLO, VERSION, SCHEMA, sequence=first)
    lost = 0
    for step in (1, 2, 1, 5, 32767, 1):
        answer = bench.say(Type.CYCLIC, 0, 0, sequence=(bench.sequence + step) & 0xFFFF)
        lost += step - 1
        assert answer.values[8] == lost


def test_babble_feeds_nothing_and_the_device_hears_again_afterwards(bench, noise):
    bench.running(HALF, HIGH_ENABLED)
    for _ in range(TTL_TICKS):
        bench.receive(noise.randbytes(200))
        bench.tick()
    assert tripped(bench, DeviceTrip.TIME_TO_LIVE)
    bench.receive(b"\0")
    bench.tick(1000)
    assert bench.say(Type.RESET).state == State.READY


def test_a_frame_with_one_wrong_bit_anywhere_or_cut_anywhere_is_not_obeyed(bench):
    bench.running()
    frame = seal(command(Type.CYCLIC, bench.sequence + 1, bench.session, HALF, 5))
    before = bench.seen()
    for bit in range(8 * len(frame)):
        bent = bytearray(frame)
        bent[bit // 8] ^= 1 << bit % 8
        assert bench.receive(bytes(bent) + b"\0") == b""
    for length in range(1, len(frame) - 1):
        assert bench.receive(frame[:length] + b"\0") == b""
    assert bench.receive(b"\x07" * 500 + b"\0") == b""
    seen = bench.seen()
    assert (seen["accepted"], seen["good_tick"]) == (before["accepted"], before["good_tick"])
    assert seen["refused"] > 8 * len(frame)
    assert len(bench.receive(frame)) == 44


@pytest.mark.parametrize(
    "body",
    [
        command(Type.CYCLIC, 9, 0x1A2B3C4D, ONE + 1, 0),
        command(Type.CYCLIC, 9, 0x1A2B3C4D, -ONE - 1, 0),
        command(Type.CYCLIC, 9, 0x1A2B3C4D, 0, 6),
        command(Type.CYCLIC, 9, 0x1A2B3C4D, 0, 8),
        command(Type.CYCLIC, 9, 0x1A2B3C4D, 0, 0) + b"\0",
        command(Type.CYCLIC, 9, 0x1A2B3C4D, 0, 0)[:-1],
        bytes([Type.CYCLIC, 1]) + command(Type.CYCLIC, 9, 0x1A2B3C4D, 0, 0)[2:],
        bytes([Type.CYCLIC + ANSWER]) + command(Type.CYCLIC, 9, 0x1A2B3C4D, 0, 0)[1:],
        b"\x69\0\x09\0MMMM",
        b"\0\0\x09\0MMMM",
        bytes([Type.CYCLIC]),
        command(Type.HELLO, 9, 0, VERSION, SCHEMA),
    ],
    ids=[
        "valve",
        "valve_low",
        "supply",
        "outputs",
        "longer",
        "shorter",
        "state",
        "echo",
        "type",
        "type_0",
        "tiny",
        "session_0",
    ],
)
def test_a_whole_frame_with_impossible_contents_is_dropped(bench, body):
    bench.running()
    before = bench.seen()
    assert bench.receive(seal(body)) == b""
    seen = bench.seen()
    assert seen["state"] == State.RUNNING
    assert (seen["accepted"], seen["refused"]) == (before["accepted"], before["refused"] + 1)


def test_a_rebooted_device_is_null_knows_no_session_and_is_never_armed_by_commands(bench):
    bench.running(HALF, HIGH_ENABLED)
    bench.tell("reboot")
    bench.tick()
    for _ in range(50):
        assert faulted(bench.say(Type.CYCLIC, HALF, HIGH_ENABLED), Fault.NO_SESSION)
        bench.tick()
    seen = bench.seen()
    assert (seen["state"], seen["valve"], seen["enable"], seen["boot"]) == (State.IDLE, 0, 0, 2)
    bench.say(Type.HELLO, VERSION, SCHEMA)
    assert faulted(bench.say(Type.ARM, 1, 10_000), Fault.OTHER_BOOT)


def test_a_host_that_never_reads_gets_the_newest_answer_and_blocks_nothing(bench):
    bench.armed()
    bench.tell("line mute 1")
    for _ in range(100):
        bench.sequence += 1
        assert bench.receive(seal(command(Type.CYCLIC, bench.sequence, bench.session, 0, 0))) == b""
        bench.tick()
    assert bench.seen()["state"] == State.RUNNING


@pytest.mark.parametrize("name", CORE)
def test_the_core_needs_no_c_library(bench, name):
    done = subprocess.run(["nm", "-u", core_object(name)], capture_output=True, text=True, check=True)
    assert {line.split()[-1] for line in done.stdout.splitlines()} <= {"hil_seal", "hil_unseal", "hil_crc32"}
