"""Arming as on a rig, one step after the other; nothing is trusted before it has been seen.

rest            everything off: the table must stand still
low pressure    the supply comes up at its low setting
enable          valve at its null as it was last confirmed; whatever drift there is, is the null's error. A drift that
                would take the table far in the bumps is taken out first: by half of what the nominal speed asks for,
                then by what the corrections did, since the sign is not known yet. A drift that acceleration alone
                shows is one that displacement is blind to
search          only where a round of bumps does not move the table both ways, as within an overlap: pulses that grow
                until they move it, either way (search.py). The bumps that follow go as much beyond the overlap
bump up, down   the null plus and minus a small opening, smaller where the supply is still above its low setting;
                first down, where the table has gone up by more than a bump since the beginning.
                Signs of valve and sensors follow (signs.py). With the mean speeds v+ and v- over the second half of
                each, as they would be without the weight of a vertical axis,
                gain = (v+ - v-) / (2 (bump - overlap));
                null -= (v+ + v-) / (2 gain): where it is closed; again until that is less than a twentieth of the
                bump beyond the overlap. Speeds that are too small for the bump are due to more overlap: the next
                bumps are larger by what is missing, and the null follows by the nominal gain. Twice at least: in the
                first round the chambers may still be filling, and their pressures say nothing of a motion; and again
                while a pressure says too little beside its noise
high pressure   closed loop where the table stands, at small authority beyond the overlap, while the supply comes up
settle          full authority; at rest: armed

A rig that closes its own loop (own_loop.py) takes displacements: its bumps are compared by where the table is at their
ends, and its null is where it stands.

The bumps are made at the first arming of a run, and again after anything that could have changed a sign: a lost link,
a device that started again, a rig that was off for longer than `proof_s`. In between the signs are known. A null is
kept once a round of bumps has confirmed it; an arming that ends before leaves the null as it was.
"""

import math
from typing import Annotated, Any

import numpy as np

from hilctl.law.bumps import AGAIN, ARMED, GOING, TO_SEARCH, rt_ends, rt_judge_bumps
from hilctl.law.nominal import rt_hydraulic_rad_s, rt_lag_s, rt_low_share, rt_promised, rt_unweighted
from hilctl.law.search import FOUND, SEARCH, SEARCHING, rt_search, rt_search_opening, rt_search_start
from hilctl.law.sensors import ACCELERATION, DISPLACEMENT, PRESSURE_A, PRESSURE_B
from hilctl.law.signs import (
    SIGNS,
    rt_signs_begin,
    rt_signs_drift,
    rt_signs_rest,
    rt_signs_step,
    rt_signs_turn,
)
from hilctl.params import Params, number, record_of
from hilctl.rt.jit import jit
from hilctl.signals import Arming as Step
from hilctl.signals import Trip


class Arming(Params):
    """How the rig is switched on."""

    rest_speed_m_s: Annotated[float, number(1e-5, 0.1, "m/s", "above this the table counts as moving")] = 1e-3
    rest_s: Annotated[float, number(0.01, 60, "s", "how long it must stand still")] = 0.5
    low_pressure_s: Annotated[float, number(0, 600, "s", "time for the low supply where it is not measured")] = 1.0
    high_pressure_s: Annotated[float, number(0, 600, "s", "time for the full supply where it is not measured")] = 1.5
    timeout_s: Annotated[float, number(0.1, 3600, "s", "longest time for any one step")] = 30.0
    supply_share: Annotated[float, number(0.1, 1, "", "share of the asked supply pressure that counts as up")] = 0.9
    first_arm_authority: Annotated[
        float, number(0.001, 1, "", "largest opening until the rig is armed, beyond the overlap that arming found")
    ] = 0.05
    search_opening: Annotated[
        float, number(0.001, 0.5, "", "largest opening, from null, of the search for an opening that moves the table")
    ] = 0.2
    bump: Annotated[float, number(0.001, 0.1, "", "opening of the bump")] = 0.01
    bump_s: Annotated[float, number(0.01, 5, "s", "duration of each bump")] = 0.15
    response: Annotated[
        float, number(0.01, 1, "", "smallest speed in the bumps, as a share of the nominal speed at this opening")
    ] = 0.15
    null_max: Annotated[float, number(0.001, 0.2, "", "largest null that is believed")] = 0.06
    travel_m: Annotated[float, number(1e-4, 1, "m", "farthest that the table may go before the loop is closed")] = 0.02
    error_m: Annotated[
        float, number(1e-5, 1, "m", "largest error of position while arming; limits.tracking_error once armed")
    ] = 3e-3
    proof_s: Annotated[float, number(0, 1e6, "s", "a rig that was off for longer has its signs proved again")] = 600.0


