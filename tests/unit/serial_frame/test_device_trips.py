"""The firmware's core, step by step: when it trips, and what then happens."""

import itertools

import pytest

from firmware_bridge.serial_frame.messages import ONE, SAFE_ACTIONS, SCHEMA, VERSION, DeviceTrip, Fault, State, Type

TICK_HZ, TTL_TICKS = 2000, 20  # of the reference board; 10 ms
HALF = ONE // 2
SLEW = 25 * ONE // TICK_HZ  # of the safe action, each tick
END, MARGIN, SENSES = 98_000_000, 1_000_000, 110_000_000
ENABLED, HIGH_ENABLED = 1, 5


def faulted(answer, code):
    return answer.type == Type.FAULT and answer.values[0] == code


def tripped(bench, cause):
    seen = bench.seen()
    return seen["state"] == State.TRIPPED and seen["trip"] == cause


@pytest.mark.parametrize("feeding", [TTL_TICKS - 1, 1])
def test_silence_trips_after_the_time_to_live_to_the_tick_and_is_latched(bench, feeding):
    bench.running(HALF, HIGH_ENABLED)
    bench.say(Type.CYCLIC, HALF, HIGH_ENABLED)
    for _ in range(5):
        bench.tick(feeding)
        assert bench.say(Type.CYCLIC, HALF, HIGH_ENABLED).state == State.RUNNING
    bench.tick(TTL_TICKS - 1)
    assert bench.seen()["state"] == State.RUNNING
    bench.tick()
    assert tripped(bench, DeviceTrip.TIME_TO_LIVE)
    seen = bench.seen()
    assert seen["trip_tick"] - seen["good_tick"] == TTL_TICKS
    answer = bench.say(Type.CYCLIC, HALF, HIGH_ENABLED)
    assert (answer.state, answer.trip) == (State.TRIPPED, DeviceTrip.TIME_TO_LIVE)
    bench.tick(1000)
    assert (bench.seen()["valve"], bench.seen()["enable"]) == (0, 0)


def test_silence_trips_even_when_nothing_was_enabled(bench):
    bench.running(0, 0)
    bench.tick(TTL_TICKS)
    assert tripped(bench, DeviceTrip.TIME_TO_LIVE)


