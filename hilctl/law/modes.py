"""The mode machine: off → standby → hold → track → (stop) → hold, and null → off from everywhere.

The loop owns the mode; requests and trips ask for changes here, at a tick's boundary. docs/safety.md tabulates output,
enable and integrator for each mode.
"""

import math
from typing import Any

from hilctl.law.adapt import rt_adapt_again, rt_null
from hilctl.law.arming import rt_arming, rt_arming_forget, rt_arming_start, rt_arming_unknown
from hilctl.law.bumps import ARMED, GOING
from hilctl.law.estimate import rt_seen_speed
from hilctl.law.feed import rt_pressure_for
from hilctl.law.guards import rt_cause_present, rt_latch
from hilctl.law.landing import rt_landing_start
from hilctl.law.pid import rt_pid_start
from hilctl.law.reference import rt_history_rest, rt_hold_motion, rt_rejoin_none, rt_stop_motion
from hilctl.law.reference.point import rt_rest
from hilctl.law.requests import AT_FAULT, SILENT, Refusal, RequestKind
from hilctl.law.sensors import (
    ACCELERATION,
    DISPLACEMENT,
    EMERGENCY,
    PRESSURE_A,
    PRESSURE_B,
    ROW,
    SUPPLY,
    rt_silent,
)
from hilctl.law.settings import RIG_FEEDBACK
from hilctl.law.state import COMPLETED, STOPPED, TRIPPED
from hilctl.law.stillness import rt_still_learnt, rt_still_rest
from hilctl.law.three_state import rt_three_state_start
from hilctl.rt.jit import jit
from hilctl.rt.records import rows_of, rt_copy
from hilctl.signals import INPUTS, SENSORS, Action, Mode, Trip
from hilctl.signals import Arming as Step

_INPUT_AT = tuple(SENSORS.index(name) for name in INPUTS)
_HELD = 2.0 / 3.0  # of the supply between the chambers: beyond it the valve's power falls (its maximum over pL)
_NEEDED = 1 << DISPLACEMENT | 1 << ACCELERATION | 1 << PRESSURE_A | 1 << PRESSURE_B


@jit()
def rt_closed_loop(s: Any) -> bool:
    """Whether feedback holds the table."""
    if s.mode == Mode.HOLD or s.mode == Mode.TRACK or s.mode == Mode.STOP:
        return True
    return bool(s.mode == Mode.STANDBY and s.arm.step >= Step.HIGH_PRESSURE)


@jit()
def rt_reference_rests(s: Any) -> bool:
    """The reference stands where it is."""
    return bool(s.here.v_m_s == 0.0 and s.here.a_m_s2 == 0.0)


@jit()
def rt_own_loop(s: Any) -> bool:
    """Whether the rig closes its own displacement loop, and takes references for commands."""
    return bool(s.now.law.feedback == RIG_FEEDBACK)


@jit()
def rt_rest_here(s: Any) -> None:
    """The reference stands where the table is, and always did."""
    x = s.estimate.x
    rt_hold_motion(x, 0, s.motion)
    rt_rejoin_none(s.rejoin)
    s.motion_begun = s.head_tick
    s.motion_over = -1
    s.motion_id = 0
    rt_history_rest(s.history, s.head_tick, x)
    rt_rest(s.head, x)
    rt_rest(s.here, x)
    rt_rest(s.delayed, x)
    rt_rest(s.ahead, x)


@jit()
def rt_feedback_start(s: Any) -> None:
    """Both feedbacks begin with nothing stored."""
    pressure = s.checked.value[PRESSURE_A] - s.checked.value[PRESSURE_B]
    rt_pid_start(0.0, 0.0, s.pid)
    rt_three_state_start(0.0, pressure - rt_pressure_for(s.linear, s.now.friction, s.here), s.three_state)
    rt_landing_start(s.landing)
    s.valve.opening = s.valve.rate = 0.0


@jit()
def _rt_motion_ends(s: Any, result: int) -> None:
    if s.motion_id > s.motion_done_id:
        s.motion_done_id = s.motion_id
        s.motion_result = result
    s.motion_id = 0