ARMING = record_of(
    [
        ("step", np.int64),
        ("in_step_s", np.float64),
        ("begin_m", np.float64),  # position at the beginning
        ("n", np.float64),  # sums over the second half of a bump, for its speed: of ones, times, places from its middle
        ("t", np.float64),
        ("tt", np.float64),
        ("x", np.float64),
        ("tx", np.float64),
        ("middle_m", np.float64),
        ("up_m_s", np.float64),
        ("down_m_s", np.float64),
        ("slower_m_s", np.float64),  # mean speed of the round before,
        ("smaller", np.float64),  # and its opening; 0: none was measured
        ("gain_m_s", np.float64),  # measured speed for a full opening at low pressure
        ("bump", np.float64),  # opening of this round's bumps, overlap included
        ("overlap", np.float64),  # as far as arming knows it; less than a bump may be friction
        ("first", np.float64),  # which way this round begins: 1 up, -1 down
        ("searched", np.int64),  # the search has been made
        ("search", SEARCH),
        ("corrections", np.int64),  # of the null, by its drift at enable
        ("first_m_s", np.float64),  # before the first of them, or the second where that is more,
        ("drift_m_s", np.float64),  # before the last,
        ("correction", np.float64),  # and what that was
        ("null", np.float64),  # where the valve is closed, as far as it is known now
        ("kept", np.float64),  # as it was last confirmed
        ("rounds", np.int64),  # of bumps made
        ("proved", np.int64),  # signs and null are known
        ("disturbed", np.int64),  # ticks of this round that were missed, or whose readings were rejected
        ("signs", SIGNS),
        # why it ended
        ("sensor", np.int64),
        ("value", np.float64),
        ("limit", np.float64),
    ]
)

_MOST_DISTURBED = 10  # rounds, with those that missed ticks or readings: such a round proves no fault
_FEWEST = 4.0  # ticks that a speed is read from
_FAR = 2.0  # ways of a bump: a table that has gone so far is not tried again, nor one that shows no motion
_DRIFTS = 0.4  # of a bump's speed: such a drift is taken out before the bumps
_STRONG = 3.0  # times that: it is taken out at once
_MOST_CORRECTIONS = 6
# Corrections that the drift does not follow by this share: nor does the valve. Less than the drift that is taken out
# says nothing: friction that lets go sets the table swinging by as much.
_UNANSWERED = 3
_ANSWER = 0.4
_SEEN_LAGS = 4.0  # of valve and oil: a drift that was watched for less is not known
_UNSEEN = 4.0  # bumps by which the pulses grow once the pressures answer; after that nothing will be seen
_ANSWERED = 0.06  # of the low supply, by which they then have changed: eight times their noise on the reference rig
_SEEN_EARLY = 1.0  # of a bump: about what the search opens beyond the overlap until a motion is seen



@jit()
def _rt_next(step: int, a: Any) -> None:
    a.step, a.in_step_s = step, 0.0
    a.n = a.t = a.tt = a.x = a.tx = 0.0


@jit()
def rt_arming_start(x: float, a: Any) -> None:
    """Begins at the first step."""
    a.rounds = a.corrections = a.searched = 0
    a.smaller = 0.0
    a.begin_m = x
    _rt_next(Step.REST.value, a)


