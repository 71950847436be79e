"""From one sample to the next, exactly: the matrix exponential, for inputs held or joined by straight lines.

With the inputs u joined by lines over a period h (first-order hold),

    exp([[a h, b h, 0], [0, 0, 1], [0, 0, 0]]) = [[phi, g1, g2], ...]     x[k+1] = phi x[k] + (g1 - g2) u[k] + g2 u[k+1]
    phi = sum (a h)^k / k!,   g1 = sum (a h)^k / (k+1)! b h,   g2 = sum (a h)^k / (k+2)! b h

and for u held (zero-order hold) g2 = 0. With w = x - g2 u this is one product a sample:

    w[k+1] = phi w[k] + gamma u[k],   x[k] = w[k] + direct u[k]           gamma = g1 - g2 + phi g2,   direct = g2

The hold is part of the model: a record whose input was a line between samples, and is simulated with steps, fits well
with wrong parameters.

The derivative by a parameter obeys the same equations with [[a, 0], [a', a]] for a and [b; b'] for b, so the same
series give it, exact as well. a' is brought to the size of a first: the sums err in proportion to the greater of them.

The series run over h halved until |a h| <= 1, which is then doubled back. scipy's expm would do, but for the threads of
its BLAS: on a machine with other work they were seen to make 10 ms of 20 µs.
"""

import math
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from hilctl.params import BadValues, Problem, nearest
from hilctl.servo.equations import INPUTS, STATES, Reals, matrices, scaled, scales, slopes
from hilctl.servo.params import Servo, checked

DT_MIN_S, DT_MAX_S = 1e-6, 1.0

_TERMS = 20  # 1/20! is 4e-19: below the last digit for |a h| <= 1


class Hold(IntEnum):
    """What the input does between two samples."""

    zero = 0  # it stands still, then jumps: a converter's output
    first = 1  # it goes straight: a sampled, smooth signal


class Discrete(NamedTuple):
    """One period of the servo, states in natural units, inputs in V and N."""

    phi: Reals  # (9, 9)
    gamma: Reals  # (9, 2)
    direct: Reals  # (9, 2)
    scale: Reals  # (9,) x in SI units = scale * x here


class Slopes(NamedTuple):
    """The derivatives of `Discrete` by each free parameter, at a fixed scale; the parameters come first."""

    phi: Reals
    gamma: Reals
    direct: Reals


def discretise(servo: Servo, dt_s: float, hold: Hold = Hold.first) -> Discrete:
    """The servo's exact step over `dt_s`. BadValues says what is refused."""
    servo, dt_s = checked(servo), check_period(dt_s)
    scale, inputs = scales(servo)
    phi, gamma, direct = _step(*scaled(*matrices(servo), servo), dt_s, hold)
    return Discrete(phi, gamma / inputs, direct / inputs, scale)


def derive(servo: Servo, free: Sequence[str], dt_s: float, hold: Hold = Hold.first) -> tuple[Discrete, Slopes]:
    """The step, and its derivative by each free parameter."""
    one = discretise(servo, dt_s, hold)
    check_free(free)
    inputs = scales(servo)[1]
    a, b = scaled(*matrices(servo), servo)
    da, db = scaled(*slopes(servo, free), servo)
    size = np.maximum(np.abs(da).max((1, 2)) / np.abs(a).max(), np.abs(db).max((1, 2)) / np.abs(b).max())
    size = np.exp2(np.ceil(np.log2(size)))[:, None, None]
    both_a, both_b = np.zeros((len(free), 2 * STATES, 2 * STATES)), np.zeros((len(free), 2 * STATES, INPUTS))
    both_a[:, :STATES, :STATES] = both_a[:, STATES:, STATES:] = a
    both_a[:, STATES:, :STATES] = da / size
    both_b[:, :STATES], both_b[:, STATES:] = b, db / size
    phi, gamma, direct = _step(both_a, both_b, dt_s, hold)
    own = slice(STATES, None)
    return one, Slopes(phi[:, own, :STATES] * size, gamma[:, own] / inputs * size, direct[:, own] / inputs * size)


def check_period(dt_s: float) -> float:
    """A sampling period that can be one."""
    if not DT_MIN_S <= dt_s <= DT_MAX_S:
        raise BadValues([Problem("dt_s", dt_s, f"must be {DT_MIN_S:g} to {DT_MAX_S:g} s")])
    return float(dt_s)


def check_free(free: Sequence[str]) -> None:
    """Names of parameters, each once."""
    known: tuple[str, ...] = Servo.__struct_fields__
    problems = [Problem("free", name, "no such parameter", nearest(name, known)) for name in free if name not in known]
    twice = sorted(name for name, times in Counter(free).items() if times > 1)
    problems += [Problem("free", name, "is named twice") for name in twice]
    if not free:
        problems.append(Problem("free", list(free), "must name at least one parameter"))
    if problems:
        raise BadValues(problems)


def _step(a: Any, b: Any, dt_s: float, hold: Hold) -> tuple[Reals, Reals, Reals]:
    """phi, gamma and direct of one system, or of a stack of them."""
    size = np.abs(a).sum(-2).max() * dt_s
    halvings = max(0, math.ceil(math.log2(size)))
    short = a * (dt_s / 2**halvings)
    power = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    phi, once, twice = power.copy(), power.copy(), power / 2
    for k in range(1, _TERMS):
        power = power @ short / k
        phi += power
        once += power / (k + 1)
        twice += power / ((k + 1) * (k + 2))
    g1 = once @ b * (dt_s / 2**halvings)
    g2 = twice @ b * (dt_s / 2**halvings)
    for _ in range(halvings):
        g2 = (phi @ g2 + g1 + g2) / 2  # over two steps the line rises half as fast
        g1 = phi @ g1 + g1
        phi = phi @ phi
    if hold == Hold.zero:
        return phi, g1, np.zeros_like(g1)
    return phi, g1 - g2 + phi @ g2, g2
