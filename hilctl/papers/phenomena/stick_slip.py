"""Stick-slip: a block pulled through a spring at a constant speed stops and leaps, stops and leaps; but not at speed.

The figure is the share of the time that it rests, once begun, at the slower speed; at the faster it must not rest at
all. The spring has a little damping, as every spring: without, a law with nothing to excite it would rest for an
instant in each swing that began at rest.
"""

import math
from typing import NamedTuple

import numpy as np

from hilctl.papers.phenomena.cell import Cell, Phenomenon, shown
from hilctl.papers.phenomena.stand import Line, Run, Stand

SPEED, FAST = 0.02, 0.5  # m/s at the spring's far end
ANGULAR_RATE = 200**0.5  # rad/s of the block on the spring: 1e5 N/m for 500 kg
DAMPING = 0.05
SECONDS = 6.0
LEAST_STICK = 10.0  # %
MOST_AT_SPEED = 1.0  # %
_RESTING = 0.1  # of the pull's speed, in the mean over
_MEAN_S = 0.03  # longer than a swing on bristles of the usual stiffness
_SAMPLE_S = 1e-3


class Pulled(NamedTuple):
    """A run, with the force of its spring."""

    run: Run
    spring: Line
    resting: float  # % of its second half
    swing: float  # of the spring's force, over its second half


def pulled(stand: Stand, speed: float = SPEED, seconds: float = SECONDS, stiffer: float = 1.0) -> Pulled:
    """From rest, the far end at a constant speed from the first instant."""
    k = stand.size.mass * ANGULAR_RATE**2 * stiffer
    c = 2 * DAMPING * math.sqrt(k * stand.size.mass)
    v = speed * stand.size.speed
    t = np.arange(round(seconds / _SAMPLE_S) + 1) * _SAMPLE_S
    run = stand.block(stiffness=k, damping=c).pull(k * v * t + c * v, _SAMPLE_S)
    half, over = run.x.size // 2, round(_MEAN_S / _SAMPLE_S)
    spring = k * (v * t - run.x)
    mean = (run.x[over:] - run.x[:-over]) / _MEAN_S
    return Pulled(run, spring, 100.0 * float(np.mean(np.abs(mean[half:]) < _RESTING * v)), float(np.ptp(spring[half:])))


def stick_slip(stand: Stand) -> Cell:
    """Slowly, then fast."""
    slow, fast = pulled(stand), pulled(stand, FAST)
    if slow.resting < LEAST_STICK:
        return Cell(False, slow.resting, "slides on, steadily")
    if fast.resting > MOST_AT_SPEED:
        return Cell(False, slow.resting, f"still rests {fast.resting:.2g} % of the time at {FAST:g} m/s")
    swing = f"the spring swings by {shown(slow.swing)} {stand.size.force_unit}"
    told = f"{swing}; at {FAST / SPEED:g} times the speed it slides on"
    return Cell(True, slow.resting, told)


PHENOMENA = (
    Phenomenon("stick-slip", "stick-slip", "of the time at rest, pulled slowly", "%", LEAST_STICK, None, stick_slip),
)
