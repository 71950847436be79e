"""Newton's steps within bounds: from a good start to the nearest least sum of squares, to the last digits.

    (H + lambda diag(J^T J)) d = -J^T r,        H = J^T J - sum w² r f'', or J^T J alone where that is not positive

With J^T J alone (Gauss and Newton) the last digits come slowly, or never, where the points are far from any curve.
A word at a bound that the gradient pushes against is held for the step. Marquardt's diagonal makes the steps
independent of the words' units. Ends when the step promises less than 1e-15 of the sum.
"""

import math
from typing import Any

import numpy as np

from hilctl.identify.friction.fit_solve import cholesky_solve
from hilctl.identify.friction.model_curve import FC, FS, VS, WORDS, bend, normal, squares
from hilctl.rt.jit import jit

STEPS = 200
PROMISE = 1e-15
EXACT = 1e-30  # of the mean square of the forces: what rounding leaves of a perfect fit
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-4, 1e-14, 1e12
LONGEST = 3.0  # step in ln vs


@jit()
def free_columns(low: Any, high: Any, columns: Any) -> int:
    """Which words may move; how many."""
    count = 0
    for j in range(WORDS):
        if high[j] > low[j]:
            columns[count] = j
            count += 1
    return count


@jit()
def stepped(x: Any, low: Any, high: Any, columns: Any, count: int, step: Any, out: Any) -> None:
    """x after a step, within its bounds."""
    for j in range(WORDS):
        out[j] = x[j]
    for c in range(count):
        j = columns[c]
        value = x[j] * math.exp(min(max(step[c], -LONGEST), LONGEST)) if j == VS else x[j] + step[c]
        out[j] = min(max(value, low[j]), high[j])
    if x[VS] > 0.0 and out[FS] < out[FC]:
        level = min(max(0.5 * (out[FS] + out[FC]), low[FS], low[FC]), high[FS], high[FC])
        if high[FC] > low[FC]:
            out[FC] = level if high[FS] > low[FS] else out[FS]
        if high[FS] > low[FS]:
            out[FS] = level if high[FC] > low[FC] else out[FC]


@jit()
def polish(data: Any, low: Any, high: Any, x: Any) -> float:
    """Improves x in place; returns the sum of squares."""
    a, factor, damped = np.empty((WORDS, WORDS)), np.empty((WORDS, WORDS)), np.empty((WORDS, WORDS))
    bent = np.empty((WORDS, WORDS))
    g, right, part = np.empty(WORDS), np.empty(WORDS), np.empty(WORDS)
    step, new, row = np.empty(WORDS), np.empty(WORDS), np.empty(WORDS)
    columns, moving = np.empty(WORDS, np.int64), np.empty(WORDS, np.int64)
    count = free_columns(low, high, columns)
    total = normal(data, x, columns, count, a, g, row)
    damping = FIRST_DAMPING
    for _ in range(STEPS):
        moves = 0
        for c in range(count):
            j = columns[c]
            step[c] = 0.0
            held = (x[j] <= low[j] and g[c] > 0.0) or (x[j] >= high[j] and g[c] < 0.0)
            if not held and a[c, c] > 0.0:
                moving[moves] = c
                moves += 1
        if moves == 0:
            break
        bent[:] = 0.0
        bend(data, x, bent)
        for m in range(moves):
            right[m] = g[moving[m]]
            for k in range(m + 1):
                damped[m, k] = a[moving[m], moving[k]] + bent[columns[moving[m]], columns[moving[k]]]
            damped[m, m] += damping * a[moving[m], moving[m]]
        if not cholesky_solve(damped, right, moves, factor, part):
            for m in range(moves):
                for k in range(m + 1):
                    damped[m, k] = a[moving[m], moving[k]]
                damped[m, m] *= 1.0 + damping
            if not cholesky_solve(damped, right, moves, factor, part):
                break
        promised = 0.0
        for m in range(moves):
            step[moving[m]] = part[m]
            promised -= part[m] * right[m]
        stepped(x, low, high, columns, count, step, new)
        moved = squares(data, new)
        if moved <= total:
            x[:] = new
            total = normal(data, x, columns, count, a, g, row)
            damping = max(0.1 * damping, LEAST_DAMPING)
            if promised <= PROMISE * total or total <= EXACT:
                break
        elif promised <= PROMISE * total:
            break
        else:
            damping *= 10.0
            if damping > MOST_DAMPING:
                break
    return total
