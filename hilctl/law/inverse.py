"""Inverse-model feed-forward: the opening that the whole machine needs to follow the reference, friction included.

A valve commands flow, not force. Friction is met through the load pressure that it takes, and the flow that the change
of this pressure takes. On a grid of 0.1 ms or finer, along the reference:

    pL = (m a + B v + K x + f [+ m g]) / A                    f: the friction law run along the reference
    pA' = beta/VA (QA - A v - Ctc pL)                         VA, VB = Vt/2 ± A x
    pB' = beta/VB (A v + Ctc pL - QB)
    QA, QB = Qn U sqrt(2 dA / Ps), Qn U sqrt(2 dB / Ps)       dA, dB: the drops at the two edges in use

pL' = pA' - pB' is linear in U, which gives U; the sum pA + pB is then stepped along. Last, the valve's own lag:

    u = U + (2 zv/wv) U' + U''/wv²

The command of tick k is held from k+1 to k+2: it is the mean of u over that time. The spool's way across its overlap
goes beside it (crossing.py), of the same opening.

While the reference stands, friction is whatever holds the table, which no model knows: it is measured, and a motion
begins from there. A rest too short to measure in leaves friction as the law had it.

Friction that jumps at a reversal would ask for an impulse of flow. It is smoothed in time by four running means (a
cubic B-spline), which a preview can do without delay. While the smoothed force is on its way, the table comes to rest
early, sticks, and breaks away where the force suffices, late: it would lag by (t2 - t0) a + (J/m) ∫ (1 - c) dt from t2
on. J is the jump, c(t) the share of it that is there, t0 the reversal, and c(t2) = 1 - m a/J. So the smoothed jump
begins earlier by as much as makes that zero; nothing at an acceleration that lets nothing stick (_rt_jump_lead).
"""

import math
from typing import Any

import numpy as np

from hilctl.friction import STATES, rt_friction, rt_steady
from hilctl.law.crossing import crossing_record, rt_crossing_early_s, rt_crossing_start, rt_crossing_step
from hilctl.law.feed import GRID_S
from hilctl.law.reference import POINT, rt_history_get
from hilctl.machine import GRAVITY
from hilctl.params import record_of
from hilctl.rt.jit import jit

RING = 1024  # grid points kept; a power of two
MEANS = 4
WIDEST = 64  # grid points of a running mean
MOST_STEPS = 64
_BEFORE = 24  # ticks of the past that the pipeline runs through when it starts
_LEAST_DROP = 0.1  # of the supply: a reference that needs more pressure gets no more flow for it
_SUPPLY_S = 0.02  # over which the measured supply is averaged
_HELD_S = 0.05  # likewise what friction holds at rest
_RESTS_M_S = 1e-6  # a spline that comes to rest swings about it by less: friction does not turn round with that
_CREEP_M_S = 1e-4  # so slow that a law feels the way alone
_BENDS = 32  # steps over the way of pre-sliding
_SLID = 10.0  # times that way: past it nothing is left of what was before
_SETTLE_S = 0.5  # in which leakage brings pA + pB back to the supply

CROSSING = crossing_record(RING)
INVERSE: "np.dtype[Any]" = record_of(
    [
        ("running", np.int64),
        ("steps", np.int64),  # of the grid, a tick
        ("width", np.int64),  # of each running mean
        ("done", np.int64),  # newest grid index
        ("supply", np.float64),
        ("total", np.float64),  # pA + pB
        ("point", POINT),
        ("resting", np.int64),  # the reference stood at the newest grid point
        ("moved", np.int64),  # since it began: the law has a past
        ("held", np.float64),  # friction while it stands: the law's at first, then what is measured
        ("offset", np.float64),  # what the law does not know of its past
        ("last", np.float64),  # friction at the newest grid point
        ("z", np.float64, (STATES,)),
        ("means", np.float64, (MEANS, WIDEST)),
        ("x", np.float64, (RING,)),
        ("v", np.float64, (RING,)),
        ("bare", np.float64, (RING,)),  # pressure without friction
        ("pressure", np.float64, (RING,)),
        ("opening", np.float64, (RING,)),
        ("command", np.float64, (RING,)),
        ("crossing", CROSSING),
    ]
)


