"""The friction curve that is fitted, its derivatives, and a weighted sum of squares.

    f(s) = fc (l - e) + fs e + sigma s^dv,   l = 1, e = exp(-(s/vs)^delta),   s = |v|
    y    = f(s) + d offset                    y = d F, d = sgn v: friction folded onto positive speeds

All static laws are this curve with some of its words held: vs = 0 means e = 0, so no falling branch at all; dv = 1 is a
dashpot. The offset is what does not turn with the direction: weight, a pressure sensor's zero.

A law that is smooth through zero, with its peak fs at the speed vs, is the same with `smooth` held at 1 instead of 0:

    l = tanh(10 s/vs),   e = sqrt(2 e) x exp(-x^2),   x = s/(sqrt(2) vs)

A fit works on `data`, five rows of equal length (s, ln s, y, the root of the weight, d), on a vector of words `x`, and
on bounds for each; a word whose bounds are equal is held. Derivatives are taken by ln vs instead of vs.
"""

import math
from typing import Any

from hilctl.friction.breakaway import COULOMB_SHARE, NORM, STRIBECK_SHARE
from hilctl.rt.jit import jit

FC, FS, VS, SIGMA, DELTA, POWER, OFFSET, SMOOTH = range(8)
NAMES = ("fc", "fs", "vs", "sigma", "delta", "dv", "offset", "smooth")
WORDS = len(NAMES)
SPEED, LN_SPEED, FORCE, ROOT_WEIGHT, DIRECTION = range(5)
ROWS = 5


@jit(inline=True)
def falling(speed: float, ln_speed: float, vs: float, ln_vs: float, delta: float) -> float:
    """(s/vs)^delta; infinite where there is no falling branch."""
    if vs <= 0.0:
        return math.inf
    if delta == 2.0:
        ratio = speed / vs
        return ratio * ratio
    if delta == 1.0:
        return speed / vs
    return math.exp(delta * (ln_speed - ln_vs))


@jit(inline=True)
def parts(speed: float, ln_speed: float, x: Any, ln_vs: float) -> tuple[float, float]:
    """l and e."""
    if x[SMOOTH] == 0.0:
        return 1.0, math.exp(-falling(speed, ln_speed, x[VS], ln_vs, x[DELTA]))
    share = speed / (STRIBECK_SHARE * x[VS])
    return math.tanh(speed / (COULOMB_SHARE * x[VS])), NORM * share * math.exp(-share * share)


@jit(inline=True)
def slopes(speed: float, ln_speed: float, x: Any, ln_vs: float) -> tuple[float, float, float, float]:
    """The first and second derivatives of l by ln vs, and those of e."""
    if x[SMOOTH] == 0.0:
        q, delta = falling(speed, ln_speed, x[VS], ln_vs, x[DELTA]), x[DELTA]
        e = math.exp(-q)
        once = delta * q * e if e > 0.0 else 0.0
        return 0.0, 0.0, once, delta * (q - 1.0) * once if e > 0.0 else 0.0
    knee, share = speed / (COULOMB_SHARE * x[VS]), (speed / (STRIBECK_SHARE * x[VS])) ** 2
    level, peak = parts(speed, ln_speed, x, ln_vs)
    steep = knee * (1.0 - level * level)
    twice = 2.0 * share - 1.0
    return -steep, steep * (1.0 - 2.0 * knee * level), peak * twice, peak * (twice * twice - 4.0 * share)


@jit(inline=True)
def powered(speed: float, ln_speed: float, power: float) -> float:
    """s^dv."""
    return speed if power == 1.0 else math.exp(power * ln_speed)


@jit()
def squares(data: Any, x: Any) -> float:
    """The weighted sum of squares."""
    ln_vs, power = math.log(x[VS]) if x[VS] > 0.0 else 0.0, x[POWER]
    total = 0.0
    for i in range(data.shape[1]):
        level, e = parts(data[SPEED, i], data[LN_SPEED, i], x, ln_vs)
        force = x[FC] * level + (x[FS] - x[FC]) * e + x[SIGMA] * powered(data[SPEED, i], data[LN_SPEED, i], power)
        r = data[ROOT_WEIGHT, i] * (data[FORCE, i] - force - x[OFFSET] * data[DIRECTION, i])
        total += r * r
    return total


