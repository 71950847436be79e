"""The load pressure that a command and a motion make in the rig's own cylinder, simulated with its derivatives.

With the spool at s, o(s) its opening beyond the overlap d and e its leakage at null, r(p) = sgn(p) sqrt|p|, and
the chambers' sum P = pA + pB taken as measured, pA = (P + pL)/2 and pB = (P - pL)/2,

    o = sgn(s) max(|s| - d, 0)/(1 - d)      edge, counter = (sqrt(o² + 4 e²) ± o)/2
    F = [edge (r(ps - pA) + r(pB)) - counter (r(pA) + r(ps - pB))] / (2 sqrt(Ps/2))
    pL' = 4 beta/Vt (Qn F - A w - Ctc pL) - 2 A x P'/Vt          w = v + tau a + droop b

w is the speed, put right for what the motion's sensors are late by and lose. Runge and Kutta, a step of two of the
finer samples that it is given. Its four stages have the slopes b1 ... b4 by the load and r1 ... r4 by a word, so what
the step of h does to a derivative d is exactly

    d + w1 (b1 d + r1) + w2 (b2 d + r2) + w3 (b3 d + r3) + w4 (b4 d + r4)
    w4 = h/6      w3 = h/3 + h w4 b4      w2 = h/3 + h/2 w3 b3      w1 = h/6 + h/2 w2 b2
"""

import math
from enum import IntEnum
from typing import Any

import numpy as np

from hilctl.rt.jit import jit

LEAST_DROP_PA = 1e3  # below it a root's slope stays as it is there
LEAST_OPENING = 1e-9  # likewise
_LEAST_ROOT = math.sqrt(LEAST_DROP_PA)


class Word(IntEnum):
    """What the kernel's parameters are, by position."""

    Qn = 0
    beta = 1
    Vt = 2
    A = 3
    Ctc = 4
    dead_band = 5
    tau = 6
    droop = 7
    null = 8
    wv = 9
    zv = 10
    delay = 11
    play = 12
    leak = 13
    threshold = 14


_QN, _BETA, _VT, _A, _CTC, _DEAD, _TAU, _DROOP, _NULL, _WV = (int(word) for word in list(Word)[:10])
_LEAK = int(Word.leak)
_SPOOL = 4  # words that move the spool by a course of their own: wv, zv, delay, play


def _signature() -> str:
    v, m = "float64[::1]", "float64[:, ::1]"
    return f"void({v}, float64, float64, {m}, {m}, int64[::1], float64, {v}, {m})"


@jit(_signature, cached=True)
def simulate_load(
    p: Any, ps_nominal: float, dt_s: float, course: Any, spool: Any, moving: Any, begin: float, load: Any, slopes: Any,
) -> None:  # fmt: skip
    """Fills `load` and `slopes` at each fourth of the finer samples; `course`: x, v, a, b, P, P', ps as rows.

    `spool`: its place, and that by wv, zv, delay and play. `moving`: the words by which slopes are wanted, in their
    order; the last slope is by the load at the start.
    """
    last = moving.size
    y = begin
    d, share, by_load = np.zeros(last + 1), np.zeros(4), np.zeros(4)
    rates = np.zeros((4, p.size))
    d[last] = 1.0
    h = 2.0 * dt_s
    count = load.size
    for k in range(2 * count - 1):
        if k % 2 == 0:
            load[k // 2] = y
            for j in range(last + 1):
                slopes[k // 2, j] = d[j]
        if k == 2 * count - 2:
            break
        total = 0.0
        at = y
        for stage in range(4):
            i = 2 * k + (stage + 1) // 2
            g, by_load[stage] = _rate(p, ps_nominal, course, spool, i, at, last > 0, rates[stage])
            total += g if stage in (0, 3) else 2.0 * g
            at = y + (h if stage == 2 else 0.5 * h) * g
        y += h / 6.0 * total
        share[3] = h / 6.0
        share[2] = h / 3.0 + h * share[3] * by_load[3]
        share[1] = h / 3.0 + 0.5 * h * share[2] * by_load[2]
        share[0] = h / 6.0 + 0.5 * h * share[1] * by_load[1]
        kept = 1.0
        for stage in range(4):
            kept += share[stage] * by_load[stage]
        for j in range(last):
            word = moving[j]
            grown = kept * d[j]
            for stage in range(4):
                grown += share[stage] * rates[stage, word]
            d[j] = grown
        d[last] *= kept


@jit(inline=True)
def _root(drop: float) -> float:
    return math.sqrt(drop) if drop >= 0.0 else -math.sqrt(-drop)


@jit(inline=True)
def _steep(root: float) -> float:
    """The root's slope, where it is that much."""
    return 0.5 / max(abs(root), _LEAST_ROOT)


@jit(inline=True)
def _rate(
    p: Any, ps_nominal: float, course: Any, spool: Any, i: int, load: float, wanted: bool, rate: Any
) -> tuple[float, float]:
    """pL', its derivative by pL, and into `rate` those by the words where they are wanted."""
    s, x, v, a, b = spool[0, i], course[0, i], course[1, i], course[2, i], course[3, i]
    both, both_rate, ps = course[4, i], course[5, i], course[6, i]
    beyond = 1.0 - p[_DEAD]
    opening, by_s, by_dead = 0.0, 0.0, 0.0
    if abs(s) > p[_DEAD]:
        sign = 1.0 if s > 0.0 else -1.0
        opening, by_s = (s - sign * p[_DEAD]) / beyond, 1.0 / beyond
        by_dead = (opening - sign) / beyond
    root = math.sqrt(opening * opening + 4.0 * p[_LEAK] * p[_LEAK])
    edge, counter = 0.5 * (root + opening), 0.5 * (root - opening)
    pa, pb = 0.5 * (both + load), 0.5 * (both - load)
    unit = 0.5 / math.sqrt(0.5 * ps_nominal)
    over_a, over_b, in_a, in_b = _root(ps - pa), _root(ps - pb), _root(pa), _root(pb)
    into, out = over_a + in_b, in_a + over_b
    flow = unit * (edge * into - counter * out)
    flow_by_load = -0.5 * unit * (edge * (_steep(over_a) + _steep(in_b)) + counter * (_steep(in_a) + _steep(over_b)))
    speed = v + p[_TAU] * a + p[_DROOP] * b
    stiff = 4.0 * p[_BETA] / p[_VT]
    squeeze = p[_QN] * flow - p[_A] * speed - p[_CTC] * load
    moved = 2.0 * x * both_rate / p[_VT]
    g, by_load = stiff * squeeze - p[_A] * moved, stiff * (p[_QN] * flow_by_load - p[_CTC])
    if not wanted:
        return g, by_load
    over = 1.0 / max(root, LEAST_OPENING)
    by_opening = 0.5 * unit * ((opening * over + 1.0) * into - (opening * over - 1.0) * out)
    by_leak = 2.0 * unit * p[_LEAK] * over * (into - out)
    by_spool = stiff * p[_QN] * by_opening * by_s
    rate[_QN], rate[_BETA], rate[_VT] = stiff * flow, stiff * squeeze / p[_BETA], -g / p[_VT]
    rate[_A], rate[_CTC] = -stiff * speed - moved, -stiff * load
    rate[_DEAD] = stiff * p[_QN] * by_opening * by_dead
    rate[_TAU], rate[_DROOP] = -stiff * p[_A] * a, -stiff * p[_A] * b
    rate[_NULL] = by_spool
    rate[_LEAK] = stiff * p[_QN] * by_leak
    for j in range(_SPOOL):
        rate[_WV + j] = by_spool * spool[1 + j, i]
    return g, by_load
