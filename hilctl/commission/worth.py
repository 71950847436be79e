"""The figures of a tracked motion, from its samples alone.

rms        of the tracking error over the whole motion
flatness   standard deviation of the speed over the second half of a straight, in % of the speed; the median straight
THD        of the measured acceleration (hilctl.results.distortion), over whole cycles at full amplitude

The loop's own estimate of the speed is made for control, early and noisy: 12 % at 1 mm/s on the reference rig. From
the whole record it is known better (hilctl.experiment.crossover).
"""

import numpy as np
import numpy.typing as npt

from hilctl.commission.tracking import Run
from hilctl.experiment.crossover import speed
from hilctl.experiment.record import fresh
from hilctl.experiment.straights import straights as straights_of
from hilctl.results.distortion import LEAST_CYCLES, NoMotion, distortion_of
from hilctl.results.proof import Worth

Reals = npt.NDArray[np.float64]

_SHORTEST = 20  # samples, for a standard deviation


def worth(run: Run) -> Worth:
    """The figures of a run."""
    if run.why != "done":
        return Worth(None, outcome=run.why)
    rms_um = 1e6 * float(np.sqrt(np.mean(run.samples["error_m"][fresh(run.samples)] ** 2)))  # at ticks that ran
    if run.task.kind == "triangle":
        return Worth(rms_um, flatness_percent=flatness(run))
    return Worth(rms_um, thd_percent=thd(run))


def straights(run: Run) -> list[slice]:
    """Where the reference goes at its speed."""
    return straights_of(run.samples["vd_m_s"], run.task.parameters["speed_m_s"], _SHORTEST)


def second_half(straight: slice) -> slice:
    """Where the transient of the corner has decayed."""
    return slice((straight.start + straight.stop) // 2, straight.stop)


def velocity(run: Run) -> Reals:
    """The table's speed."""
    return speed(run.samples["displacement_m"], run.samples["acceleration_m_s2"], run.rate_hz, run.crossover_rad_s)


def flatness(run: Run) -> float | None:
    """In %; None where there is no straight."""
    v = velocity(run)
    spreads = [float(np.std(v[second_half(straight)])) for straight in straights(run)]
    return 100 * float(np.median(spreads)) / run.task.parameters["speed_m_s"] if spreads else None


def full_cycles(run: Run) -> slice:
    """Whole cycles of a sine at full amplitude."""
    per_cycle = run.rate_hz / run.task.parameters["frequency_hz"]
    first = round(run.facts["full_from_s"] * run.rate_hz)
    cycles = int(run.facts["full_s"] * run.rate_hz / per_cycle)
    return slice(first, first + round(cycles * per_cycle))


def thd(run: Run) -> float | None:
    """In %; None where there are too few cycles, or no motion."""
    part, frequency_hz = full_cycles(run), run.task.parameters["frequency_hz"]
    cycles = round((part.stop - part.start) * frequency_hz / run.rate_hz)
    if cycles < LEAST_CYCLES:
        return None
    try:
        return distortion_of(run.samples["acceleration_m_s2"][part], cycles, frequency_hz).percent
    except NoMotion:
        return None
