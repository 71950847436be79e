"""Frictional lag: while the speed swings and never turns, friction comes after the steady curve.

Over the speed it then makes a loop, above the curve while speeding up and below while slowing down, wider the faster
it is gone round. The figure is the loop's area as a share of the break-away force times the range of the speeds; a loop
the other way round is negative.
"""

from hilctl.papers.phenomena.cell import Cell, Phenomenon
from hilctl.papers.phenomena.stand import Run, Stand, loop_area, sine

SLOW, FAST = 1e-3, 20e-3  # m/s: where bristles of the usual damping lag; see docs/friction-laws.md
FREQUENCIES_HZ = (4.0, 16.0)
LEAST_LAG = 0.1  # %, at the higher frequency
LEAST_GROWTH = 1.5
_SAMPLES = 1000


def swung(stand: Stand, frequency_hz: float, slow: float = SLOW, fast: float = FAST) -> Run:
    """The third cycle of a speed between two speeds."""
    slow, fast = slow * stand.size.speed, fast * stand.size.speed
    sample_s = 1 / frequency_hz / _SAMPLES
    run = stand.block().lead(sine((slow + fast) / 2, (fast - slow) / 2, frequency_hz, 3, sample_s), sample_s)
    return Run(*(line[-_SAMPLES - 1 :] for line in run))


def width(stand: Stand, run: Run) -> float:
    """Of the loop, in %."""
    scale = (stand.level or float(run.friction.max())) * float(run.v.max() - run.v.min())
    return 100.0 * loop_area(run.friction, run.v) / scale


def lag(stand: Stand) -> Cell:
    """The loop at two frequencies."""
    slower, faster = (width(stand, swung(stand, f)) for f in FREQUENCIES_HZ)
    if abs(faster) < 1e-6:
        return Cell(False, 0.0, "follows the speed at once")
    shows = faster >= LEAST_LAG and faster >= LEAST_GROWTH * slower
    grows = f"{slower:.2g} % at {FREQUENCIES_HZ[0]:g} Hz, {faster:.2g} % at {FREQUENCIES_HZ[1]:g} Hz"
    return Cell(shows, faster, grows)


PHENOMENA = (Phenomenon("lag", "frictional lag", "the loop's width", "%", LEAST_LAG, None, lag),)