@jit()
def derivatives(data: Any, i: int, x: Any, ln_vs: float, row: Any) -> float:
    """Writes point i's derivatives of the curve into `row`; returns the residual. Neither is weighted."""
    speed, ln_speed = data[SPEED, i], data[LN_SPEED, i]
    fall = x[FS] - x[FC]
    level, e = parts(speed, ln_speed, x, ln_vs)
    level_1, _, e_1, _ = slopes(speed, ln_speed, x, ln_vs)
    p = powered(speed, ln_speed, x[POWER])
    row[FC] = level - e
    row[FS] = e
    row[VS] = x[FC] * level_1 + fall * e_1
    row[SIGMA] = p
    row[DELTA] = -fall * e_1 / x[DELTA] * (ln_speed - ln_vs) if x[SMOOTH] == 0.0 else 0.0
    row[POWER] = x[SIGMA] * p * ln_speed
    row[OFFSET] = data[DIRECTION, i]
    row[SMOOTH] = 0.0
    residual: float = data[FORCE, i] - x[FC] * level - fall * e - x[SIGMA] * p - x[OFFSET] * data[DIRECTION, i]
    return residual


@jit()
def normal(data: Any, x: Any, columns: Any, count: int, a: Any, g: Any, row: Any) -> float:
    """The sum of squares; into a its Gauss–Newton matrix (lower half), into g half its gradient, for these columns."""
    ln_vs = math.log(x[VS]) if x[VS] > 0.0 else 0.0
    for j in range(count):
        g[j] = 0.0
        for k in range(j + 1):
            a[j, k] = 0.0
    total = 0.0
    for i in range(data.shape[1]):
        w = data[ROOT_WEIGHT, i]
        r = w * derivatives(data, i, x, ln_vs, row)
        w2 = w * w
        for j in range(count):
            slope = row[columns[j]]
            g[j] -= w * slope * r
            for k in range(j + 1):
                a[j, k] += w2 * slope * row[columns[k]]
        total += r * r
    return total


@jit()
def bend(data: Any, x: Any, a: Any) -> None:
    """Adds to a, all words wide, what Gauss and Newton leave out of half the sum's Hessian (lower half): -w² r f''."""
    if x[VS] <= 0.0 and x[POWER] == 1.0:
        return
    ln_vs = math.log(x[VS]) if x[VS] > 0.0 else 0.0
    fall, delta = x[FS] - x[FC], x[DELTA]
    for i in range(data.shape[1]):
        speed, ln_speed = data[SPEED, i], data[LN_SPEED, i]
        level, e = parts(speed, ln_speed, x, ln_vs)
        level_1, level_2, e_1, e_2 = slopes(speed, ln_speed, x, ln_vs)
        p, u = powered(speed, ln_speed, x[POWER]), ln_speed - ln_vs
        force = x[FC] * level + fall * e + x[SIGMA] * p + x[OFFSET] * data[DIRECTION, i]
        w = data[ROOT_WEIGHT, i]
        wr = w * w * (data[FORCE, i] - force)
        a[VS, FC] -= wr * (level_1 - e_1)
        a[VS, FS] -= wr * e_1
        a[VS, VS] -= wr * (x[FC] * level_2 + fall * e_2)
        if e > 0.0 and x[SMOOTH] == 0.0:
            q = e_1 / (delta * e)
            a[DELTA, FC] -= wr * u * e_1 / delta
            a[DELTA, FS] += wr * u * e_1 / delta
            a[DELTA, VS] -= wr * fall * e_1 / delta * (1.0 + delta * u * (1.0 - q))
            a[DELTA, DELTA] -= wr * fall * u * u * e_1 / delta * (q - 1.0)
        a[POWER, SIGMA] -= wr * p * ln_speed
        a[POWER, POWER] -= wr * x[SIGMA] * p * ln_speed * ln_speed


@jit(lambda: "void(float64[:, ::1], float64[::1], float64[:, ::1], float64[::1])", cached=True)
def rows_of(data: Any, x: Any, rows: Any, residuals: Any) -> None:
    """Every point's residual, and its derivatives of the curve by every word (by ln vs); nothing is weighted."""
    ln_vs = math.log(x[VS]) if x[VS] > 0.0 else 0.0
    for i in range(data.shape[1]):
        residuals[i] = derivatives(data, i, x, ln_vs, rows[i])
