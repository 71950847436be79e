"""On-line learning of the valve: its null, flow gain and overlap, while the loop runs. Off at one key, law.adapt.share.

What the valve is opened for and what flows are both known. With o_w the opening that the controller wanted, late as the
table is, and o_m the opening that the measured flow takes at the identified gain,

    o_m = [A v + (Ctc + Kc) pL + (VA pA' - VB pB') / 2 beta] / (Qn r)         r: the roots of the drops at both edges
    X(o, d) = o + d (S - o)                                                   the spool's place, S the side
    y = X(o_w, d in use) - X(o_m, d) + null in use  =  θn + θd (S - (1 + θg) f) + θg (1 - d) f

S counts the edges as sharp: rounded ones shift both places alike. f is the feed-forward's opening, likewise late. So y
is what the valve needs beyond the identified values, whatever of it is in use already: what is learned does not feed
back into what is learned next. θ is fitted by recursive least squares (of unit noise density) with forgetting, in the
direction of what is excited alone:

    P += w dt diag(q φ²),   K = w dt P φ / (1 + w dt φ' P φ),   θ += K (y - φ'θ),   P -= K φ'P

With φ = (1, 0, 0) θn follows within time_s. The overlap is learned at small openings, where the gain is worth little;
the gain at any, the slower the smaller they are. w is 0 until the loop has run undisturbed for CALM_S; behind an
overlap also while the spool is in it or near it, for what a spool within its overlap wants says nothing. Without
excitation nothing is learned, and what is learned leaks back to the identified values within LEAK_S. It is used after a
further lag. Where it reaches its bound, learning ends, with a warning.

Null that is learned is taken from the integral that has made up for it: the command does not notice. Gain acts on the
feed-forward alone, so the closed loop stays as it was designed. All are offsets, times the share, which is blended like
every parameter. A set that holds the learned values, with the share 0, is blended in likewise: the sum stays.

The command's delay is not learned (docs/models.md tells why).
"""

import math
from typing import Annotated, Any

import numpy as np

from hilctl.law.edges import rt_spool
from hilctl.params import Params, number, record_of
from hilctl.rt.jit import jit

CALM_S = 0.25  # without a disturbance, before anything is learned
LEAK_S = 3600.0
FORGETS_S = 600.0  # in which P leaks: what is never excited does not grow without end
# How fast overlap and gain are followed, in units of the null's 1/time_s, and how far the overlap is trusted at first:
# an overlap 20 % and a gain 15 % off are followed within a minute of a sine of 1 Hz, ±50 mm, and neither takes more
# than a moment for the other (table-500, 2026-11-26).
OVERLAP, GAIN, SURE = 5.0, 500.0, 0.3
NEAR = 0.03  # opening up to which the overlap is learned: beyond, what the gain is off by would be taken for it
FAR = 0.1  # opening from which on pressure sensors and model err the more, the larger it is
USED = 0.5  # of time_s: lag of what is used behind what is learned
LEAST = 0.004  # opening of an edge that is open, behind an overlap
CLEAR_S = 0.015  # away from a reversal, likewise
MOST = 0.1  # of y beyond what is known: more is no valve's
DROP = 0.1  # of the supply: the least at an edge, as in inverse.py
NULL_ENDS, OVERLAP_ENDS, GAIN_ENDS = 2, 4, 8  # bits of the channel `learning`, whose first is that it learns


class Adapt(Params):
    """On-line learning of null, flow gain and overlap of the valve, about the identified values."""

    share: Annotated[
        float, number(0, 1, "", "share of what is learned of the valve that is used; 0 switches learning off")
    ] = 0.0
    time_s: Annotated[float, number(2, 600, "s", "time in which the null is followed; the others are slower")] = 10.0
    null_max: Annotated[float, number(0, 0.05, "", "most that the null is learned away from the one of arming")] = 0.02
    gain_max: Annotated[float, number(0, 0.3, "", "most by which the flow gain is learned, as a share of Qn")] = 0.25
    overlap_max: Annotated[float, number(0, 0.02, "", "most by which the overlap is learned, on both sides")] = 0.01