@jit()
def rt_arming_unknown(nominal: float, a: Any) -> None:
    """Signs and null may have changed: both are found again, from the nominal null."""
    a.proved = 0
    a.overlap = 0.0
    a.null = a.kept = nominal


@jit()
def rt_arming_forget(a: Any) -> None:
    """The null as it was last confirmed: what an arming found that did not come to its end is not kept."""
    if a.proved == 0:
        a.null = a.kept


@jit()
def _rt_supply_up(supply_pa: float, wanted_pa: float, wait_s: float, c: Any, a: Any) -> bool:
    if math.isnan(supply_pa):
        return bool(a.in_step_s >= wait_s)
    return bool(supply_pa >= c.supply_share * wanted_pa)


@jit()
def rt_arming(c: Any, machine: Any, own_m: float, value: Any, v: float, supply_pa: float, dt_s: float, clean: bool,
              a: Any) -> int:
    """One tick of arming: GOING, ARMED, or the trip that ends it.

    `value`: the checked readings; `own_m`: the reach of a rig that closes its own loop, else 0; `clean`: no tick was
    missed before this one, and no reading rejected.
    """
    a.in_step_s += dt_s
    a.disturbed += 0 if clean else 1
    if a.step == Step.REST:
        rt_signs_rest(value[ACCELERATION], a.in_step_s <= dt_s, a.signs)
        _rt_sum(a.in_step_s, value[DISPLACEMENT], a)
        if a.in_step_s >= c.rest_s:
            moved_m_s = _rt_slope(a)  # of the whole time: one stall spoils the estimate for some ticks
            if not abs(moved_m_s) <= c.rest_speed_m_s:
                return rt_ends(Trip.NOT_AT_REST.value, moved_m_s, c.rest_speed_m_s, DISPLACEMENT, a)
            _rt_next(Step.LOW_PRESSURE.value, a)
    elif a.step == Step.LOW_PRESSURE:
        if _rt_supply_up(supply_pa, machine.Ps_low, c.low_pressure_s, c, a):
            _rt_next(Step.ENABLE.value if a.proved == 0 else Step.HIGH_PRESSURE.value, a)
            a.disturbed = 0
            a.search.rest_pa = value[PRESSURE_A] - value[PRESSURE_B]
            rt_signs_begin(value, a.signs)
    elif a.step == Step.ENABLE:
        return _rt_enabled(c, machine, own_m, value, supply_pa, dt_s, a)
    elif a.step == Step.SEARCH:
        return _rt_searched(c, machine, value, supply_pa, dt_s, a)
    elif a.step == Step.BUMP_UP or a.step == Step.BUMP_DOWN:
        return _rt_bump(c, machine, own_m, value, supply_pa, dt_s, a)
    elif a.step == Step.HIGH_PRESSURE:
        if _rt_supply_up(supply_pa, machine.Ps, c.high_pressure_s, c, a):
            _rt_next(Step.SETTLE.value, a)
    elif a.step == Step.SETTLE and a.in_step_s >= c.rest_s and abs(v) <= c.rest_speed_m_s:
        a.step = Step.NONE.value
        return ARMED
    if a.in_step_s > c.timeout_s:
        return rt_ends(Trip.ARMING.value, a.in_step_s, c.timeout_s, -1, a)
    return GOING


@jit()
def _rt_sum(t_s: float, x: float, a: Any) -> None:
    if a.n == 0.0:
        a.middle_m = x
    way = x - a.middle_m
    a.n += 1.0
    a.t += t_s
    a.tt += t_s * t_s
    a.x += way
    a.tx += t_s * way


@jit()
def _rt_slope(a: Any) -> float:
    """The speed that fits the places best; 0 where there are too few of them."""
    spread = a.n * a.tt - a.t * a.t
    return float((a.n * a.tx - a.t * a.x) / spread) if spread > 0.0 else 0.0