@jit()
def rt_decelerate(s: Any, result: int) -> None:
    """From the head of the reference to rest: what the feed-forward has seen already is kept."""
    _rt_motion_ends(s, result)
    rt_rejoin_none(s.rejoin)  # the head has what it added
    stopping = s.now.limits.stopping
    rt_stop_motion(s.head, stopping.deceleration_m_s2, stopping.jerk_m_s3, 0, s.motion)
    s.motion_begun = s.head_tick
    s.motion_over = -1
    s.mode = Mode.STOP


@jit()
def _rt_to_null(s: Any, result: int) -> None:
    if rt_own_loop(s):
        if s.mode == Mode.STANDBY:
            rt_rest_here(s)
        rt_decelerate(s, result)
    _rt_motion_ends(s, result)
    rt_arming_forget(s.arm)
    s.off_after = 0
    s.null_s = 0.0
    s.mode = Mode.NULL


@jit()
def rt_fall_to_null(s: Any) -> None:
    """After a trip, when holding is over."""
    _rt_to_null(s, TRIPPED)


@jit()
def rt_switch_off(s: Any) -> None:
    """Outputs at null, nothing enabled, now. Only the emergency stop comes here with the table in motion."""
    _rt_motion_ends(s, TRIPPED)
    s.mode, s.enable, s.supply, s.off_after = Mode.OFF, 0, 0, 0
    s.supply_s = 0.0
    rt_arming_forget(s.arm)
    s.arm.step, s.off_s = Step.NONE, 0.0
    s.output.command = rt_null(s)
    s.output.saturated, s.output.saturated_s, s.output.refused = 0, 0.0, 0.0


@jit()
def rt_act(s: Any) -> None:
    """Does what the guard wants. A stop changes nothing in hold: what follows there is escalation.py's."""
    wanted = s.guard.wanted
    if wanted == Action.NULL:
        if s.mode != Mode.OFF and s.mode != Mode.NULL:
            _rt_to_null(s, TRIPPED)
    elif wanted == Action.STOP:
        if s.mode == Mode.TRACK:
            rt_decelerate(s, TRIPPED)
        elif s.mode == Mode.STANDBY:
            _rt_to_null(s, TRIPPED)
    s.guard.wanted = 0


@jit()
def rt_emergency(s: Any, tick: int) -> None:
    """The emergency stop is wired to the power; the software follows at once, in one step."""
    if s.now.sensors.emergency_stop.present == 0 or s.checked.value[EMERGENCY] < 0.5:
        return
    s.guard.warnings |= 1 << Trip.EMERGENCY_STOP.value
    if s.mode != Mode.OFF:
        rt_latch(Trip.EMERGENCY_STOP.value, Action.NULL.value, 1.0, 0.0, EMERGENCY, tick, s.guard)
        rt_switch_off(s)


@jit()
def rt_arm_step(s: Any, tick: int) -> None:
    """One tick of STANDBY."""
    arm, before = s.arm, s.arm.step
    own_m = s.now.law.rig.reach_m if rt_own_loop(s) else 0.0
    clean = s.periods == 1 and s.checked.rejected & _NEEDED == 0
    outcome = rt_arming(s.now.arming, s.now.machine, own_m, s.checked.value, s.estimate.v, s.checked.value[SUPPLY],
                        s.now.dt_s * s.periods, clean, arm)
    if outcome == ARMED:
        s.mode = Mode.HOLD
        return
    if outcome != GOING:
        rt_latch(outcome, Action.NULL.value, arm.value, arm.limit, arm.sensor, tick, s.guard)
        rt_act(s)
        return
    if arm.step == before:
        return
    if before == Step.REST:
        rt_still_learnt(s.now.limits.stuck.runs, s.now.dt_s * s.periods, s.still)
    s.supply = 1 if arm.step < Step.HIGH_PRESSURE else 2
    s.enable = 1 if arm.step >= Step.ENABLE else 0
    s.authority = s.now.arming.first_arm_authority + arm.overlap
    if arm.step == Step.SEARCH:
        s.authority = s.now.arming.search_opening
    elif arm.step == Step.SETTLE:
        s.authority = 1.0
    if arm.step == Step.HIGH_PRESSURE:
        rt_rest_here(s)
        rt_feedback_start(s)