@jit()
def rt_inverse_stop(s: Any) -> None:
    """Clears its state; the next advance starts again."""
    s.running = 0


@jit()
def rt_inverse_rewind(tick: int, s: Any) -> None:
    """The reference was changed from this tick on: runs through it again. Friction has its past already."""
    if s.running != 0:
        s.done = min(s.done, tick * s.steps)


@jit()
def rt_inverse_advance(machine: Any, friction: Any, supply_pa: float, held_n: float, smooth_s: float, cross_s: float,
                       history: Any, head: int, tick: int, dt_s: float, s: Any) -> None:
    """Runs the pipeline up to the reference's head. Measured: the supply, or nan; friction, or nan while it moves."""
    if s.running == 0:
        _rt_begin(machine, supply_pa, smooth_s, history, head, tick, dt_s, s)
        s.crossing.wanted_s = s.crossing.last = 0.0
        s.held = held_n if math.isfinite(held_n) else 0.0
    if s.crossing.wanted_s != cross_s and s.resting != 0:
        room = (head - tick - 2) * s.steps - 3 - MEANS * (s.width - 1) // 2
        rt_crossing_start(cross_s, room, dt_s / s.steps, s.crossing.last, machine, s.crossing)
    if math.isfinite(supply_pa):
        s.supply += dt_s / (dt_s + _SUPPLY_S) * (supply_pa - s.supply)
    if math.isfinite(held_n):
        s.held += dt_s / (dt_s + _HELD_S) * (held_n - s.held)
    h = dt_s / s.steps
    until = head * s.steps
    while s.done < until:
        s.done += 1
        whole = s.done // s.steps
        rt_history_get(history, whole, (s.done - whole * s.steps) / s.steps, dt_s, s.point)
        _rt_step(machine, friction, h, s)


