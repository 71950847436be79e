"""What friction is to a linear design: a slope over the speed, and a spring where the table does not slide on.

    sliding       the viscous slope
    falling       the steepest fall of the curve
    pre-sliding   at rest, nothing bent: dF/dx and dF/dv of the law's own step, which is what small motions feel
    giving way    there and back over the law's reach: the first harmonic of its force, at the frequency of the mode.
                  The spring has given way in part, and its hysteresis damps

A law that holds the table rigidly says nothing of its pre-sliding, which every real table has: two springs are taken
that break away after BREAKS_M, and nothing damps them but the viscous slope. A law that holds nothing, and has no
spring, is its slope at rest.
"""

import math
from typing import NamedTuple

import numpy as np

from hilctl.friction import MODELS, Friction
from hilctl.law.smoothing import rt_turn
from hilctl.machine import Machine, velocity_gain

BREAKS_M = {"soft": 3.1e-4, "stiff": 3.1e-5}  # the way to break-away where the law tells none: seals do
SLIDING = ""
_STEPS, _PERIODS = 400, 3  # of a sine, the last of which is looked at


class Rubbing(NamedTuple):
    """Friction of one kind of motion, linear."""

    where: str  # in words; empty: it slides
    slope: float  # N·s/m
    spring: float  # N/m


class AtRest(NamedTuple):
    """Friction around rest."""

    held_n: tuple[float, float]  # the least and the greatest of both directions; 0: nothing is held
    spring: float
    slope: float


def at_rest(friction: Friction) -> AtRest:
    """What a table feels that stands, with nothing bent; spring and slope mean nothing where it is held."""
    hold, p = MODELS[friction.model].hold, friction.packed()
    both = (0.0, 0.0) if hold is None else sorted(float(hold(p, way)) for way in (-1.0, 1.0))
    return AtRest((both[0], both[1]), friction.params.spring, friction.params.damping)


def cases(machine: Machine, friction: Friction) -> list[Rubbing]:
    """What friction makes of one machine."""
    speeds = np.geomspace(1e-4, velocity_gain(machine), 400)
    slopes = np.diff(friction.curve(speeds)) / np.diff(speeds)
    viscous = friction.params.viscous
    made = [Rubbing(SLIDING, viscous, 0.0), Rubbing("friction falling", float(slopes.min()), 0.0)]
    rest = at_rest(friction)
    if rest.held_n[1] > 0.0:
        least, most = rest.held_n[0] or rest.held_n[1], rest.held_n[1]
        return [*made, Rubbing("in soft pre-sliding", viscous, least / BREAKS_M["soft"]),
                Rubbing("in stiff pre-sliding", viscous, most / BREAKS_M["stiff"])]  # fmt: skip
    if rest.spring > 0.0:
        w = math.sqrt((4 * machine.beta * machine.A**2 / machine.Vt + rest.spring) / machine.m)
        spring, slope = harmonic(friction, friction.params.reach, w)
        return [*made, Rubbing("in pre-sliding", rest.slope, rest.spring),
                Rubbing("in pre-sliding that gives way", slope, spring)]  # fmt: skip
    return [*made, Rubbing("at rest", rest.slope, 0.0)] if math.isfinite(rest.slope) else made


def harmonic(friction: Friction, amplitude_m: float, w: float) -> tuple[float, float]:
    """Spring and slope of the first harmonic of a law's force, over x = amplitude sin(w t) from rest."""
    step_s = 2 * math.pi / w / _STEPS
    way_m = amplitude_m * np.sin(2 * math.pi * np.arange(_PERIODS * _STEPS + 1) / _STEPS)
    speeds, force_n = np.diff(way_m, prepend=0.0) / step_s, np.zeros(len(way_m))
    rt_turn(friction.code, friction.packed(), speeds, step_s, force_n)
    x, v = way_m[-_STEPS:], speeds[-_STEPS:]  # a held speed is that of the step's middle, the force that of its end
    spring, slope = np.linalg.lstsq(np.stack([x, v], axis=1), force_n[-_STEPS:], rcond=None)[0]
    return float(spring), float(slope)