def after_trip(bench, safe):
    """What the outputs do, tick by tick, once the host has gone; from half opening at high pressure."""
    bench.tell(f"board safe {SAFE_ACTIONS.index(safe)}")
    bench.running(HALF, HIGH_ENABLED)
    bench.tick(TTL_TICKS - 2)
    rows = [bench.seen()]
    while len(rows) < 200:
        bench.tick()
        rows.append(bench.seen())
    assert tripped(bench, DeviceTrip.TIME_TO_LIVE)
    steps = [a["valve"] - b["valve"] for a, b in itertools.pairwise(rows)]
    assert max(steps) == SLEW and min(steps) == 0 and rows[-1]["valve"] == 0
    assert rows[-1]["null_tick"] - rows[-1]["trip_tick"] == -(-HALF // SLEW) - 1
    return rows


def test_the_safe_action_null_ramps_the_spool_then_drops_enable_and_supply(bench):
    for row in after_trip(bench, "null"):
        assert (row["enable"], row["supply"]) == ((1, 2) if row["valve"] else (0, 0))


def test_the_safe_action_hold_ramps_the_spool_and_keeps_enable_and_supply(bench):
    assert {(row["enable"], row["supply"]) for row in after_trip(bench, "hold")} == {(1, 2)}


def test_the_safe_action_dump_drops_the_supply_at_once(bench):
    rows = after_trip(bench, "dump")
    assert [row["supply"] for row in rows] == [2] + [0] * 199
    assert all(row["enable"] == (row["valve"] != 0) for row in rows)


def test_the_emergency_stop_is_a_step_and_latched_until_it_is_closed_and_reset(bench):
    bench.tell(f"board safe {SAFE_ACTIONS.index('hold')}")
    bench.running(HALF, HIGH_ENABLED)
    bench.tell("set emergency_stop 1")
    bench.tick()
    seen = bench.seen()
    assert tripped(bench, DeviceTrip.EMERGENCY_STOP) and (seen["valve"], seen["enable"], seen["supply"]) == (0, 0, 0)
    assert faulted(bench.say(Type.RESET), Fault.CAUSE_PRESENT)
    bench.tell("set emergency_stop 0")
    bench.tick(10)
    assert tripped(bench, DeviceTrip.EMERGENCY_STOP)
    assert bench.say(Type.RESET).state == State.READY


def test_a_command_that_comes_while_the_emergency_stop_is_open_never_acts(bench):
    bench.running(0, 4)
    bench.tell("set emergency_stop 1")
    bench.tick()
    bench.say(Type.CYCLIC, HALF, HIGH_ENABLED)
    for _ in range(2):
        assert (bench.seen()["valve"], bench.seen()["enable"], bench.seen()["supply"]) == (0, 0, 0)
        bench.tick()
    assert tripped(bench, DeviceTrip.EMERGENCY_STOP)


def test_an_open_emergency_stop_keeps_the_supply_off_though_nothing_is_enabled(bench):
    bench.tell("set emergency_stop 1")
    bench.running(0, 4)
    assert (bench.seen()["state"], bench.seen()["supply"]) == (State.RUNNING, 0)
    bench.say(Type.CYCLIC, 0, ENABLED)
    bench.tick()
    assert tripped(bench, DeviceTrip.EMERGENCY_STOP)


@pytest.mark.parametrize("side", [1, -1])
def test_beyond_an_end_the_device_trips_by_itself_and_can_only_be_driven_back(bench, side):
    bench.tell(f"set displacement {side * END}")
    bench.running(side * HALF, ENABLED)
    assert bench.seen()["state"] == State.RUNNING
    bench.tell(f"set displacement {side * (END + 1)}")
    bench.tick()
    assert tripped(bench, DeviceTrip.END_STOP)
    bench.tell(f"set displacement {side * (END + 3 * MARGIN)}")
    bench.tick(1000)
    assert bench.say(Type.RESET).state == State.READY
    bench.say(Type.ARM, 1, 100_000)
    bench.say(Type.CYCLIC, 0, ENABLED)
    for beyond in (3 * MARGIN, 4 * MARGIN, 2 * MARGIN, 3 * MARGIN):
        bench.tell(f"set displacement {side * (END + beyond)}")
        bench.tick()
        assert bench.seen()["state"] == State.RUNNING
    bench.tell(f"set displacement {side * (END + 3 * MARGIN + 1)}")
    bench.tick()
    assert tripped(bench, DeviceTrip.END_STOP)


def test_beyond_an_end_nothing_trips_while_nothing_is_enabled(bench):
    bench.tell(f"set displacement {-END - MARGIN}")
    bench.running(0, 4)
    bench.tell(f"set displacement {END + MARGIN}")
    bench.tick()
    assert bench.seen()["state"] == State.RUNNING


@pytest.mark.parametrize("value", [SENSES + 1, -SENSES - 1, 2**31 - 1, -(2**31)])
def test_a_displacement_that_cannot_be_trips_in_three_ticks(bench, value):
    bench.running(HALF, ENABLED)
    bench.tell(f"set displacement {value}")
    bench.tick(2)
    assert bench.seen()["state"] == State.RUNNING
    bench.tick()
    assert tripped(bench, DeviceTrip.SENSOR)
    bench.tick(1000)
    assert faulted(bench.say(Type.RESET), Fault.CAUSE_PRESENT)
    bench.tell("set displacement 0")
    bench.tick()
    assert bench.say(Type.RESET).state == State.READY


def test_a_single_spike_of_displacement_does_not_trip(bench):
    bench.running(HALF, ENABLED)
    for _ in range(4):
        bench.tell(f"set displacement {SENSES + 1}")
        bench.tick(2)
        bench.tell("set displacement 0")
        bench.tick()
    assert bench.seen()["state"] == State.RUNNING


def test_a_new_session_leaves_the_trip_latched(bench):
    bench.running(HALF, HIGH_ENABLED)
    bench.tick(1000)
    assert bench.say(Type.HELLO, VERSION, SCHEMA).state == State.TRIPPED
    assert faulted(bench.say(Type.ARM, 1, 10_000), Fault.WRONG_STATE)
    assert tripped(bench, DeviceTrip.TIME_TO_LIVE)


def test_after_the_hardware_watchdogs_reset_the_device_is_null_knows_no_session_and_tells_why(bench):
    bench.running(HALF, HIGH_ENABLED)
    bench.tell("watchdog")
    bench.tick(50)
    seen = bench.seen()
    assert (seen["valve"], seen["enable"], seen["supply"], seen["session"], seen["boot"]) == (0, 0, 0, 0, 2)
    assert tripped(bench, DeviceTrip.WATCHDOG)
    assert faulted(bench.say(Type.CYCLIC, HALF, HIGH_ENABLED), Fault.NO_SESSION)
    answer = bench.say(Type.HELLO, VERSION, SCHEMA)
    assert (answer.state, answer.trip) == (State.TRIPPED, DeviceTrip.WATCHDOG)
    assert faulted(bench.say(Type.ARM, 2, 10_000), Fault.WRONG_STATE)
    assert bench.say(Type.RESET).state == State.READY
    assert bench.say(Type.ARM, 2, 10_000).state == State.ARMED


def test_reset_waits_for_the_output_to_be_at_null_and_arming_for_reset(bench):
    bench.running(HALF, HIGH_ENABLED)
    bench.tick(TTL_TICKS + 1)
    assert bench.seen()["valve"] != 0
    assert faulted(bench.say(Type.RESET), Fault.CAUSE_PRESENT)
    assert faulted(bench.say(Type.ARM, 1, 10_000), Fault.WRONG_STATE)
    bench.tick(1000)
    assert faulted(bench.say(Type.ARM, 1, 10_000), Fault.WRONG_STATE)
    assert bench.say(Type.RESET).state == State.READY
    assert bench.say(Type.ARM, 1, 10_000).state == State.ARMED


@pytest.mark.parametrize("side", [1, -1])
def test_disarming_ramps_to_null_and_trips_nothing(bench, side):
    bench.running(side * HALF, HIGH_ENABLED)
    assert bench.say(Type.DISARM).state == State.READY
    bench.tick()
    assert (bench.seen()["valve"], bench.seen()["enable"]) == (side * (HALF - SLEW), 1)
    assert faulted(bench.say(Type.ARM, 1, 10_000), Fault.WRONG_STATE)
    bench.tick(1000)
    assert (bench.seen()["valve"], bench.seen()["enable"], bench.seen()["state"]) == (0, 0, State.READY)


def test_the_board_has_a_null_of_its_own(bench):
    bench.tell(f"board null {SLEW // 3}")
    bench.tick()
    bench.running(-HALF, HIGH_ENABLED)
    bench.tick(1000)
    assert bench.seen()["valve"] == SLEW // 3
