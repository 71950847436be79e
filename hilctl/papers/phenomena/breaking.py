"""What breaks the block away: by how fast the push grows, and by how long it has rested before.

The break-away force is the greatest friction on the way, without its viscous part. For the rates the block starts from
rest and no past. For the dwell it is led, stopped, let go, left to itself for a while, and then pulled at one rate.
"""

import numpy as np

from hilctl.papers.phenomena.cell import NOTHING_HELD, Cell, Phenomenon
from hilctl.papers.phenomena.stand import Line, Stand, path

RATES = (0.3, 3.0, 30.0, 300.0)  # break-away forces a second
_ON = 1.2  # of break-away, where the push ends; it stays there
_SLIDING_S = 0.1
LEAST_CHANGE = 2.0  # %

DWELLS_S = (0.1, 1.0, 10.0)
_SPEED, _LED_S, _STOP_S, _LET_GO_S = 0.01, 0.3, 0.05, 0.1  # m/s
_SAMPLE_S = 1e-3
_DWELL_RATE = 10.0  # break-away forces a second
_FAR = 3.0  # of break-away: what has not gone by then never will


def by_rate(stand: Stand) -> Line:
    """The break-away force at each rate."""
    forces = []
    for rate in RATES:
        ramp_s = _ON / rate
        step_s = min(1e-4, ramp_s / 400)
        n = round(ramp_s / step_s)
        pull = stand.level * np.minimum(rate * step_s * np.arange(n + round(_SLIDING_S / step_s)), _FAR)
        pull = np.minimum(pull, stand.level * max(_ON, min(_FAR, rate * _SLIDING_S)))
        block = stand.block()
        block.pull(pull, step_s)
        forces.append(block.peak)
    return np.array(forces)


def rate(stand: Stand) -> Cell:
    """How much less it takes at the fastest than at the slowest."""
    if stand.level == 0.0:
        return NOTHING_HELD
    forces = by_rate(stand)
    change = float(100.0 * (forces[0] - forces[-1]) / forces[0])
    if abs(change) < LEAST_CHANGE:
        return Cell(False, change, f"{forces[0]:.4g} {stand.size.force_unit} at any rate")
    rates = f"where the push grows by {RATES[0]:g} and {RATES[-1]:g} times as much a second"
    told = f"{forces[0]:.4g} and {forces[-1]:.4g} {stand.size.force_unit} {rates}"
    return Cell(change >= LEAST_CHANGE, change, told)


def by_dwell(stand: Stand) -> Line:
    """The break-away force after each rest."""
    forces = []
    v = _SPEED * stand.size.speed
    led = np.concatenate([np.full(round(_LED_S / _SAMPLE_S), v), path(v, 0.0, seconds=_STOP_S, sample_s=_SAMPLE_S)])
    for dwell_s in DWELLS_S:
        block = stand.block()
        felt = float(block.lead(led, _SAMPLE_S).friction[-1])
        block.pull(path(felt, 0.0, seconds=_LET_GO_S, sample_s=_SAMPLE_S), _SAMPLE_S)
        block.pull(np.zeros(round((dwell_s - _LET_GO_S) / _SAMPLE_S) + 1), _SAMPLE_S)
        block.forget_peak()
        seconds = _FAR / _DWELL_RATE
        block.pull(stand.level * np.linspace(0.0, _FAR, round(seconds / _SAMPLE_S) + 1), _SAMPLE_S)
        forces.append(block.peak)
    return np.array(forces)


def dwell(stand: Stand) -> Cell:
    """How much more it takes after the longest rest than after the shortest."""
    if stand.level == 0.0:
        return NOTHING_HELD
    forces = by_dwell(stand)
    change = float(100.0 * (forces[-1] - forces[0]) / forces[0])
    if change < LEAST_CHANGE:
        return Cell(False, change, f"{forces[-1]:.4g} {stand.size.force_unit} after any rest")
    told = f"{forces[0]:.4g} and {forces[-1]:.4g} {stand.size.force_unit} after {DWELLS_S[0]:g} and {DWELLS_S[-1]:g} s"
    return Cell(True, change, told)


PHENOMENA = (
    Phenomenon(
        "rate", "break-away by rate", "less at the fastest than at the slowest pull", "%", LEAST_CHANGE, None, rate
    ),
    Phenomenon(
        "dwell", "break-away by rest", "more after the longest than the shortest rest", "%", LEAST_CHANGE, None, dwell
    ),
)
