"""Stalls that come again and again while a motion runs, and the ramp to null: judged on the plant's true state."""

from typing import Any

import numpy as np
import pytest

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