@jit()
def _rt_enabled(c: Any, machine: Any, own_m: float, value: Any, supply_pa: float, dt_s: float, a: Any) -> int:
    """A tick of the valve at its null; in the end the null is corrected, or the bumps begin."""
    lag_s, watch_s = rt_lag_s(machine), c.bump_s / 3.0
    rt_signs_step(value, 0.0, lag_s, dt_s, a.signs)
    seen_s = _SEEN_LAGS * lag_s
    if a.in_step_s >= 0.5 * seen_s:  # the spool has come to its place
        _rt_sum(a.in_step_s, value[DISPLACEMENT], a)
    if a.in_step_s < min(seen_s, watch_s) or a.n < _FEWEST:
        return GOING
    drift, promised = _rt_slope(a), rt_promised(machine, supply_pa)
    most = _DRIFTS * c.bump * rt_low_share(machine, supply_pa) * promised
    if a.in_step_s < watch_s and abs(drift) < _STRONG * most:
        return GOING
    known = own_m == 0.0 and watch_s >= seen_s
    if known and a.corrections == 0 and rt_signs_drift(value, most, a.in_step_s, dt_s, a.signs) != 0:
        return rt_ends(Trip.SENSOR_DEAD.value, a.signs.value, a.signs.limit, DISPLACEMENT, a)
    if not known or abs(drift) <= most or a.corrections == _MOST_CORRECTIONS:
        _rt_round(c, machine, own_m, value, supply_pa, a)
        return GOING
    asked_m_s = promised * abs(a.null - a.kept)
    if a.corrections == 0 or (a.corrections == 1 and abs(drift) > abs(a.first_m_s)):  # it had not come to its speed
        a.first_m_s = drift
    elif a.corrections >= _UNANSWERED and asked_m_s >= most and abs(drift - a.first_m_s) < _ANSWER * asked_m_s:
        return rt_ends(Trip.NO_MOTION.value, 0.0, c.response * c.bump * promised * c.bump_s, -1, a)
    shown = (drift - a.drift_m_s) / a.correction if a.corrections > 0 else 0.0
    correction = -drift / shown if abs(shown) > c.response * promised else -0.5 * drift / promised
    corrected = min(max(a.null + correction, -c.null_max), c.null_max)
    if corrected == a.null:
        _rt_round(c, machine, own_m, value, supply_pa, a)
        return GOING
    a.correction, a.drift_m_s = corrected - a.null, drift
    a.null = corrected
    a.corrections += 1
    _rt_next(Step.ENABLE.value, a)
    return GOING


@jit()
def _rt_round(c: Any, machine: Any, own_m: float, value: Any, supply_pa: float, a: Any) -> None:
    """Begins a round of bumps."""
    rt_signs_begin(value, a.signs)
    a.disturbed = 0
    a.bump = a.overlap + c.bump * (rt_low_share(machine, supply_pa) if own_m == 0.0 else 1.0)
    way_m = (a.bump - a.overlap) * (rt_promised(machine, supply_pa) * c.bump_s if own_m == 0.0 else own_m)
    a.first = -1.0 if value[DISPLACEMENT] - a.begin_m > way_m else 1.0
    _rt_next(Step.BUMP_UP.value if a.first > 0.0 else Step.BUMP_DOWN.value, a)


