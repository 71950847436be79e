"""A biased vibration that never reaches break-away: real friction holds it; some laws let it walk away.

The figure is the way gained in a cycle, once the first cycles have settled, as a share of the swing.
"""

import numpy as np

from hilctl.papers.phenomena.cell import NOTHING_HELD, Cell, Phenomenon, shown
from hilctl.papers.phenomena.stand import Run, Stand, path, sine

BIAS, SWING = 0.4, 0.3  # of break-away: 0.7 at most
FREQUENCY_HZ, RISING, CYCLES = 10.0, 5, 20  # the swing rises, then stays
MOST_DRIFT = 0.1  # % a cycle
_RISE_S, _SAMPLE_S = 0.5, 1e-3
CYCLE = round(1 / FREQUENCY_HZ / _SAMPLE_S)  # samples


def shaken(stand: Stand) -> Run:
    """The bias is put on gently, then the vibration; as gently, so that nothing else is set swinging."""
    bias = BIAS * stand.level
    rise = path(0.0, bias, seconds=_RISE_S, sample_s=_SAMPLE_S)
    swing = sine(0.0, SWING * stand.level, FREQUENCY_HZ, RISING + CYCLES, _SAMPLE_S)
    grown = path(0.0, 1.0, seconds=RISING / FREQUENCY_HZ, sample_s=_SAMPLE_S)
    swing[: grown.size] *= grown
    return stand.block().pull(np.concatenate([rise, bias + swing[1:]]), _SAMPLE_S)


def holds(stand: Stand) -> Cell:
    """How far it gets."""
    if stand.level == 0.0:
        return NOTHING_HELD
    x = shaken(stand).x
    last = x[-1 - CYCLE :]
    swing = float(np.ptp(last - np.linspace(0.0, last[-1] - last[0], last.size)))
    if swing == 0.0 and last[-1] == last[0]:
        return Cell(True, 0.0, "held rigidly")
    apart = CYCLES // 2
    way = float(np.mean(last) - np.mean(x[-1 - (apart + 1) * CYCLE :][: CYCLE + 1])) / apart
    drift = 100.0 * way / swing
    told = f"{shown(1e6 * way)} µ{stand.size.length_unit} a cycle"
    return Cell(abs(drift) <= MOST_DRIFT, drift, told if abs(drift) > MOST_DRIFT else "stays where the swing began")


PHENOMENA = (Phenomenon("vibration", "holds a vibration", "drift a cycle", "% of the swing", None, MOST_DRIFT, holds),)
