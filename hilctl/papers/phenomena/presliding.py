"""Before sliding: a spring, its hysteresis, and whether that remembers more than the last reversal.

All by force, far below break-away and slowly, so that inertia plays no part:

    spring       pushed and let go: what share of the displacement comes back
    hysteresis   pushed to and fro: the energy lost in a cycle, as a share of the rectangle around the loop; where that
                 is the width of a creep, it grows with the period, and is none
    memory       an inner loop on the way up: it has to close, and then be forgotten, as though it had not been. What
                 does not close is a share of the inner loop's stroke
"""

from typing import NamedTuple

import numpy as np

from hilctl.papers.phenomena.cell import NOTHING_HELD, Cell, Phenomenon, shown
from hilctl.papers.phenomena.stand import Run, Stand, loop_area, path, sine

SPRING_PUSH = 0.3  # of break-away
LEAST_BACK = 50.0  # %

SWING, PERIODS_S, CYCLES = 0.7, (0.4, 1.2), 4
LEAST_LOSS = 2.0  # %
WIDEST = 1.3  # the stroke at the longer period over that at the shorter; a creep has 3

OUTER, INNER, TOP = 0.6, 0.2, 0.8  # of break-away: up to OUTER, back to INNER, OUTER again, on to TOP
MOST_OPEN = 2.0  # %

_SAMPLE_S = 1e-3
_LEG_S = 0.4


def pushed_and_let_go(stand: Stand) -> Run:
    """Up, a pause, down, a pause."""
    push = SPRING_PUSH * stand.level
    return stand.block().pull(path(0.0, push, push, 0.0, 0.0, seconds=_LEG_S, sample_s=_SAMPLE_S), _SAMPLE_S)


def spring(stand: Stand) -> Cell:
    """How much comes back."""
    if stand.level == 0.0:
        return NOTHING_HELD
    run = pushed_and_let_go(stand)
    leg = (run.x.size - 1) // 4
    far, left = float(run.x[2 * leg]), float(run.x[-1])
    if far == 0.0:
        return Cell(False, 0.0, "held rigidly: no displacement before break-away")
    back = 100.0 * (far - left) / far
    moved = f"{shown(1e6 * far)} µ{stand.size.length_unit} under {100 * SPRING_PUSH:.0f} % of break-away"
    return Cell(back >= LEAST_BACK, back, moved if back >= LEAST_BACK else f"creeps {moved}, and does not come back")


def swung(stand: Stand, period_s: float, amplitude: float = SWING) -> Run:
    """To and fro; the last cycle."""
    sample_s = period_s / 400
    pull = sine(0.0, amplitude * stand.level, 1 / period_s, CYCLES, sample_s)
    run = stand.block().pull(pull, sample_s)
    return Run(*(line[-401:] for line in run))


def hysteresis(stand: Stand) -> Cell:
    """The loop's share of its rectangle, if it does not depend on how slowly it is gone round."""
    if stand.level == 0.0:
        return NOTHING_HELD
    fast, slow = (swung(stand, period) for period in PERIODS_S)
    strokes = [float(np.ptp(run.x)) for run in (fast, slow)]
    if strokes[1] == 0.0:
        return Cell(False, 0.0, "held rigidly: no displacement, no loop")
    loss = 100.0 * loop_area(slow.q, slow.x) / (strokes[1] * float(np.ptp(slow.q)))
    if not 1 / WIDEST < strokes[1] / strokes[0] < WIDEST:
        times, longer = strokes[1] / strokes[0], PERIODS_S[1] / PERIODS_S[0]
        return Cell(False, None, f"a creep: {times:.2g} times as wide in a period {longer:.2g} times as long")
    if loss < LEAST_LOSS:
        return Cell(False, loss, "a spring without loss while it sticks")
    return Cell(True, loss, f"{shown(1e6 * strokes[1])} µ{stand.size.length_unit} to and fro, whatever the period")


class Nested(NamedTuple):
    """The way up with an inner loop, and the same without."""

    looped: Run
    straight: Run
    first: int  # sample at which OUTER is reached, and again
    inner: int
    again: int


def nested(stand: Stand) -> Nested:
    """Both ways up, equally long."""
    corners = [level * stand.level for level in (0.0, OUTER, INNER, OUTER, TOP)]
    plain = [level * stand.level for level in (0.0, OUTER, OUTER, OUTER, TOP)]
    runs = [stand.block().pull(path(*way, seconds=_LEG_S, sample_s=_SAMPLE_S), _SAMPLE_S) for way in (corners, plain)]
    leg = (runs[0].x.size - 1) // 4
    return Nested(runs[0], runs[1], leg, 2 * leg, 3 * leg)


def memory(stand: Stand) -> Cell:
    """What the inner loop leaves open, there and at the top."""
    if stand.level == 0.0:
        return NOTHING_HELD
    both, springs, loses = nested(stand), spring(stand), hysteresis(stand)
    x = both.looped.x
    stroke = float(x[both.first] - x[both.inner])
    if not springs.shows:
        return Cell(False, None, springs.why)
    there = float(x[both.again] - x[both.first])
    above = float(x[-1] - both.straight.x[-1])
    gap = 100.0 * max(abs(there), abs(above)) / stroke
    if not loses.shows:
        return Cell(False, gap, "no loop to remember")
    if gap > MOST_OPEN:
        return Cell(False, gap, f"the inner loop stays open by {shown(1e6 * there)} µ{stand.size.length_unit}")
    return Cell(True, gap, "the inner loop closes, and is then forgotten")


PHENOMENA = (
    Phenomenon("spring", "spring before sliding", "displacement that comes back", "%", LEAST_BACK, None, spring),
    Phenomenon("hysteresis", "hysteresis before sliding", "loss in a cycle", "%", LEAST_LOSS, None, hysteresis),
    Phenomenon("memory", "non-local memory", "what an inner loop leaves open", "%", None, MOST_OPEN, memory),
)
