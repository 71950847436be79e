"""The law on the twin: it arms, tracks, stops, switches and changes parameters without a jump."""

from typing import Any

import numpy as np
import pytest

from hilctl.friction import MODELS, check_friction
from hilctl.law.requests import Refusal, RequestKind
from hilctl.law.state import COMPLETED, STOPPED
from hilctl.params import assign
from hilctl.signals import Arming, Mode

# Speed, amplitude, cycles; rms error in µm and flatness in % that three-variable control keeps at 1 kHz.
TRIANGLES = [
    (0.001, 0.005, 1, 25, 10.0),
    (0.02, 0.005, 3, 60, 0.6),
    (0.1, 0.025, 4, 60, 0.15),
    (0.32, 0.08, 4, 100, 0.15),
    (0.8, 0.08, 4, 500, 0.3),
]


def straights(rows: Any, speed: float) -> list[Any]:
    """Indices of the second half of every straight part."""
    level = (np.abs(rows.ar_m_s2) < 1e-9) & (np.abs(np.abs(rows.vr_m_s) - speed) < 1e-6 * speed)
    on = (rows.mode == Mode.TRACK) & level
    where = np.flatnonzero(on)
    runs = np.split(where, np.flatnonzero(np.diff(where) > 1) + 1)
    return [run[len(run) // 2 :] for run in runs if len(run) > 10]


def test_arming_goes_through_its_steps_in_order(table: Any) -> None:
    rig = table()
    rows = rig.arm()
    steps = [Arming(step) for step in rows.arming[np.flatnonzero(np.diff(rows.arming, prepend=-1))]]
    assert steps[:3] == [Arming.REST, Arming.LOW_PRESSURE, Arming.ENABLE]
    assert steps[-3:] == [Arming.HIGH_PRESSURE, Arming.SETTLE, Arming.NONE]
    between = steps[3:-3]
    assert set(between) <= {Arming.BUMP_UP, Arming.BUMP_DOWN, Arming.SEARCH}
    assert between.count(Arming.SEARCH) <= 1
    after = between[between.index(Arming.SEARCH) + 1 :] if Arming.SEARCH in between else between
    assert {Arming.BUMP_UP, Arming.BUMP_DOWN} == set(after)
    assert 2 <= rig.law.arm.rounds <= 8


def test_arming_keeps_the_valve_within_the_first_authority(table: Any) -> None:
    rig = table()
    rows = rig.arm()
    before = rows.mode == Mode.STANDBY
    full = rows.arming == Arming.SETTLE
    reach = rig.controller.arming.first_arm_authority + abs(rig.law.arm.null)
    assert np.abs(rows.u_cmd[before & ~full]).max() <= reach + 1e-12


@pytest.mark.parametrize("bias", [-0.03, -0.01, 0.0, 0.02])
def test_arming_finds_the_valve_null(table: Any, bias: float) -> None:
    rig = table(**{"twin.valve.null_bias": bias})
    rig.arm()
    assert rig.law.arm.null == pytest.approx(-bias, abs=1e-3)


def test_a_second_arming_needs_no_bump(table: Any) -> None:
    rig = table()
    rig.arm()
    assert rig.ask(RequestKind.OFF) == Refusal.ACCEPTED
    rig.run(1.0)
    rows = rig.arm()
    assert not np.isin(rows.arming, [Arming.BUMP_UP, Arming.BUMP_DOWN]).any()


@pytest.mark.parametrize(("speed", "amplitude", "cycles", "rms_um", "flat_percent"), TRIANGLES)
def test_triangles_are_tracked_within_the_promised_error(
    table: Any, speed: float, amplitude: float, cycles: int, rms_um: float, flat_percent: float
) -> None:
    rig = table(**{"twin.valve.null_bias": 0.01})
    rig.arm()
    plan = rig.track("triangle", speed_m_s=speed, amplitude_m=amplitude, cycles=cycles)
    rows = rig.run(plan.duration_s + 0.2)
    run = rows.mode == Mode.TRACK
    error = 1e6 * np.sqrt(np.mean((rows.xr_m - rig.truth[:, 0])[run] ** 2))
    flat = [100 * np.std(rig.truth[half, 1]) / speed for half in straights(rows, speed)]
    assert error <= rms_um
    assert np.median(flat) <= flat_percent


def test_a_motion_ends_in_hold_and_is_told_as_completed(table: Any) -> None:
    rig = table()
    rig.arm()
    plan = rig.track("move", position_m=0.03)
    rows = rig.run(plan.duration_s + 0.5)
    assert rows.mode[-1] == Mode.HOLD
    assert (rig.law.motion_done_id, rig.law.motion_result) == (1, COMPLETED)
    assert rig.truth[-1, 0] == pytest.approx(0.03, abs=1e-4)


def test_a_stop_decelerates_within_its_limit_and_holds(table: Any) -> None:
    rig = table()
    rig.arm()
    rig.track("triangle", speed_m_s=0.5, amplitude_m=0.06)
    rig.run(1.9)
    assert rig.ask(RequestKind.STOP) == Refusal.ACCEPTED
    rows = rig.run(1.0)
    assert rows.mode[-1] == Mode.HOLD
    assert (rig.law.motion_done_id, rig.law.motion_result) == (1, STOPPED)
    assert np.abs(rows.ar_m_s2).max() <= rig.controller.limits.stopping.deceleration_m_s2 * 1.2
    assert np.abs(np.diff(rows.vr_m_s)).max() <= rig.controller.limits.stopping.deceleration_m_s2 * 1.2 * rig.dt_s


def test_a_stop_does_not_make_the_command_jump(table: Any) -> None:
    rig = table()
    rig.arm()
    rig.track("sine", frequency_hz=1.0, amplitude_m=0.05, soft_start_s=0.5)
    before = rig.run(2.3)
    assert rig.ask(RequestKind.STOP) == Refusal.ACCEPTED
    after = rig.run(0.5)
    # the opening that the stop itself needs, per tick, and the noise of the feedback
    steepest = rig.controller.limits.stopping.deceleration_m_s2 / 1.54 * rig.dt_s
    joined = np.concatenate([before.u_cmd[-1:], after.u_cmd[:3]])
    assert np.abs(np.diff(joined)).max() < 0.2 * steepest + 2e-3


def test_off_while_tracking_stops_ramps_and_switches_off(table: Any) -> None:
    rig = table()
    rig.arm()
    rig.track("triangle", speed_m_s=0.3, amplitude_m=0.06)
    rig.run(1.7)
    assert rig.ask(RequestKind.OFF) == Refusal.ACCEPTED
    rows = rig.run(1.0)
    order = rows.mode[np.flatnonzero(np.diff(rows.mode, prepend=-1))]
    assert list(order) in ([Mode.STOP, Mode.NULL, Mode.OFF], [Mode.STOP, Mode.OFF])  # null may be one tick short
    assert (rows.enabled[-1], rows.supply[-1]) == (0, 0)
    assert rows.trip[-1] == 0


def test_switching_between_pid_and_three_state_does_not_jump(table: Any) -> None:
    rig = table()
    rig.arm()
    rig.track("triangle", speed_m_s=0.05, amplitude_m=0.03)
    rig.run(1.5)
    for law in ("pid", "three_state"):
        before = rig.run(0.05)
        rig.set(law__feedback=law)
        rows = rig.run(1.0)
        assert rows.pid_share[-1] == (1.0 if law == "pid" else 0.0)
        usual = np.abs(np.diff(before.u_cmd)).max()
        joined = np.concatenate([before.u_cmd[-1:], rows.u_cmd[:20]])
        assert np.abs(np.diff(joined)).max() <= 1.5 * usual + 1e-3
    assert rig.trip == 0


def test_changed_gains_are_blended_in_under_a_new_epoch(table: Any) -> None:
    rig = table()
    rig.arm()
    rig.run(0.1)
    rig.set(law__three_state__kd_per_m=10.0)
    rows = rig.run(1.0)
    assert (rows.epoch == 2).all()
    assert rig.law.blend == 1.0
    assert rig.law.now.law.three_state.kd_per_m == 10.0
    assert np.abs(np.diff(rows.u_cmd)).max() < 2e-3


def test_a_limit_holds_at_once(table: Any) -> None:
    rig = table()
    rig.arm()
    rig.set(limits__velocity__max_m_s=0.5)
    rig.run(0.002)
    assert rig.law.now.limits.velocity.max_m_s == 0.5


def test_skipped_ticks_leave_the_reference_on_time(table: Any) -> None:
    rig = table()
    rig.arm()
    rig.track("sine", frequency_hz=0.5, amplitude_m=0.02, soft_start_s=0.5)
    rig.run(2.0)
    begun = rig.law.motion_begun
    late = rig.run(0.5, skip=2)
    assert rig.law.motion_begun == begun
    rows = rig.run(0.5)
    assert np.abs(rows.error_m).max() < 1e-3
    assert late.mode[-1] == Mode.TRACK
    assert rig.trip == 0


def test_saturation_does_not_wind_up_the_integral(table: Any) -> None:
    patient = {"limits.saturation.max_s": 10.0, "limits.tracking_error.action": "warn"}
    rig = table(**{"limits.command.opening": 0.05, **patient})
    rig.arm()
    plan = rig.track("move", position_m=0.06, speed_m_s=0.3)
    rows = rig.run(plan.duration_s + 4.0)
    assert (rows.saturated == 1).any()
    beyond = rig.truth[:, 0].max() - 0.06
    assert beyond < 4e-3  # without back-calculation it is ten times that


def test_a_change_of_the_friction_model_holds_at_once_and_another_of_its_numbers_is_blended(table):
    rig = table()
    rig.arm()
    gentler = rig.friction._replace(params=assign(rig.friction.params, {"fs": 2000.0}))
    rig.friction = gentler
    rig.set(law__blend_s=0.5)
    rig.run(0.25)
    assert 2000.0 < rig.law.now.friction.p[1] < 3118.0
    rig.run(0.5)
    assert rig.law.now.friction.p[1] == 2000.0
    rig.friction = check_friction({"model": "lugre", **MODELS["lugre"].typical})
    rig.set(machine__m=520.0)
    rig.run(0.1)
    assert rig.law.now.friction.code == rig.friction.code
    assert rig.law.now.friction.p == pytest.approx(rig.friction.packed())
    assert 500.0 < rig.law.now.machine.m < 520.0
