"""Stalls that come again and again while a motion runs, and the ramp to null: judged on the plant's true state."""

from typing import Any

import numpy as np
import pytest

from hilctl.law.requests import RequestKind
from hilctl.law.tick import rt_trip
from hilctl.signals import Action, Mode, Trip


def jolts(rig: Any) -> Any:
    """The true acceleration, period by period, of the last run."""
    return np.abs(np.diff(rig.truth[:, 1])) / rig.dt_s


@pytest.mark.parametrize(("missed", "running"), [(6, 10), (6, 20), (10, 2), (10, 6), (15, 4), (25, 4)])
@pytest.mark.parametrize("feedback", ["three_state", "pid"])
def test_stalls_before_a_move_is_rejoined_stop_it_short_of_its_end(
    table: Any, missed: int, running: int, feedback: str
) -> None:
    rig = table(**{"law.feedback": feedback})
    rig.arm()
    rig.track("move", position_m=0.05, speed_m_s=0.4)
    rig.run(0.1)
    for _ in range(40):
        rows = rig.run(running * rig.dt_s, first_skip=missed)
        assert rig.truth[:, 0].max() < 0.05
    assert rig.trip == Trip.LATE_TICKS
    assert rig.law.guard.trip_value > rig.law.guard.trip_limit == rig.controller.limits.late.rejoin_s
    assert rows.mode[-1] in (Mode.HOLD, Mode.OFF)


@pytest.mark.many(quick=3)
# The stall begins on the straight, in the corner, or in its second half.
@pytest.mark.parametrize("late_s", [-0.02, -0.005, 0.005, 0.015, 0.03])
@pytest.mark.parametrize("missed", [10, pytest.param(20, marks=[pytest.mark.slow, pytest.mark.many]), 25])
@pytest.mark.parametrize("speed_m_s", [0.05, 0.24, 0.5])
def test_a_stall_at_a_corner_takes_the_table_no_further_than_the_stall_does(
    table: Any, speed_m_s: float, missed: int, late_s: float
) -> None:
    rig = table()
    rig.arm()
    plan = rig.track("triangle", amplitude_m=0.04, speed_m_s=speed_m_s)
    triangle, dt_s = plan.motion.triangle, rig.dt_s
    while rig.law.here.v_m_s < 0.999 * speed_m_s:
        rig.run(dt_s)
    corner_s = (triangle.center_m + triangle.reach_m - rig.law.here.x_m) / speed_m_s
    rig.run(corner_s + late_s)
    rig.run(0.4, first_skip=missed)
    assert rig.trip == 0
    straight_s = (missed + 2) * dt_s  # the held command goes on to where the one after it begins to act
    peak_m_s2, jerk_m_s3 = plan.motion.peak_m_s2, rig.controller.limits.stopping.jerk_m_s3
    straight_s += 0.5 * max(8 * dt_s, 1.5 * peak_m_s2 / jerk_m_s3)  # until it decelerates as the motion does
    # What the corner has turned meanwhile beyond rest is taken back by the way home: 2.74 r²/(2 · 0.7 peak).
    back_m_s = min(max(peak_m_s2 * straight_s - speed_m_s, 0.0), speed_m_s)
    most_m = speed_m_s * straight_s + 2.74 * back_m_s**2 / (1.4 * peak_m_s2)
    assert max(np.abs(rig.truth[:, 0])) < 0.04 + most_m + 1e-3


@pytest.mark.parametrize("stalls", [[5], [12], [24], [8, 8, 8]])
@pytest.mark.parametrize(("feedback", "late_s"), [("three_state", 0.0), ("three_state", 0.03), ("pid", 0.03)])
def test_a_stop_that_a_person_asks_for_goes_on_after_short_stalls_and_trips_nothing(
    table: Any, feedback: str, late_s: float, stalls: list[int]
) -> None:
    rig = table(**{"law.feedback": feedback})
    rig.arm()
    rig.track("sine", amplitude_m=0.02, frequency_hz=2.0, cycles=40)
    rig.run(3.0)
    usual = jolts(rig).max()
    rig.ask(RequestKind.STOP)
    rig.run(late_s + rig.dt_s)
    rough = 0.0
    for missed in stalls:
        rows = rig.run(0.02, first_skip=missed)
        rough = max(rough, jolts(rig).max())
    rows = rig.run(1.0)
    assert (rig.trip, rows.mode[-1]) == (0, Mode.HOLD)
    assert max(rough, jolts(rig).max()) < max(rig.controller.limits.stopping.deceleration_m_s2, 2.0 * usual)


@pytest.mark.many(quick=3)
# While a sine is at its fastest, and shortly after: on a table that slows down by itself, and one that still speeds up.
@pytest.mark.parametrize("late_s", [0.0, 0.02, 0.04])
@pytest.mark.parametrize("speed_m_s", [0.05, 0.24, 0.7])
@pytest.mark.parametrize("rig_file", ["table-500", "column-50"])
def test_the_ramp_to_null_stays_within_the_deceleration_limit(
    table: Any, rig_file: str, speed_m_s: float, late_s: float
) -> None:
    rig = table(rig_file)
    rig.arm(8.0)
    limits, machine = rig.controller.limits, rig.controller.machine
    speed_m_s = min(speed_m_s, 0.9 * limits.velocity.max_m_s)
    rig.track("sine", frequency_hz=3.0, amplitude_m=speed_m_s / (6 * np.pi), cycles=30)
    rig.run(3.0 + late_s)
    usual = jolts(rig).max()
    rt_trip(rig.law, Trip.SENSOR_INVALID.value, Action.NULL.value, 0.0, 0.0)
    rows = rig.run(1.0)
    assert rows.mode[-1] == Mode.OFF
    # The table comes to rest in the oil: what friction does to it while it slides, it does not do at rest.
    friction = 2.0 * rig.friction.params.fs / machine.m
    assert jolts(rig).max() < max(limits.stopping.deceleration_m_s2 + friction, usual)
    back = -np.sign(rig.truth[0, 1]) * rig.truth[:, 1]
    assert back.max() < 0.15 * speed_m_s, "it hardly swings back"