ADAPT = record_of(
    [
        ("running", np.int64),
        ("learning", np.int64),  # in this tick
        ("ended", np.int64),  # at which bounds, bits
        ("calm_s", np.float64),
        # used, times the share: of null and overlap as openings, of Qn in m³/s
        ("null", np.float64),
        ("overlap", np.float64),
        ("flow", np.float64),
        # learned: θ, P and the lags
        ("theta", np.float64, (3,)),
        ("p", np.float64, (6,)),  # 00 01 02 11 12 22
        ("wanted", np.float64, (2,)),
        ("feed", np.float64, (2,)),
        ("pa", np.float64),
        ("pb", np.float64),
    ]
)


@jit()
def rt_adapt_start(c: Any, a: Any) -> None:
    """Nothing learned yet."""
    a.running = 1
    a.learning = a.ended = 0
    a.calm_s = a.null = a.overlap = a.flow = 0.0
    a.theta[0] = a.theta[1] = a.theta[2] = 0.0
    for i in range(6):
        a.p[i] = 0.0
    a.p[0], a.p[3], a.p[5] = 1.0 / c.time_s, SURE / c.time_s, GAIN / c.time_s
    a.wanted[0] = a.wanted[1] = a.feed[0] = a.feed[1] = 0.0


@jit()
def rt_adapt_stop(a: Any) -> None:
    """Learning is off: nothing is left of it."""
    a.running = a.learning = a.ended = 0
    a.null = a.overlap = a.flow = 0.0


@jit()
def rt_adapt_null_known(a: Any) -> None:
    """The null is known from elsewhere: what was learned of it is in that."""
    a.null = a.theta[0] = 0.0


@jit()
def rt_adapt_again(proved: bool, a: Any) -> None:
    """The rig is armed: learning goes on, with the null unknown where arming finds it."""
    a.ended = 0
    if not proved:
        rt_adapt_null_known(a)


@jit()
def rt_null(s: Any) -> float:
    """The command at which the valve is taken to be closed."""
    return float(s.arm.null + s.now.law.adapt.share * s.adapt.null)


@jit()
def rt_adapt_scale(c: Any, machine: Any, a: Any) -> float:
    """What the feed-forward's opening is multiplied by."""
    return float(machine.Qn / (machine.Qn + c.share * a.flow))


@jit()
def rt_flow_opening(machine: Any, v: float, x: float, pa: float, pb: float, rate_a: float, rate_b: float,
                    supply_pa: float, up: bool) -> float:  # fmt: skip
    """o_m; `up`: which edges are open. A supply that is not measured is nan."""
    supply = supply_pa if math.isfinite(supply_pa) else machine.Ps
    half, swept, floor = 0.5 * machine.Vt, machine.A * x, DROP * machine.Ps
    drop_a = max(supply - pa if up else pa, floor)
    drop_b = max(pb if up else supply - pb, floor)
    root = math.sqrt(0.5 * drop_a / machine.Ps) + math.sqrt(0.5 * drop_b / machine.Ps)
    squeezed = ((half + swept) * rate_a - (half - swept) * rate_b) / (2.0 * machine.beta)
    return float((machine.A * v + (machine.Ctc + machine.Kc) * (pa - pb) + squeezed) / (machine.Qn * root))


@jit()
def _rt_fit(c: Any, y: float, one: float, two: float, w: float, a: Any) -> None:
    """A step of the recursion above for φ = (1, one, two)."""
    p, rate, near = a.p, 1.0 / c.time_s, 1.0 / (1.0 + (two / NEAR) * (two / NEAR))
    w /= 1.0 + (two / FAR) * (two / FAR)
    keep = 1.0 - w / FORGETS_S
    for i in range(6):
        p[i] *= keep
    p[0] += w * rate * rate
    p[3] += w * (OVERLAP * rate * one) * (OVERLAP * rate * one) * near * near
    p[5] += w * (GAIN * rate * two) * (GAIN * rate * two)
    f0 = p[0] + p[1] * one + p[2] * two
    f1 = p[1] + p[3] * one + p[4] * two
    f2 = p[2] + p[4] * one + p[5] * two
    gain = w / (1.0 + w * (f0 + f1 * one + f2 * two))
    miss = y - a.theta[0] - a.theta[1] * one - a.theta[2] * two
    step = gain * min(max(miss, -MOST), MOST)
    a.theta[0] += step * f0
    a.theta[1] += step * f1
    a.theta[2] += step * f2
    p[0] -= gain * f0 * f0
    p[1] -= gain * f0 * f1
    p[2] -= gain * f0 * f2
    p[3] -= gain * f1 * f1
    p[4] -= gain * f1 * f2
    p[5] -= gain * f2 * f2