@jit()
def _rt_begin(machine: Any, supply_pa: float, smooth_s: float, history: Any, head: int, tick: int, dt_s: float,
              s: Any) -> None:
    """As if the reference had stood where it was a little while ago."""
    s.running = s.resting = 1
    s.moved = 0
    s.offset = s.last = 0.0
    s.steps = min(max(2, math.ceil(dt_s / GRID_S)), MOST_STEPS)
    h = dt_s / s.steps
    room = (head - tick - 2) * s.steps - 3  # what is smoothed must be known by the time it is commanded
    s.width = min(max(1, round(smooth_s / h / MEANS)), WIDEST, 1 + 2 * max(room, 0) // MEANS)
    s.done = (tick - _BEFORE) * s.steps
    rt_history_get(history, tick - _BEFORE, 0.0, dt_s, s.point)
    for i in range(STATES):
        s.z[i] = 0.0
    for i in range(MEANS):
        for j in range(WIDEST):
            s.means[i, j] = 0.0
    for i in range(RING):
        s.x[i], s.v[i] = s.point.x_m, s.point.v_m_s
        s.bare[i] = s.pressure[i] = (machine.K * s.point.x_m + _rt_weight(machine)) / machine.A
        s.opening[i] = s.command[i] = 0.0
    s.supply = supply_pa if math.isfinite(supply_pa) else machine.Ps
    s.total = s.supply


@jit()
def _rt_weight(machine: Any) -> float:
    return float(machine.m * GRAVITY) if machine.vertical != 0 else 0.0


@jit()
def _rt_step(machine: Any, friction: Any, h: float, s: Any) -> None:
    """One grid point: friction there; pressure, opening and command a little behind it."""
    mask, area = RING - 1, machine.A
    g, x, v = s.done, s.point.x_m, s.point.v_m_s
    s.x[g & mask], s.v[g & mask] = x, v
    s.bare[g & mask] = (machine.m * s.point.a_m_s2 + machine.B * v + machine.K * x + _rt_weight(machine)) / area
    f = _rt_friction(machine, friction, s.point, h, s)
    place = g % s.width
    for i in range(MEANS):
        s.means[i, place] = f
        f = 0.0
        for j in range(s.width):
            f += s.means[i, j]
        f /= s.width
    g -= MEANS * (s.width - 1) // 2
    s.pressure[g & mask] = s.bare[g & mask] + f / area
    g -= 1
    rate = (s.pressure[(g + 1) & mask] - s.pressure[(g - 1) & mask]) / (2.0 * h)
    s.opening[g & mask] = _rt_opening(machine, s.x[g & mask], s.v[g & mask], s.pressure[g & mask], rate, h, s)
    g -= 1
    before, at, after = s.opening[(g - 1) & mask], s.opening[g & mask], s.opening[(g + 1) & mask]
    slope, bend = (after - before) / (2.0 * h), (after - 2.0 * at + before) / (h * h)
    lag_s, lag_s2 = 2.0 * machine.zv / machine.wv, 1.0 / (machine.wv * machine.wv)
    s.command[g & mask] = at + lag_s * slope + lag_s2 * bend
    rt_crossing_step(g + 1, after, lag_s, lag_s2, h, machine, s.crossing)


@jit()
def _rt_friction(machine: Any, friction: Any, point: Any, h: float, s: Any) -> float:
    """Friction at the newest grid point. At rest, and next to it, it is what it was."""
    v, acceleration = point.v_m_s, point.a_m_s2
    resting = v == 0.0 and acceleration == 0.0
    if s.resting != 0 and not resting:
        _rt_rebase(machine.A, friction, s)
    elif s.resting == 0 and resting:
        s.held = s.last  # what was measured belongs to the rest before
    s.resting = 1 if resting else 0
    if abs(v) < _RESTS_M_S:
        return float(s.last)
    if friction.reach_m > 0.0:
        s.offset *= math.exp(-abs(v) * h / friction.reach_m)
        s.last = rt_friction(friction.code, friction.p, s.z, v, h) + s.offset
    else:
        base_s = MEANS * s.width * h
        if v * acceleration < 0.0 and abs(v) < 0.5 * base_s * abs(acceleration):
            lead_s = _rt_jump_lead(machine, friction, acceleration, base_s)
            ahead = v + lead_s * (acceleration + 0.5 * lead_s * point.j_m_s3)
            v = ahead if ahead * v < 0.0 else v  # a motion that ends has a jerk that keeps it from turning
        s.last = rt_steady(friction.code, friction.p, math.copysign(1.0, v), v)
    return float(s.last)


@jit()
def _rt_jump(friction: Any) -> float:
    return float(rt_steady(friction.code, friction.p, 1.0, 0.0) - rt_steady(friction.code, friction.p, -1.0, 0.0))


@jit()
def _rt_jump_lead(machine: Any, friction: Any, acceleration: float, base_s: float) -> float:
    """By how much a smoothed jump begins earlier at a reversal: the solution of the module's equation.

    The figures are a least-squares fit, right to 0.3 % of `base_s` for shares from 0.005; test_jump_lead.py repeats it.
    """
    jump = _rt_jump(friction)
    taken = machine.m * abs(acceleration)
    if taken >= jump:
        return 0.0
    share = taken / jump
    root = math.sqrt(share)
    rest = 1.0 - share
    return float(base_s * rest * (0.7062 - 0.2341 * rest - 0.1293 * root - 0.3122 * math.sqrt(root)))


@jit()
def _rt_rebase(area: float, friction: Any, s: Any) -> None:
    """A motion begins: friction begins from what is measured at rest, and has always been there.

    Bristles have been bent by a way that nobody saw: they are bent on until they hold what is held. Without a past they
    have slid in the direction of what is held, and sprung back.
    """
    unknown = s.held - s.last
    if friction.reach_m > 0.0:
        step_s, force = friction.reach_m / (_BENDS * _CREEP_M_S), s.last
        if s.moved == 0:
            slid = math.copysign(_CREEP_M_S, s.held)
            force = rt_friction(friction.code, friction.p, s.z, slid, _SLID * friction.reach_m / _CREEP_M_S)
        missing = s.held - force
        creep = math.copysign(_CREEP_M_S, missing)
        for _ in range(10 * _BENDS):
            if (s.held - force) * missing <= 0.0:
                break
            force = rt_friction(friction.code, friction.p, s.z, creep, step_s)
        s.offset = s.held - force
    s.moved = 1
    s.last = s.held
    for i in range(MEANS):
        for j in range(WIDEST):
            s.means[i, j] += unknown
    for i in range(RING):
        s.pressure[i] += unknown / area


@jit()
def _rt_opening(machine: Any, x: float, v: float, load: float, rate: float, h: float, s: Any) -> float:
    """U, for a load pressure and its rate; the chambers' sum goes on by h."""
    supply_pa = s.supply
    half, swept = 0.5 * machine.Vt, machine.A * x
    least = 0.02 * half
    per_a, per_b = machine.beta / max(half + swept, least), machine.beta / max(half - swept, least)
    needed = machine.A * v + machine.Ctc * load
    pa, pb = 0.5 * (s.total + load), 0.5 * (s.total - load)
    wanted = rate + (per_a + per_b) * needed
    floor = _LEAST_DROP * machine.Ps  # not of what is measured: a sensor that shows nothing must not make it nan
    if wanted >= 0.0:
        drop_a, drop_b = max(supply_pa - pa, floor), max(pb, floor)
    else:
        drop_a, drop_b = max(pa, floor), max(supply_pa - pb, floor)
    # Ps of the rig file: what Qn is meant for
    edge_a = machine.Qn * math.sqrt(2.0 * drop_a / machine.Ps)
    edge_b = machine.Qn * math.sqrt(2.0 * drop_b / machine.Ps)
    opening = wanted / (per_a * edge_a + per_b * edge_b)
    rate_a = per_a * (opening * edge_a - needed)
    rate_b = per_b * (needed - opening * edge_b)
    s.total += h * (rate_a + rate_b + (supply_pa - s.total) / _SETTLE_S)
    return float(opening)


@jit()
def rt_inverse_command(tick: int, preview_s: float, dt_s: float, s: Any) -> float:
    """The mean of the command over the time for which this tick's is held."""
    newest = s.done - MEANS * (s.width - 1) // 2 - 2
    return _rt_held(s.command, tick, preview_s, newest, dt_s, s.steps)


@jit()
def rt_inverse_early_s(machine: Any, friction: Any, acceleration: float, s: Any) -> float:
    """By how much the spool begins to cross its overlap before the opening does."""
    jump = _rt_jump(friction) if friction.reach_m == 0.0 else 0.0
    return float(rt_crossing_early_s(jump, machine.m * abs(acceleration), s.crossing.base_s))


@jit()
def rt_inverse_side(tick: int, preview_s: float, dt_s: float, s: Any) -> float:
    """The same of the side of the overlap, which is that of the half grid step before."""
    newest = s.done - MEANS * (s.width - 1) // 2 - 2 - MEANS * (s.crossing.width - 1) // 2
    return _rt_held(s.crossing.command, tick, preview_s + 0.5 * dt_s / s.steps, newest, dt_s, s.steps)


@jit()
def rt_inverse_opening(tick: int, preview_s: float, dt_s: float, s: Any) -> float:
    """The same of the opening alone, without the valve's lag."""
    newest = s.done - MEANS * (s.width - 1) // 2 - 1
    return _rt_held(s.opening, tick, preview_s, newest, dt_s, s.steps)


@jit()
def _rt_held(path: Any, tick: int, preview_s: float, newest: int, dt_s: float, steps: int) -> float:
    mask, h = RING - 1, dt_s / steps
    ahead = preview_s / h
    whole = math.floor(ahead)
    share = ahead - whole
    first, total = (tick + 1) * steps + int(whole), 0.0
    for i in range(steps + 2):  # straight lines from `share` to `share + steps`
        weight = 1.0
        if i == 0:
            weight = 0.5 * (1.0 - share) * (1.0 - share)
        elif i == 1:
            weight = 1.0 - 0.5 * share * share
        elif i == steps:
            weight = 0.5 + share - 0.5 * share * share
        elif i == steps + 1:
            weight = 0.5 * share * share
        total += weight * path[min(first + i, newest) & mask]
    return float(total / steps)


@jit()
def rt_inverse_pressure(tick: int, s: Any) -> float:
    """The load pressure that the reference needs at a tick."""
    return float(s.pressure[(tick * s.steps) & (RING - 1)])
