"""What both fits share: residuals over several cycles, their weights, and intervals.

The position, too, has noise: sx of it is S sx of force where the law has the stiffness S. So a residual's variance is

    sF² + (S sx)²

with S from the first fit of LuGre, for all laws alike, so that their sums of squares can be compared. A constant force
is free in each cycle: pressure sensors have biases, and a small cycle may leave a law where it happened to begin. So
is one multiple of the acceleration in all: the moving mass is known to some percent only.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from hilctl.identify.presliding.estimate_cycles import Reals
from hilctl.identify.presliding.estimate_loop import Loop

Model = Callable[[Loop], Reals]  # the force along a cycle

NORMAL = 1.96  # standard errors: 95 %
WIDEST = 5.0  # half an interval of a logarithm: beyond it nothing is known
TIMING_S = 5e-5  # how well the sensors' delays are known against each other
BLOCKS = 8  # into which the cycles are cut to see how the result scatters
MOST_APART = 4.0  # ratio of the negative to the positive side, either way


class Data(NamedTuple):
    """Cycles with the standard deviation of each point."""

    loops: tuple[Loop, ...]
    std_n: tuple[Reals, ...]

    @property
    def size(self) -> int:
        """Points in all."""
        return sum(len(loop.force_n) for loop in self.loops)


def apart(mean: float, ratio: float) -> tuple[float, float]:
    """The positive and the negative side, from their geometric mean and their ratio."""
    return mean / math.sqrt(ratio), mean * math.sqrt(ratio)


def weighed(loops: Sequence[Loop], stiffness: Model) -> Data:
    """With the noise of force and position."""
    std = tuple(np.hypot(loop.noise_n, stiffness(loop) * loop.noise_m) for loop in loops)
    return Data(tuple(loops), std)


def scaled_residuals(data: Data, model: Model) -> Reals:
    """Of all cycles, in standard deviations, constant forces and a multiple of the acceleration taken off."""
    out, inertia = [], []
    for loop, std in zip(data.loops, data.std_n, strict=True):
        off = loop.force_n - model(loop)
        weight = 1 / std**2
        out.append((off - float(weight @ off) / float(weight.sum())) / std)
        inertia.append((loop.a_m_s2 - float(weight @ loop.a_m_s2) / float(weight.sum())) / std)
    r, a = np.concatenate(out), np.concatenate(inertia)
    return np.asarray(r - float(a @ r) / float(a @ a) * a)


def spread(data: Data, jacobian: Reals, model: Model, blocks: Sequence[Sequence[Loop]], rows: Reals | None = None
           ) -> Reals:
    """Half of the 95 % intervals of a fit's parameters, or of what `rows` make of them; each block holds all swings."""
    alone = [scaled_residuals(Data(tuple(loops), data.std_n), model) for loops in blocks]
    return np.minimum(half_widths(jacobian, scaled_residuals(data, model), alone, rows), WIDEST)


def around(value: float, half: float) -> tuple[float, float, float]:
    """Value, low, high, from half the interval of its logarithm."""
    return value, value * math.exp(-half), value * math.exp(half)


def half_widths(jacobian: Reals, residual: Reals, blocks: Sequence[Reals], rows: Reals | None = None) -> Reals:
    """Of the 95 % intervals of the parameters, or of what `rows` make of them.

    From the residuals of the fit, and of blocks of cycles by themselves. Twice: from the Jacobian, inflated where more
    than noise is left; and from where each block alone would take the parameters by one Gauss–Newton step. The latter
    knows that position noise is slow, so that many points share it. The larger counts.
    """
    inverse = np.linalg.pinv(jacobian)
    if rows is not None:
        inverse = rows @ inverse
    dof = max(len(residual) - jacobian.shape[1], 1)
    linear = np.sqrt(np.sum(inverse**2, axis=1) * max(float(residual @ residual) / dof, 1.0))
    steps = np.array([inverse @ block for block in blocks])
    scatter = np.std(steps, axis=0, ddof=1) / np.sqrt(len(steps))
    return np.asarray(np.maximum(NORMAL * linear, student.ppf(0.975, len(steps) - 1) * scatter))
