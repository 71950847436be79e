"""A tick that comes late leaves the law as it would have been, beside the same run without it.

The twin draws the same noise in both, for it is advanced by the same periods; what differs is that the command of the
tick before acted on through the gap. From the motion that this makes the law must not be farther off than the gap
explains: a derivative over the wrong time, an integral that lost its time or a reference that stood still would be.
"""

from typing import Any

import numpy as np
import pytest

HZ, AMPLITUDE_M = 1.0, 0.02
SPEED_M_S = 2 * np.pi * HZ * AMPLITUDE_M
AT_S = 1.55  # on the sine's way, at full amplitude
GAPS = pytest.mark.parametrize("periods", [1, 2, 4])
LAWS = pytest.mark.parametrize("feedback", ["three_state", "pid"])


def beside(table: Any, feedback: str, periods: int) -> tuple[Any, Any]:
    """From the tick after the gap on: the samples of the run with it, and of the run without, of the same ticks."""
    runs = []
    for missed in (periods, 0):
        rig = table(**{"law.feedback": feedback, "law.pid.kd_s_per_m": 0.02})
        rig.arm()
        rig.track("sine", frequency_hz=HZ, amplitude_m=AMPLITUDE_M, cycles=4, soft_start_s=0.5)
        rig.run(AT_S)
        runs.append(rig.run(0.5, first_skip=missed))
        assert rig.trip == 0
    late, even = runs
    return late[: len(even) - periods], even[periods:]


@LAWS
@GAPS
def test_the_reference_is_the_same(table: Any, feedback: str, periods: int) -> None:
    late, even = beside(table, feedback, periods)
    assert (late.tick == even.tick).all()
    for name in ("xr_m", "vr_m_s", "ar_m_s2", "xd_m", "vd_m_s"):
        np.testing.assert_array_equal(late[name], even[name])


@LAWS
@GAPS
def test_the_observer_keeps_its_speed(table: Any, feedback: str, periods: int) -> None:
    """Taken for one period, a gap would show the speed once more for each period that was missed."""
    late, even = beside(table, feedback, periods)
    off = np.abs(late.velocity_m_s - even.velocity_m_s)
    assert off.max() < 0.03 * SPEED_M_S
    assert np.abs(late.position_m - even.position_m).max() < 0.3 * SPEED_M_S * 1e-3  # of the way in a period


@LAWS
@GAPS
def test_the_derivative_makes_no_jolt(table: Any, feedback: str, periods: int) -> None:
    late, even = beside(table, feedback, periods)
    name = "u_velocity" if feedback == "three_state" else "u_pid_d"
    usual = np.abs(np.diff(even[name])).max()
    assert np.abs(late[name] - even[name]).max() < usual


@LAWS
@GAPS
def test_the_integral_counts_the_time_that_was_missed(table: Any, feedback: str, periods: int) -> None:
    late, even = beside(table, feedback, periods)
    name = "u_integral" if feedback == "three_state" else "u_pid_i"
    a_period = np.abs(np.diff(even[name])).max()
    off = np.abs(late[name] - even[name])
    assert off[0] < 0.1 * a_period and off[-1] < 0.1 * a_period




@pytest.mark.parametrize("ticks", [3, 8, 13])
def test_the_way_back_to_a_motion_keeps_below_the_limit_of_velocity(table: Any, ticks: int) -> None:
    """A stall across a triangle's corner leads the table past it; in a hurry it would come back at twice the speed."""
    rig = table(**{"limits.velocity.max_m_s": 0.2})
    rig.arm()
    rig.track("triangle", speed_m_s=0.1, amplitude_m=0.02, cycles=4)
    begun = rig.run(2.0)
    corners = np.flatnonzero((begun.vr_m_s[:-1] > 0) & (begun.vr_m_s[1:] <= 0))
    rig.run((2 * corners[-1] - corners[-2] - len(begun) - ticks) * 1e-3)
    after = rig.run(0.4, first_skip=18)
    assert rig.trip == 0
    assert 0.12 < np.abs(after.vr_m_s).max() <= 0.9 * 0.2 + 1e-6