@jit()
def _rt_at_fault(s: Any) -> int:
    """The first input that reads 1: the rig must not run. One that the rig lacks is nan."""
    for k in _INPUT_AT:
        if s.checked.value[k] > 0.5:
            return AT_FAULT + k
    return 0


@jit()
def _rt_blind(s: Any) -> int:
    """A required sensor, or an input, without a valid reading: the rig is not armed."""
    rows, limits, c = rows_of(s.now.sensors, 0, ROW), s.now.limits, s.checked
    if s.started == 0:
        return Refusal.SENSOR.value
    for k in range(PRESSURE_B + 1):
        if rt_silent(k, limits, c):
            return Refusal.SENSOR.value
    for k in _INPUT_AT:
        if rows[k].present and rt_silent(k, limits, c):
            return SILENT + k
    return 0


@jit()
def _rt_moves(fastest_m_s: float, s: Any) -> bool:
    """Whether estimate and readings both say so: one alone is spoiled by a stall, the other by noise at a high rate."""
    return bool(abs(s.estimate.v) > fastest_m_s and abs(rt_seen_speed(s.now.dt_s, s.estimate)) > fastest_m_s)


@jit()
def _rt_arm(s: Any, again: int) -> int:
    if s.mode != Mode.OFF:
        return Refusal.WRONG_MODE.value
    if s.guard.trip != 0:
        return Refusal.TRIPPED.value
    refusal = _rt_at_fault(s)
    if refusal == 0:
        refusal = _rt_blind(s)
    if refusal != 0:
        return refusal
    if _rt_moves(s.now.arming.rest_speed_m_s, s):
        return Refusal.MOVING.value
    if again != 0 or s.off_s > s.now.arming.proof_s:
        rt_arming_unknown(s.now.law.valve.null_bias, s.arm)
    rt_adapt_again(s.arm.proved != 0, s.adapt)
    s.mode = Mode.STANDBY
    s.authority = s.now.arming.first_arm_authority
    rt_arming_start(s.checked.value[DISPLACEMENT], s.arm)
    rt_still_rest(s.arm.proved == 0, s.still)
    return Refusal.ACCEPTED.value


@jit()
def _rt_track(s: Any, request: Any) -> int:
    if s.guard.trip != 0:
        return Refusal.TRIPPED.value
    if s.mode != Mode.HOLD:
        return Refusal.WRONG_MODE.value
    if s.supply_s > 0.0:
        return Refusal.SUPPLY_CHANGES.value
    rt_copy(request.motion, s.motion)
    rt_rejoin_none(s.rejoin)
    s.motion_begun = s.head_tick
    s.motion_over = -1
    s.motion_id = request.motion.id
    s.bank = request.bank
    s.mode = Mode.TRACK
    return Refusal.ACCEPTED.value


@jit()
def _rt_stop(s: Any) -> int:
    if s.mode == Mode.TRACK:
        rt_decelerate(s, STOPPED)
    elif s.mode == Mode.STANDBY:
        _rt_to_null(s, STOPPED)
    return Refusal.ACCEPTED.value


@jit()
def _rt_off(s: Any) -> int:
    if s.mode == Mode.TRACK:
        rt_decelerate(s, STOPPED)
        s.off_after = 1
    elif s.mode == Mode.STOP:
        s.off_after = 1
    elif s.mode == Mode.HOLD or s.mode == Mode.STANDBY:
        _rt_to_null(s, STOPPED)
    return Refusal.ACCEPTED.value


