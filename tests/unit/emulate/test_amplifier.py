"""The emulated amplifier obeys its rules in plant periods, to the period."""

import itertools

import pytest

from firmware_bridge.emulate.amplifier import SLEW_PER_S, Amplifier, DeviceTrip
from hilctl.signals import SENSORS

PERIOD_S, STROKE_M = 250e-6, 0.1
TTL_PERIODS = 40  # 10 ms


class Still:
    """A plant of which every sensor says what the test wants."""

    period_s = PERIOD_S

    def __init__(self):
        self.tick = self.waiting = 0
        self.commands = []
        self.says = dict.fromkeys(SENSORS, 0.0)

    def due(self, _now_ns):
        waiting, self.waiting = self.waiting, 0
        return waiting

    def run(self, periods):
        self.tick += periods

    def command(self, *wanted):
        self.commands.append((self.tick, *wanted))

    def values(self):
        return list(self.says.values())


@pytest.fixture
def made():
    amplifier = Amplifier(Still(), STROKE_M)
    amplifier.time_to_live_s = TTL_PERIODS * PERIOD_S
    return amplifier


def passes(amplifier, periods, **how):
    amplifier.plant.waiting = periods
    amplifier.advance(0, **how)


def test_silence_trips_at_the_time_to_live_to_the_period_and_not_before(made):
    made.command(0.5, 1, 2)
    passes(made, TTL_PERIODS)
    assert made.trip == DeviceTrip.NONE
    passes(made, 1)
    assert (made.trip, made.trip_tick) == (DeviceTrip.TIME_TO_LIVE, TTL_PERIODS)


def test_a_moving_heartbeat_keeps_it_alive_and_commands_without_one_do_not(made):
    made.command(0.5, 1, 2)
    for _ in range(10):
        passes(made, TTL_PERIODS - 1)
        made.feed()
    assert not made.trip
    for _ in range(10):
        passes(made, TTL_PERIODS // 2)
        made.command(0.4, 1, 2)
    assert made.trip == DeviceTrip.TIME_TO_LIVE


def test_who_commands_nothing_is_not_awaited(made):
    passes(made, 100 * TTL_PERIODS)
    made.command(0.0, 0, 0)
    passes(made, 100 * TTL_PERIODS)
    assert not made.trip


def test_a_trip_ramps_to_null_at_the_slew_then_drops_enable_and_supply(made):
    made.command(-0.5, 1, 2)
    passes(made, 1)
    made.tripped(DeviceTrip.TIME_TO_LIVE)
    begun = len(made.plant.commands)
    passes(made, 1000)
    ramp = [command[1] for command in made.plant.commands[begun:]]
    assert all(0 < b - a <= SLEW_PER_S * PERIOD_S + 1e-12 for a, b in itertools.pairwise(ramp))
    assert made.plant.commands[-1][1:] == (0.0, 0, 0)
    assert [c[2] for c in made.plant.commands[begun:-1]] == [1] * (len(ramp) - 1)
    assert len(ramp) == pytest.approx(0.5 / (SLEW_PER_S * PERIOD_S), abs=1)


@pytest.mark.parametrize("cause", [DeviceTrip.EMERGENCY_STOP, DeviceTrip.ENABLE_LOST, DeviceTrip.WATCHDOG])
def test_what_acts_by_wire_is_a_step(made, cause):
    made.command(0.5, 1, 2)
    made.tripped(cause)
    assert made.plant.commands[-1][1:] == (0.0, 0, 0)


def test_the_first_cause_is_kept_and_no_command_moves_anything_after_it(made):
    made.command(0.5, 1, 2)
    made.tripped(DeviceTrip.END_STOP)
    made.tripped(DeviceTrip.SENSOR)
    passes(made, 1000)
    made.command(0.9, 1, 2)
    passes(made, 10)
    assert (made.trip, made.out) == (DeviceTrip.END_STOP, (0.0, 0, 0))


def test_a_reset_wants_null_no_command_and_no_cause(made):
    made.command(0.5, 1, 2)
    made.plant.says["emergency_stop"] = 1.0
    passes(made, 1)
    assert made.trip == DeviceTrip.EMERGENCY_STOP
    assert not made.reset()
    made.command(0.0, 0, 0)
    assert not made.reset()
    made.plant.says["emergency_stop"] = 0.0
    assert made.reset()
    made.command(0.2, 1, 2)
    assert made.out == (0.2, 1, 2)


def test_a_ramp_must_be_over_before_a_reset(made):
    made.command(0.5, 1, 2)
    made.tripped(DeviceTrip.TIME_TO_LIVE)
    made.command(0.0, 0, 0)
    assert not made.reset()
    passes(made, 1000)
    assert made.reset()


@pytest.mark.parametrize(("x_m", "cause"), [(0.0985, DeviceTrip.END_STOP), (-0.0985, DeviceTrip.END_STOP),
                                            (0.2, DeviceTrip.SENSOR), (float("nan"), DeviceTrip.SENSOR)])  # fmt: skip
def test_the_end_of_the_stroke_and_a_sensor_beyond_it_trip_without_a_host(made, x_m, cause):
    made.command(0.5, 1, 2)
    made.plant.says["displacement"] = x_m
    for _ in range(3):
        passes(made, 1)
    assert made.trip == cause


def test_a_host_that_asked_while_this_process_stood_still_was_not_silent(made):
    made.command(0.5, 1, 2)
    passes(made, 2 * TTL_PERIODS, asked=True)
    assert not made.trip


def test_commands_beyond_what_there_is_are_held_within(made):
    made.command(7.0, 5, 9)
    assert made.out == (1.0, 1, 2)
