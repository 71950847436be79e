"""The last stages of a tick: from the opening that the law wants to the command that the next exchange sends."""

from typing import Any

from hilctl.law.adapt import rt_null
from hilctl.law.delivery import rt_delivery_start, rt_repaid, rt_repayment
from hilctl.law.escalation import rt_rests_at_null
from hilctl.law.guards import rt_latch
from hilctl.law.modes import rt_act, rt_closed_loop, rt_own_loop, rt_reference_rests, rt_switch_off
from hilctl.law.notch import rt_notches, rt_notches_start
from hilctl.law.output import rt_half_swing_s, rt_limit, rt_ramp_start, rt_ramp_to
from hilctl.law.own_loop import rt_own_null
from hilctl.law.valve_stage import rt_valve_stage
from hilctl.rt.jit import jit
from hilctl.signals import Action, Mode, Trip

_RAMPED = 4  # periods: by how many at the most the ramp to null goes on at once after a stall


@jit()
def rt_output(s: Any, wanted: float) -> None:
    """Notches, valve stage and the guard after the law; what the mode demands comes last."""
    now, o, dt_s, null = s.now, s.output, s.now.dt_s * s.periods, rt_null(s)
    s.u_notched = wanted
    if rt_own_loop(s):
        _rt_output_own(s, wanted)
        rt_delivery_start(o.command, s.delivery)
        return
    if s.mode == Mode.OFF:
        rt_notches_start(s.notches)
        o.command, o.refused, o.saturated, o.saturated_s = null, 0.0, 0, 0.0
    elif s.mode != Mode.NULL:
        s.u_notched = rt_notches(now.law, wanted, now.dt_s, s.periods, s.notches)
        command = s.u_notched + null  # arming has to see the valve as it is
        if rt_closed_loop(s):
            s.valve.more = now.law.adapt.share * s.adapt.overlap
            command = rt_valve_stage(now.law.valve, now.machine, s.u_notched, s.u_feed, s.opening_ahead, s.side, null,
                                     dt_s, s.valve)
        reach, slew = min(s.authority, now.limits.command.opening), now.limits.command.slew_per_s
        s.delivery.plain = command
        if rt_reference_rests(s):  # nothing was to move: feedback alone leads it back
            s.delivery.due = 0.0
        if rt_closed_loop(s):
            command += rt_repayment(now.law.feed.repay, o.command, null, reach, slew * now.dt_s, s.delivery)
        rt_limit(command, null, reach, slew, now.dt_s, s.periods, o)
        if o.not_finite == 0 and rt_repaid(o.command, o.saturated, s.delivery):
            o.refused = 0.0
        if o.not_finite != 0:
            rt_latch(Trip.COMMAND.value, Action.NULL.value, wanted, 1.0, -1, s.tick, s.guard)
            rt_act(s)
    if o.not_finite != 0 or not rt_closed_loop(s):
        rt_delivery_start(o.command, s.delivery)
    if s.mode != Mode.NULL:
        rt_ramp_start(o)
        return
    rate = now.limits.stopping.deceleration_m_s2 * now.machine.A / now.machine.Qn
    step_s, apart_s = now.dt_s * min(s.periods, _RAMPED), rt_half_swing_s(now.machine)
    # What is not enabled yet needs no ramp.
    if s.enable == 0 or (rt_ramp_to(null, rate, apart_s, step_s, dt_s, o) and not rt_rests_at_null(s)):
        rt_switch_off(s)


@jit()
def _rt_output_own(s: Any, wanted: float) -> None:
    """The same for a rig that closes its own loop: until it is armed the command stays near where the table stood."""
    now, o = s.now, s.output
    rt_own_null(now.law.rig, s.enable, s.estimate.x, s.arm)
    if s.enable == 0:
        o.command, o.refused, o.saturated, o.saturated_s = s.arm.null, 0.0, 0, 0.0
        return
    arming = s.mode == Mode.STANDBY and s.authority < 1.0
    centre, reach = (s.arm.null, s.authority) if arming else (0.0, now.limits.command.opening)
    rt_limit(wanted, centre, reach, now.limits.command.slew_per_s, now.dt_s, s.periods, o)
