"""Small linear systems, and the best fc, fs, sigma and offset for a given shape of the curve, within their bounds.

For given vs, delta and dv the curve is linear in the rest, so the best of these is the solution of a small convex
quadratic problem: a box for fc, fs and sigma, fs >= fc, the offset free. Its solution is the one combination of bounds
met whose remaining words are feasible and whose gradient points outwards at every bound met; there are 27.
"""

import itertools
import math
from typing import Any

import numpy as np

from hilctl.identify.friction.model_curve import (
    DIRECTION,
    FC,
    FORCE,
    FS,
    LN_SPEED,
    OFFSET,
    POWER,
    ROOT_WEIGHT,
    SIGMA,
    SPEED,
    VS,
    parts,
    powered,
)
from hilctl.rt.jit import jit

FREE, AT_LOW, AT_HIGH = range(3)
LINEAR = 3  # fc, fs, sigma
# Which bounds are met, those with few first: the first that holds is the solution.
CASES = np.array(sorted(itertools.product((FREE, AT_LOW, AT_HIGH), repeat=LINEAR), key=lambda c: sum(map(bool, c))))
SINGULAR = 1e-13  # a pivot this much smaller than its column: the column adds nothing
SLACK = 1e-11  # of a bound, and of a gradient, that counts as met


@jit()
def cholesky_solve(a: Any, g: Any, count: int, factor: Any, out: Any) -> bool:
    """Solves a out = -g for the symmetric a given by its lower half; False where a is singular."""
    for j in range(count):
        pivot = a[j, j]
        for k in range(j):
            pivot -= factor[j, k] * factor[j, k]
        if not pivot > SINGULAR * a[j, j]:
            return False
        factor[j, j] = math.sqrt(pivot)
        for i in range(j + 1, count):
            value = a[i, j]
            for k in range(j):
                value -= factor[i, k] * factor[j, k]
            factor[i, j] = value / factor[j, j]
    for j in range(count):
        value = -g[j]
        for k in range(j):
            value -= factor[j, k] * out[k]
        out[j] = value / factor[j, j]
    for j in range(count - 1, -1, -1):
        value = out[j]
        for k in range(j + 1, count):
            value -= factor[k, j] * out[k]
        out[j] = value / factor[j, j]
    return True


@jit()
def in_box(h: Any, c: Any, low: Any, high: Any, w: Any, best: Any) -> float:
    """The least x h x - 2 c x in a box, its place in `best`; `w` is room for work (5 rows of 3)."""
    least = math.inf
    scale = abs(c[0]) + abs(c[1]) + abs(c[2])
    for case in range(CASES.shape[0]):
        count, x = 0, w[4]
        possible = True
        for j in range(LINEAR):
            met = CASES[case, j]
            if low[j] == high[j] and met != AT_LOW:
                possible = False
            x[j] = low[j] if met == AT_LOW else high[j]
            count += met == FREE
        if not possible:
            continue
        # The free ones solve their rows with the others held.
        row = 0
        for j in range(LINEAR):
            if CASES[case, j] != FREE:
                continue
            right, column = c[j], 0
            for k in range(LINEAR):
                if CASES[case, k] != FREE:
                    right -= h[j, k] * x[k]
                elif k <= j:
                    w[row, column] = h[j, k]
                    column += 1
            w[3, row] = -right
            row += 1
        if count and not _eliminate(w, count):
            continue
        row = 0
        for j in range(LINEAR):
            if CASES[case, j] == FREE:
                x[j] = w[3, row]
                row += 1
                room = SLACK * (abs(low[j]) + abs(high[j]))
                possible = possible and low[j] - room <= x[j] <= high[j] + room
        if not possible:
            continue
        value, outward = 0.0, True
        for j in range(LINEAR):
            x[j] = min(max(x[j], low[j]), high[j])
        for j in range(LINEAR):
            hx = h[j, 0] * x[0] + h[j, 1] * x[1] + h[j, 2] * x[2]
            value += x[j] * (hx - 2.0 * c[j])
            met = CASES[case, j]
            inward = c[j] - hx if met == AT_LOW else hx - c[j]
            if met != FREE and low[j] < high[j] and inward > SLACK * scale:
                outward = False
        if value < least:
            least = value
            best[0], best[1], best[2] = x[0], x[1], x[2]
        if outward:
            break
    return least


