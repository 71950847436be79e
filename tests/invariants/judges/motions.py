"""Where the table may be, and when it may move."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from hilctl.machine import hydraulic_frequency
from hilctl.signals import Arming, Mode
from tests.invariants.judges.causes import (
    SETTLES_S,
    STOPS_S,
    disturbed,
    explained,
    shifts,
    supply_unjudged,
    supply_within,
)
from tests.invariants.judges.registry import first, judge, since
from tests.invariants.run import Run

SPEED_M_S = 1e-3
NULL_OFF = 0.01
ARMING_M = 3e-3  # from docs/safety.md: before the signs are known, and while they are proved
REJOINED_S = 1.0  # after a stall, at the latest
TURN_TICKS = 8  # in which the reference takes the motion's acceleration up again, at least: law/reference/rejoin.py
HOME = 2.74  # 2 max(h) max(|h''|) of its way home h(s) = s - 20 s⁴ + 45 s⁵ - 36 s⁶ + 10 s⁷; its time is met within 1.2
SHARE = 0.7  # of the motion's peak of acceleration: what is added on the way home
MARGIN_M = 1e-3  # of the closed loop about its reference, and of a stop about its end


def _moves(run: Run, judging: Any) -> Any:
    """Where it moves, of the ticks that are judged: fast, and further than it sticks and slips about its place.

    When it slips, static less kinetic friction is freed, and the oil's spring m w² answers with twice that way.
    """
    friction, machine = run.rig.friction.params, run.rig.tables.machine
    hunts_m = 2.0 * (friction.fs - friction.fc) / (machine.m * hydraulic_frequency(machine) ** 2)  # 0.15 mm
    began = np.maximum.accumulate(np.where(judging, 0, np.arange(len(judging))))
    way = np.abs(run.truth["x"] - run.truth["x"][began])
    return judging & (run.moving > SPEED_M_S + _homing_m_s(run)) & (way > hunts_m)


def _homing_m_s(run: Run) -> Any:
    """The integral brings the error that a PID leaves home at the rate ki/kp, within a second; 1.5 times that at first.

    Where another feedback follows a PID, it does so at its own.
    """
    out, slow = np.zeros(len(run.tick)), False
    lately = run.highest(np.abs(run.rows["error_m"]), SETTLES_S)
    for epoch, rig in sorted(run.sets.items()):
        law, here = rig.tables.law, run.rows["epoch"] == epoch
        slow |= law.feedback == "pid"
        if slow:
            three = law.three_state.ki_per_m_s / law.three_state.kd_per_m if law.feedback != "pid" else 0.0
            out[here] = 1.5 * max(law.pid.ki_per_m_s / law.pid.kp_per_m, three) * lately[here]
    return out


@judge
def unexplained_motion(run: Run) -> Iterator[tuple[int, str]]:
    """Nothing moves faster than 1 mm/s that nobody asked for."""
    bad = _moves(run, ~explained(run))
    k = first(bad)
    if k >= 0:
        most = float(run.moving[bad].max())
        yield k, f"{run.moving[k] * 1e3:.3g} mm/s, up to {most * 1e3:.3g} mm/s, and no request explains it"


@judge
def motion_with_trip(run: Run) -> Iterator[tuple[int, str]]:
    """A latched trip comes to rest, and nothing moves from there."""
    rests = since(run.trip != 0, run) > run.ticks(STOPS_S)
    off = (run.mode == Mode.NULL) | (run.mode == Mode.OFF)
    switched = off & (since(off, run) <= run.ticks(SETTLES_S))  # what holds the table is taken away
    bad = _moves(run, rests & ~switched & ~disturbed(run) & ~supply_within(run))
    k = first(bad)
    if k >= 0:
        yield k, f"{run.moving[k] * 1e3:.3g} mm/s, up to {run.moving[bad].max() * 1e3:.3g} mm/s, with a trip latched"


@judge
def arming_travels(run: Run) -> Iterator[tuple[int, str]]:
    """Arming, to the end of whatever ends it, stays where it began."""
    standby = run.mode == Mode.STANDBY
    ends, pushed = np.concatenate((run.mode[1:], [Mode.OFF])), disturbed(run)
    for begin in np.flatnonzero(standby & ~np.concatenate(([False], standby[:-1]))):
        rest = np.flatnonzero(~standby[begin:] & (run.mode[begin:] != Mode.NULL))
        end = begin + int(rest[0]) if len(rest) else len(ends)
        if pushed[begin:end].any():
            continue
        x0 = run.truth["x"][begin]
        way = np.maximum(run.truth["x_high"][begin:end] - x0, x0 - run.truth["x_low"][begin:end])
        k = first(way > ARMING_M + _more_of_arming_m(run, begin, end))
        if k >= 0:
            yield int(begin) + k, f"arming has moved the table by {way[k] * 1e3:.3g} mm, up to {way.max() * 1e3:.3g} mm"
            return


def _more_of_arming_m(run: Run, begin: int, end: int) -> float:
    """What is added where arming does not find what it expects. Not in `law.arming`'s hands are

    a host that misses ticks: the valve stays at its bump; a supply that is still high: the bumps are faster.
    Not yet held to 3 mm (docs/faults.md, row 61) are a null that is off by more than 1 % of full opening, and rounds
    that are made again because of missed ticks: where the null is off, bumps both ways drift.
    """
    tables, rows = run.rig.tables, run.rows[begin:end]
    machine, arming = tables.machine, tables.arming
    open_loop = (rows["arming"] >= Arming.ENABLE) & (rows["arming"] <= Arming.BUMP_DOWN)
    highest = max(float(run.truth["ps"][begin:end].max(where=open_loop, initial=0.0)), machine.Ps_low)
    full_m_s = machine.Qn / machine.A * np.sqrt(highest / machine.Ps)
    nulls = [rig.tables.law.valve.null_bias for rig in run.sets.values()]
    off = max(abs(run.rig.driver_config.valve.null_bias - null) for null in nulls)
    up = rows["arming"] == Arming.BUMP_UP
    rounds = int(up[0]) + int((up[1:] & ~up[:-1]).sum())
    drifts = rounds if off > NULL_OFF else max(rounds - 2, 0) * (rows["skipped"] > 0).any()
    open_s = arming.bump_s * (2.0 * drifts + (1.0 / 3.0 if drifts else 0.0))
    missed_s = float(rows["skipped"].sum()) * run.dt_s
    faster = np.sqrt(highest / machine.Ps_low) - 1.0
    return float(full_m_s * (off * open_s + (arming.bump + off) * missed_s) + ARMING_M * faster)


@judge
def beyond_limits(run: Run) -> Iterator[tuple[int, str]]:
    """The table stops within its limits, by its true position: the guard reckons with the distance that it takes."""
    position, dt_s = run.limits.position, run.dt_s
    out = np.maximum(run.truth["x_high"] - position.max_m, position.min_m - run.truth["x_low"])
    # Blind are the ticks that the host missed or the link failed in, and as many as it takes to say so.
    blind = run.rows["skipped"] + (run.rows["status"] != 0)
    lately = run.summed(blind, 0.1) * dt_s
    fast = run.highest(run.moving, 0.1)
    reach = MARGIN_M + fast * lately
    for sensor, by, begin, end in shifts(run):
        if sensor == "displacement":
            reach[begin:end] += by
    for begin in np.flatnonzero((out > 0) & ~np.concatenate(([False], out[:-1] > 0))):
        inside = np.flatnonzero(out[begin:] <= 0)
        at = slice(begin, begin + int(inside[0]) if len(inside) else len(out))
        reach[at] = np.maximum.accumulate(reach[at])  # where it has come to, it may stay
    k = first(out > reach)
    if k >= 0:
        yield (
            k,
            f"{out[k] * 1e3:.3g} mm beyond the limit, up to {out.max() * 1e3:.3g}; allowed are {reach[k] * 1e3:.3g}",
        )


@judge
def astray(run: Run) -> Iterator[tuple[int, str]]:
    """A motion stays where it was planned; a stall leads it straight on, for `limits.late.rejoin_s` at most."""
    missed_s = run.summed(run.rows["skipped"] + (run.rows["status"] != 0), REJOINED_S) * run.dt_s
    slow = run.epochs(lambda tables: tables.law.feedback == "pid")  # far behind its reference,
    slow = slow | (run.rows["supply"] == 1)  # as at low pressure, where the valve gives less for the same opening
    for motion in run.motions:
        at = slice(motion.begin, motion.end)
        margin = run.limits.tracking_error.max_m if slow[at].any() else 3 * MARGIN_M
        straight_s = np.minimum(missed_s[at], run.limits.late.rejoin_s)
        margin += np.where(straight_s > 0, _led_astray_m(run, motion, straight_s), 0.0)
        x_m = run.measured(run.truth["x"][at], at)
        out = np.maximum(x_m - motion.high_m, motion.low_m - x_m)
        k = first((out > margin) & ~(disturbed(run) | supply_unjudged(run))[at] & (run.mode[at] == Mode.TRACK))
        if k >= 0:
            yield motion.begin + k, f"{out[k] * 1e3:.3g} mm beyond where the motion was to go"
            return


def _led_astray_m(run: Run, motion: Any, missed_s: Any) -> Any:
    """How far beyond its end: straight on, then braked by the motion's own corner, for as long as that is not over.

    The held command leads straight on for what was missed and two ticks more. The reference then takes the motion's
    deceleration up, within its jerk: half of that time counts. If the motion has turned round meanwhile, the speed
    that its corner no longer takes away is taken by the way home: over HOME r²/(2 SHARE peak).
    """
    jerk, v, peak = run.limits.stopping.jerk_m_s3, motion.speed_m_s, max(motion.peak_m_s2, 1e-3)
    turn_s = max(TURN_TICKS * run.dt_s, 1.5 * peak / jerk)
    straight_s = missed_s + 2 * run.dt_s + 0.5 * turn_s
    turned_m_s = np.clip(peak * straight_s - v, 0.0, v)
    return v * straight_s + HOME * turned_m_s**2 / (2 * SHARE * peak)