@jit()
def _rt_searched(c: Any, machine: Any, value: Any, supply_pa: float, dt_s: float, a: Any) -> int:
    """A tick of the search; at its end null and overlap follow, and a round of bumps."""
    x, s = value[DISPLACEMENT], a.search
    if abs(x - a.begin_m) > c.travel_m:
        return rt_ends(Trip.ARMING_TRAVEL.value, x - a.begin_m, c.travel_m, DISPLACEMENT, a)
    bump, promised = c.bump * rt_low_share(machine, supply_pa), rt_promised(machine, supply_pa)
    least_m = c.response * bump * promised * c.bump_s
    unseen = c.travel_m / max(promised * s.pulse_s, least_m)  # an opening that takes the table as far as it may go
    load_pa = value[PRESSURE_A] - value[PRESSURE_B]
    found = rt_search(min(c.search_opening, unseen), _UNSEEN * bump, _ANSWERED * machine.Ps_low, least_m,
                      _DRIFTS * bump * promised, a.signs.shown != 0, x, value[ACCELERATION] - a.signs.rest_a, load_pa,
                      dt_s, s)  # fmt: skip
    if found == SEARCHING:
        return GOING
    if found != FOUND:
        return rt_ends(Trip.NO_MOTION.value, s.opening, least_m, -1, a)
    a.null += 0.5 * (s.up - s.down)
    a.overlap = max(0.5 * (s.up + s.down) - _SEEN_EARLY * bump, 0.0)
    a.rounds = 0
    a.smaller = 0.0
    _rt_round(c, machine, 0.0, value, supply_pa, a)
    return GOING


@jit()
def _rt_bump(c: Any, machine: Any, own_m: float, value: Any, supply_pa: float, dt_s: float, a: Any) -> int:
    """A tick of a bump; at its end what it says."""
    x, half = value[DISPLACEMENT], 0.5 * c.bump_s
    rt_signs_step(value, 1.0 if a.step == Step.BUMP_UP else -1.0, rt_lag_s(machine), dt_s, a.signs)
    if abs(x - a.begin_m) > c.travel_m:
        return rt_ends(Trip.ARMING_TRAVEL.value, x - a.begin_m, c.travel_m, DISPLACEMENT, a)
    if a.in_step_s >= half:
        _rt_sum(a.in_step_s - half, x, a)
    if a.in_step_s < c.bump_s:
        return GOING
    up = a.step == Step.BUMP_UP
    mean = rt_unweighted(machine, supply_pa, _rt_slope(a), 1.0 if up else -1.0)
    if own_m > 0.0:
        mean = x  # where it is at the end stands for the speed
    if up:
        a.up_m_s = mean
    else:
        a.down_m_s = mean
    if up == (a.first > 0.0):
        rt_signs_turn(value, a.signs)
        _rt_next(Step.BUMP_DOWN.value if up else Step.BUMP_UP.value, a)
        return GOING
    promised = rt_promised(machine, supply_pa)
    way_m = (a.bump - a.overlap) * (promised * c.bump_s if own_m == 0.0 else own_m)
    resolved = a.disturbed > 0 or rt_hydraulic_rad_s(machine) * dt_s < 1.0
    outcome = rt_judge_bumps(c, promised if own_m == 0.0 else 0.0, c.response * way_m, resolved, dt_s, value, a)
    near = a.signs.shown != 0 and abs(x - a.begin_m) < _FAR * way_m
    if outcome > 0 and a.disturbed > 0 and near and a.rounds < _MOST_DISTURBED:
        outcome = AGAIN
    if outcome == AGAIN:
        _rt_round(c, machine, own_m, value, supply_pa, a)
        return GOING
    if outcome == TO_SEARCH:
        a.searched = 1
        pulse_s = max(c.bump_s / 6.0, _SEEN_LAGS * rt_lag_s(machine))
        rt_search_start(c.bump * rt_low_share(machine, supply_pa), pulse_s, x, value[PRESSURE_A] - value[PRESSURE_B],
                        a.search)
        _rt_next(Step.SEARCH.value, a)
        return GOING
    if outcome == GOING:
        a.proved, a.kept = 1, a.null
        _rt_next(Step.HIGH_PRESSURE.value, a)
    return outcome


@jit()
def rt_arming_opening(a: Any) -> float:
    """The opening of the open-loop steps."""
    if a.step == Step.BUMP_UP:
        return float(a.bump)
    if a.step == Step.BUMP_DOWN:
        return -float(a.bump)
    if a.step == Step.SEARCH:
        return rt_search_opening(a.search)
    return 0.0
