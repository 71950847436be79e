"""Arming as on a rig, one step after the other; nothing is trusted before it has been seen.

rest            everything off: the table must stand still
low pressure    the supply comes up at its low setting
enable          valve at its nominal null; whatever drift there is, is the null's error
bump up, down   the null plus and minus a small opening. With the mean speeds v+ and v- over the second half of each,
                gain = (v+ - v-) / (2 bump)  positive, and a fair share of what the machine promises: the polarity;
                null -= (v+ + v-) / (2 gain): where it is closed; again until that is less than bump/20
high pressure   closed loop where the table stands, at small authority, while the supply comes up
settle          full authority; at rest: armed

A rig that closes its own loop (own_loop.py) takes displacements: its bumps are compared by where the table is at their
ends, and its null is where it stands.

The bumps are made at the first arming of a run; afterwards the polarity is known and the null is kept.
"""

import math
from typing import Annotated, Any

import numpy as np

from hilctl.law.own_loop import rt_own_bump
from hilctl.params import Params, number, record_of
from hilctl.rt.jit import jit
from hilctl.signals import Arming as Step


class Arming(Params):
    """How the rig is switched on."""

    rest_speed_m_s: Annotated[float, number(1e-5, 0.1, "m/s", "above this the table counts as moving")] = 1e-3
    rest_s: Annotated[float, number(0.01, 60, "s", "how long it must stand still")] = 0.5
    low_pressure_s: Annotated[float, number(0, 600, "s", "time for the low supply where it is not measured")] = 1.0
    high_pressure_s: Annotated[float, number(0, 600, "s", "time for the full supply where it is not measured")] = 1.5
    timeout_s: Annotated[float, number(0.1, 3600, "s", "longest time for any one step")] = 30.0
    supply_share: Annotated[float, number(0.1, 1, "", "share of the asked supply pressure that counts as up")] = 0.9
    first_arm_authority: Annotated[float, number(0.001, 1, "", "largest opening until the rig is armed")] = 0.05
    bump: Annotated[float, number(0.001, 0.1, "", "opening of the bump")] = 0.01
    bump_s: Annotated[float, number(0.01, 5, "s", "duration of each bump")] = 0.15
    response: Annotated[
        float, number(0.01, 1, "", "smallest speed in the bumps, as a share of what the machine promises")
    ] = 0.15
    null_max: Annotated[float, number(0.001, 0.2, "", "largest null that is believed")] = 0.06


ARMING = record_of(
    [
        ("step", np.int64),
        ("in_step_s", np.float64),
        ("mark_m", np.float64),  # position in the middle of a bump
        ("up_m_s", np.float64),
        ("down_m_s", np.float64),
        ("gain_m_s", np.float64),  # measured speed for a full opening at low pressure
        ("null", np.float64),  # where the valve is closed, as found
        ("rounds", np.int64),  # of bumps made
        ("proved", np.int64),
    ]
)

_CLOSE = 20.0  # the null is found when a round moves it less than this part of the bump
_MOST_ROUNDS = 4  # each leaves about a fifth of the null's error, for friction bends the valve's gain at low speed

GOING, ARMED, FAILED, REVERSED = 0, 1, 2, 3


@jit()
def _rt_next(step: int, x: float, a: Any) -> None:
    a.step, a.in_step_s, a.mark_m = step, 0.0, x


@jit()
def rt_arming_start(x: float, a: Any) -> None:
    """Begins at the first step."""
    a.rounds = 0
    _rt_next(Step.REST.value, x, a)


@jit()
def _rt_supply_up(supply_pa: float, wanted_pa: float, wait_s: float, c: Any, a: Any) -> bool:
    if math.isnan(supply_pa):
        return bool(a.in_step_s >= wait_s)
    return bool(supply_pa >= c.supply_share * wanted_pa)


@jit()
def rt_arming(c: Any, machine: Any, own_m: float, x: float, v: float, supply_pa: float, dt_s: float, a: Any) -> int:
    """One tick of arming: GOING, ARMED, FAILED (timed out) or REVERSED (polarity not proved).

    `own_m`: the reach of a rig that closes its own loop, else 0.
    """
    a.in_step_s += dt_s
    resting = abs(v) <= c.rest_speed_m_s
    if a.step == Step.REST:
        if a.in_step_s >= c.rest_s:
            if not resting:
                return FAILED
            _rt_next(Step.LOW_PRESSURE.value, x, a)
    elif a.step == Step.LOW_PRESSURE:
        if _rt_supply_up(supply_pa, machine.Ps_low, c.low_pressure_s, c, a):
            _rt_next(Step.ENABLE.value if a.proved == 0 else Step.HIGH_PRESSURE.value, x, a)
    elif a.step == Step.ENABLE:
        if a.in_step_s >= c.bump_s:
            _rt_next(Step.BUMP_UP.value, x, a)
    elif a.step == Step.BUMP_UP or a.step == Step.BUMP_DOWN:
        return _rt_bump(c, machine, own_m, x, supply_pa, dt_s, a)
    elif a.step == Step.HIGH_PRESSURE:
        if _rt_supply_up(supply_pa, machine.Ps, c.high_pressure_s, c, a):
            _rt_next(Step.SETTLE.value, x, a)
    elif a.step == Step.SETTLE and a.in_step_s >= c.rest_s and resting:
        a.step = Step.NONE.value
        return ARMED
    return FAILED if a.in_step_s > c.timeout_s else GOING


@jit()
def _rt_bump(c: Any, machine: Any, own_m: float, x: float, supply_pa: float, dt_s: float, a: Any) -> int:
    half = 0.5 * c.bump_s
    if a.in_step_s - dt_s < half <= a.in_step_s:
        a.mark_m = x
    if a.in_step_s < c.bump_s:
        return GOING
    if own_m > 0.0:
        proved = rt_own_bump(c.response, c.bump, own_m, x, a)
        if proved < 0:
            return REVERSED
        a.rounds, a.proved = a.rounds + 1 - proved, 1 - proved
        _rt_next(Step.BUMP_DOWN.value if proved == 1 else Step.HIGH_PRESSURE.value, x, a)
        return GOING
    mean = (x - a.mark_m) / (a.in_step_s - half)
    if a.step == Step.BUMP_UP:
        a.up_m_s = mean
        _rt_next(Step.BUMP_DOWN.value, x, a)
        return GOING
    a.down_m_s = mean
    a.gain_m_s = (a.up_m_s - a.down_m_s) / (2.0 * c.bump)
    pressure = machine.Ps_low if math.isnan(supply_pa) else max(supply_pa, 0.0)
    promised = machine.Qn / machine.A * math.sqrt(pressure / machine.Ps)
    if not a.gain_m_s >= c.response * promised:
        return REVERSED
    off = (a.up_m_s + a.down_m_s) / (2.0 * a.gain_m_s)
    a.null -= off
    if not abs(a.null) <= c.null_max:
        return REVERSED
    a.rounds += 1
    if abs(off) > c.bump / _CLOSE and a.rounds < _MOST_ROUNDS:
        _rt_next(Step.BUMP_UP.value, x, a)
        return GOING
    a.proved = 1
    _rt_next(Step.HIGH_PRESSURE.value, x, a)
    return GOING


@jit()
def rt_arming_opening(c: Any, a: Any) -> float:
    """The opening of the open-loop steps."""
    if a.step == Step.BUMP_UP:
        return float(c.bump)
    if a.step == Step.BUMP_DOWN:
        return -float(c.bump)
    return 0.0