@jit()
def _rt_reset(s: Any) -> int:
    if s.mode != Mode.OFF and s.mode != Mode.HOLD:
        return Refusal.WRONG_MODE.value
    if s.guard.trip == 0:  # a second one changes nothing
        return Refusal.ACCEPTED.value
    if rt_cause_present(s.guard):
        return Refusal.CAUSE_PRESENT.value
    s.guard.trip = 0
    s.guard.trip_action = 0
    if s.mode == Mode.HOLD:  # it goes on from where the table is, with the opening that holds it there
        s.three_state.integral += s.three_state.position
        s.pid.integral += s.pid.p
        rt_rest_here(s)
    return Refusal.ACCEPTED.value


@jit()
def _rt_supply(s: Any, level: int) -> int:
    """Another level of the supply, while the table is held by a load that both levels can hold."""
    if level != 1 and level != 2:
        return Refusal.UNKNOWN.value
    if s.guard.trip != 0:
        return Refusal.TRIPPED.value
    if s.mode != Mode.HOLD:
        return Refusal.WRONG_MODE.value
    load_pa = abs(s.checked.value[PRESSURE_A] - s.checked.value[PRESSURE_B])
    if level == 1 and not load_pa <= _HELD * s.now.machine.Ps_low:
        return Refusal.LOAD.value
    if level != s.supply:
        s.supply, s.supply_s = level, s.now.dt_s
    return Refusal.ACCEPTED.value


@jit()
def rt_supply_level(s: Any) -> int:
    """The level that the supply pressure is judged by: low, while another one that was asked for is on its way. One
    that does not come in the time that arming would give it is judged all the same."""
    if s.supply_s <= 0.0:
        return int(s.supply)
    c, supply_pa, high = s.now.arming, s.checked.value[SUPPLY], s.supply == 2
    s.supply_s += s.now.dt_s * s.periods
    if math.isnan(supply_pa):
        there = s.supply_s >= (c.high_pressure_s if high else c.low_pressure_s)
    elif high:
        there = supply_pa >= c.supply_share * s.now.machine.Ps
    else:
        there = c.supply_share * supply_pa <= s.now.machine.Ps_low
    if not there and s.supply_s <= c.timeout_s:
        return 1
    s.supply_s = 0.0
    return int(s.supply)


@jit()
def rt_request(s: Any, request: Any, tick: int) -> int:
    """Takes a request or says why not; changes nothing when it refuses."""
    kind = request.kind
    if kind == RequestKind.ARM:
        return _rt_arm(s, request.action)
    if kind == RequestKind.TRACK:
        return _rt_track(s, request)
    if kind == RequestKind.STOP:
        return _rt_stop(s)
    if kind == RequestKind.OFF:
        return _rt_off(s)
    if kind == RequestKind.RESET:
        return _rt_reset(s)
    if kind == RequestKind.SUPPLY:
        return _rt_supply(s, request.action)
    if kind == RequestKind.TRIP:
        rt_trip(s, request.trip, request.action, 0.0, 0.0)
        return Refusal.ACCEPTED.value
    return Refusal.UNKNOWN.value


@jit()
def rt_trip(s: Any, trip: int, action: int, value: float, limit: float) -> None:
    """A trip from outside the law: late ticks, the service, a lost lease."""
    s.guard.warnings |= 1 << trip
    if s.mode == Mode.HOLD and s.guard.trip != 0:  # again, while it is held (escalation.py)
        s.passed_s = max(s.passed_s, s.now.dt_s)
    if s.mode != Mode.OFF:
        rt_latch(trip, action, value, limit, -1, s.tick, s.guard)
        rt_act(s)


@jit()
def rt_hurry(s: Any) -> None:
    """Stop, null, off, whatever runs: the core is about to end."""
    _rt_off(s)


@jit()
def rt_motion_done(s: Any, tick: int) -> None:
    """The reference has come to its end here: what follows the motion."""
    if s.motion_over < 0 or tick < s.motion_over:
        return
    s.motion_over = -1
    if s.mode == Mode.TRACK:
        _rt_motion_ends(s, COMPLETED)
        s.mode = Mode.HOLD
    elif s.mode == Mode.STOP:
        if s.off_after != 0:
            _rt_to_null(s, STOPPED)
        else:
            s.mode = Mode.HOLD
    elif s.mode == Mode.NULL and rt_own_loop(s):
        rt_switch_off(s)