@jit()
def _eliminate(w: Any, count: int) -> bool:
    """Solves the system in the first rows of w (lower half), whose negative right side stands in w[3], in place."""
    for j in range(count):
        pivot = w[j, j]
        for k in range(j):
            pivot -= w[j, k] * w[j, k]
        if not pivot > SINGULAR * w[j, j]:
            return False
        w[j, j] = math.sqrt(pivot)
        for i in range(j + 1, count):
            value = w[i, j]
            for k in range(j):
                value -= w[i, k] * w[j, k]
            w[i, j] = value / w[j, j]
    for j in range(count):
        value = -w[3, j]
        for k in range(j):
            value -= w[j, k] * w[3, k]
        w[3, j] = value / w[j, j]
    for j in range(count - 1, -1, -1):
        value = w[3, j]
        for k in range(j + 1, count):
            value -= w[k, j] * w[3, k]
        w[3, j] = value / w[j, j]
    return True


@jit()
def best_linear(data: Any, x: Any, low: Any, high: Any, work: Any) -> float:
    """Fills in the best fc, fs, sigma and offset for the vs, delta and dv of x; returns the sum of squares.

    `work` is room of 12 rows of 3. The sum comes from moments: exact to some 1e-15 of the sum of the forces' squares.
    """
    h, c, box_low, box_high, w, best = work[0:3], work[3], work[4], work[5], work[6:11], work[11]
    vs, power = x[VS], x[POWER]
    ln_vs = math.log(vs) if vs > 0.0 else 0.0
    aa = ae = ap = ee = ep = pp = ay = ey = py = yy = 0.0
    ad = ed = pd = yd = dd = 0.0
    for i in range(data.shape[1]):
        root = data[ROOT_WEIGHT, i]
        level, e = parts(data[SPEED, i], data[LN_SPEED, i], x, ln_vs)
        p = root * powered(data[SPEED, i], data[LN_SPEED, i], power)
        y, d = root * data[FORCE, i], root * data[DIRECTION, i]
        a = root * (level - e)
        e *= root
        aa += a * a
        ae += a * e
        ap += a * p
        ee += e * e
        ep += e * p
        pp += p * p
        ay += a * y
        ey += e * y
        py += p * y
        yy += y * y
        ad += a * d
        ed += e * d
        pd += p * d
        yd += y * d
        dd += d * d
    free_offset = high[OFFSET] > low[OFFSET]
    if free_offset:  # what the offset explains is taken out of everything
        aa -= ad * ad / dd
        ae -= ad * ed / dd
        ap -= ad * pd / dd
        ee -= ed * ed / dd
        ep -= ed * pd / dd
        pp -= pd * pd / dd
        ay -= ad * yd / dd
        ey -= ed * yd / dd
        py -= pd * yd / dd
        yy -= yd * yd / dd
    else:
        held = low[OFFSET]
        ay -= held * ad
        ey -= held * ed
        py -= held * pd
        yy += held * (held * dd - 2.0 * yd)
    h[0, 0], h[1, 1], h[2, 2] = aa, ee, pp
    h[0, 1] = h[1, 0] = ae
    h[0, 2] = h[2, 0] = ap
    h[1, 2] = h[2, 1] = ep
    c[0], c[1], c[2] = ay, ey, py
    box_low[0], box_low[1], box_low[2] = low[FC], low[FS], low[SIGMA]
    box_high[0], box_high[1], box_high[2] = high[FC], high[FS], high[SIGMA]
    least = in_box(h, c, box_low, box_high, w, best)
    if vs > 0.0 and best[1] < best[0]:  # then the solution has fs = fc: one level
        h[0, 0], h[0, 1], h[0, 2] = aa + 2.0 * ae + ee, 0.0, ap + ep
        h[1, 0] = h[1, 1] = h[1, 2] = h[2, 1] = 0.0
        h[2, 0] = ap + ep
        c[0], c[1] = ay + ey, 0.0
        box_low[0], box_low[1] = max(low[FC], low[FS]), 0.0
        box_high[0], box_high[1] = min(high[FC], high[FS]), 0.0
        least = in_box(h, c, box_low, box_high, w, best)
        best[1] = best[0]
    x[FC], x[FS], x[SIGMA] = best[0], best[1], best[2]
    x[OFFSET] = (yd - ad * best[0] - ed * best[1] - pd * best[2]) / dd if free_offset else low[OFFSET]
    return least + yy