@jit()
def _rt_bounded(value: float, most: float, bit: int, a: Any) -> float:
    """Within its bound; reaching that ends all learning."""
    if abs(value) >= most:
        a.ended |= bit
    return min(max(value, -most), most)


@jit()
def _rt_use(c: Any, qn: float, share: float, a: Any) -> float:
    """What is used follows what is learned by such a share; by how much the null went."""
    gain = a.theta[2]
    null = _rt_bounded(a.theta[0], c.null_max, NULL_ENDS, a)
    overlap = _rt_bounded(a.theta[1], c.overlap_max, OVERLAP_ENDS, a)
    flow = qn * _rt_bounded(-gain / max(1.0 + gain, 0.1), c.gain_max, GAIN_ENDS, a)
    moved = share * (null - a.null)
    a.null += moved
    a.overlap += share * (overlap - a.overlap)
    a.flow += share * (flow - a.flow)
    return float(moved)


@jit()
def rt_adapt(c: Any, machine: Any, opening: float, feed: float, v: float, x: float, pa: float, pb: float,
             supply_pa: float, lag_s: float, late_s: float, calm: bool, dt_s: float, a: Any) -> float:  # fmt: skip
    """One tick; by how much the null that is used went. `opening`: what the controller wants; `feed`: the part of it
    that is feed-forward, for the identified gain; `lag_s`: by which the measured motion follows both; `late_s`: by
    which it is later than the pressures.
    """
    a.calm_s = a.calm_s + dt_s if calm else 0.0
    if not calm:  # whatever comes now, nothing of it stays
        a.wanted[0] = a.wanted[1] = opening
        a.feed[0] = a.feed[1] = feed
        a.pa, a.pb, a.learning = pa, pb, 0
        return 0.0
    keep = lag_s / (lag_s + 2.0 * dt_s)  # two first-order lags that are late by lag_s together
    a.wanted[0] += (1.0 - keep) * (opening - a.wanted[0])
    a.wanted[1] += (1.0 - keep) * (a.wanted[0] - a.wanted[1])
    a.feed[0] += (1.0 - keep) * (feed - a.feed[0])
    a.feed[1] += (1.0 - keep) * (a.feed[0] - a.feed[1])
    young = dt_s / (dt_s + late_s)
    change_a, change_b = young * (pa - a.pa), young * (pb - a.pb)
    a.pa += change_a
    a.pb += change_b
    f, changes, edges = a.feed[1], 2.0 / lag_s * (a.feed[0] - a.feed[1]), machine.overlap_a + machine.overlap_b > 0.0
    clear = not edges or (abs(f) > LEAST and abs(f) > CLEAR_S * abs(changes))
    a.learning = 1 if a.calm_s >= CALM_S and clear and a.ended == 0 else 0
    if a.calm_s < CALM_S:
        return 0.0
    if a.learning != 0:
        side, identified = math.copysign(1.0, f), 0.5 * (machine.overlap_a + machine.overlap_b)
        flows = rt_flow_opening(machine, v, x, a.pa, a.pb, change_a / dt_s, change_b / dt_s, supply_pa,
                                a.wanted[1] >= 0.0)
        beyond = side - (1.0 + a.theta[2]) * f if edges else 0.0
        y = rt_spool(a.wanted[1], identified + c.share * a.overlap, side) - rt_spool(flows, identified, side)
        _rt_fit(c, y + c.share * a.null, beyond, (1.0 - identified) * f, dt_s, a)
    if a.ended == 0:
        for i in range(3):
            a.theta[i] *= 1.0 - dt_s / LEAK_S
    return _rt_use(c, machine.Qn, dt_s / (USED * c.time_s) if clear or a.ended != 0 else 0.0, a)
