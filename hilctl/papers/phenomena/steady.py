"""Steady sliding: does friction fall while the speed rises?  And at rest: does a push below break-away hold?

Each speed is kept until the law has settled, over many times the path that its bristles bend, from slow to fast.
Nothing is read off the formula of the curve.
"""

from typing import NamedTuple

import numpy as np

from hilctl.papers.phenomena.cell import Cell, Phenomenon, shown
from hilctl.papers.phenomena.stand import Line, Run, Stand, path

SLOWEST, FASTEST, SPEEDS = 1e-3, 0.8, 30  # of the paper's measurement
_SETTLING_S = 0.2  # forty times the longest memory among the typical laws
_SETTLING_PATHS = 50.0  # of level/spring: exp(-50) is nothing
_STEPS = 400

LEAST_FALL = 5.0  # %: more than any measurement of friction scatters
MOST_CREEP = 1.0  # µm/s, or its like: a third of the displacement sensor's step in a second

PUSH, RISE_S, HOLD_S = 0.5, 1.0, 2.0
_SAMPLE_S = 2e-3


class Curve(NamedTuple):
    """Friction measured in steady sliding."""

    speeds: Line
    friction: Line


def measured_curve(stand: Stand, slowest: float = SLOWEST, fastest: float = FASTEST, count: int = SPEEDS) -> Curve:
    """Led at one speed after the other."""
    speeds = stand.size.speed * np.geomspace(slowest, fastest, count)
    spring, block, felt = stand.friction.params.spring, stand.block(), []
    for v in speeds:
        seconds = max(_SETTLING_S, _SETTLING_PATHS * stand.level / spring / v if spring else 0.0)
        felt.append(block.lead(np.full(2, v), seconds, seconds / _STEPS).friction[-1])
    return Curve(speeds, np.array(felt))


def falls(stand: Stand) -> Cell:
    """The greatest drop from one speed to a faster one."""
    curve = measured_curve(stand)
    still_greatest = np.maximum.accumulate(curve.friction)
    drop = still_greatest - curve.friction
    at = int(np.argmax(drop))
    share = float(100.0 * drop[at] / np.max(still_greatest))
    if share < LEAST_FALL:
        return Cell(False, share, "sliding friction nowhere falls with the speed")
    top = int(np.argmax(curve.friction[: at + 1]))
    unit = "rad/s" if stand.size.length_unit == "rad" else "m/s"
    fall = f"from {curve.friction[top]:.4g} to {curve.friction[at]:.4g} {stand.size.force_unit}"
    return Cell(True, share, f"falls {fall} between {curve.speeds[top]:.2g} and {curve.speeds[at]:.2g} {unit}")


def under_half(stand: Stand) -> Run:
    """Half of what breaks it away, put on gently and kept on."""
    push = PUSH * stand.level if stand.level else float(abs(stand.friction.steady(0.01 * stand.size.speed)))
    held = np.full(round(HOLD_S / _SAMPLE_S), push)
    return stand.block().pull(np.concatenate([path(0.0, push, seconds=RISE_S, sample_s=_SAMPLE_S), held]), _SAMPLE_S)


def rests(stand: Stand) -> Cell:
    """How fast it still moves in the last second under the push."""
    run = under_half(stand)
    creep = float(1e6 * abs(run.x[-1] - run.x[-1 - round(1.0 / _SAMPLE_S)]) / stand.size.speed)
    if creep > MOST_CREEP:
        return Cell(False, creep, "moves for ever under any push, however small")
    moved = 1e6 * float(run.x[-1])
    told = f"comes to rest, {shown(moved)} µ{stand.size.length_unit} on" if moved else "does not move"
    return Cell(True, creep, told)


PHENOMENA = (
    Phenomenon("stribeck", "falling branch", "greatest fall of sliding friction", "%", LEAST_FALL, None, falls),
    Phenomenon("rest", "rest under a push", "creep under half of break-away", "µm/s", None, MOST_CREEP, rests),
)
