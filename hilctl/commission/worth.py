"""What a motion was worth, from its samples alone.

rms        of the tracking error over the whole motion
flatness   standard deviation of the speed over the second half of a straight, in % of the speed; the median straight
THD        of the measured acceleration: sqrt(Σ a_k²) / a_1 over the harmonics k from the second to 100 Hz,
           over whole cycles at full amplitude

The loop's own estimate of the speed is made for control, early and noisy: 12 % at 1 mm/s on the reference rig. Later
the speed is known better. With white noise of sx in displacement and sa in acceleration, the speed at the frequency w
is jw X with an error of sx w, or A/jw with one of sa/w; weighed by these errors,

    V = W jw X + (1 - W) A / jw,    W = 1 / (1 + (w/w0)^4),    w0^2 = sa / sx

without any delay of its own, and without the accelerometer's bias, which 1 - W leaves out.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.commission.tracking import Run

Reals = npt.NDArray[np.float64]

_ON_SPEED = 1e-6  # a reference within this share of its speed is on a straight
_SHORTEST = 20  # samples that a standard deviation makes sense of
_HIGHEST_HZ = 100.0


class Worth(NamedTuple):
    """Figures of one motion; None where it was not finished, or has no such figure."""

    rms_um: float | None
    flatness_percent: float | None = None
    thd_percent: float | None = None


def worth(run: Run) -> Worth:
    """The figures of a run."""
    if run.why != "done":
        return Worth(None)
    rms_um = 1e6 * float(np.sqrt(np.mean(run.samples["error_m"] ** 2)))
    if run.task.kind == "triangle":
        return Worth(rms_um, flatness_percent=flatness(run))
    return Worth(rms_um, thd_percent=thd(run))


def straights(run: Run) -> list[slice]:
    """Where the reference goes at its speed."""
    speed = run.task.parameters["speed_m_s"]
    on = np.abs(np.abs(run.samples["vd_m_s"]) - speed) < _ON_SPEED * speed
    edges = np.flatnonzero(np.diff(np.concatenate(([0], on.astype(np.int8), [0]))))
    return [slice(int(first), int(end)) for first, end in edges.reshape(-1, 2) if end - first >= _SHORTEST]


def second_half(straight: slice) -> slice:
    """Where the corner is forgotten."""
    return slice((straight.start + straight.stop) // 2, straight.stop)


def velocity(run: Run) -> Reals:
    """The table's speed, from displacement and acceleration."""
    x, a = run.samples["displacement_m"], run.samples["acceleration_m_s2"]
    n = len(x)
    t = np.arange(n) / run.rate_hz
    drift = (x[-1] - x[0]) / t[-1]  # a transform takes the record for periodic
    w = 2 * np.pi * np.fft.rfftfreq(n, 1 / run.rate_hz)
    share = 1 / (1 + w**4 / run.crossover_rad_s**4)
    integral = np.divide(np.fft.rfft(a), 1j * w, out=np.zeros(len(w), complex), where=w > 0)
    v = share * 1j * w * np.fft.rfft(x - drift * t) + (1 - share) * integral
    return np.asarray(np.fft.irfft(v, n) + drift)


def flatness(run: Run) -> float | None:
    """In %; None where there is no straight."""
    speed, v = run.task.parameters["speed_m_s"], velocity(run)
    spreads = [float(np.std(v[second_half(straight)])) for straight in straights(run)]
    return 100 * float(np.median(spreads)) / speed if spreads else None


def full_cycles(run: Run) -> slice:
    """Whole cycles of a sine at full amplitude."""
    per_cycle = run.rate_hz / run.task.parameters["frequency_hz"]
    first = round(run.facts["full_from_s"] * run.rate_hz)
    cycles = int(run.facts["full_s"] * run.rate_hz / per_cycle)
    return slice(first, first + round(cycles * per_cycle))


def harmonics(values: Reals, cycles: int) -> Reals:
    """Amplitudes of the harmonics of a signal of so many whole cycles, from the first on."""
    return np.asarray(2 / len(values) * np.abs(np.fft.rfft(values))[cycles::cycles])


def thd(run: Run) -> float:
    """In %."""
    part, frequency_hz = full_cycles(run), run.task.parameters["frequency_hz"]
    cycles = round((part.stop - part.start) * frequency_hz / run.rate_hz)
    a = harmonics(run.samples["acceleration_m_s2"][part], cycles)[: int(_HIGHEST_HZ / frequency_hz)]
    return 100 * float(np.sqrt(np.sum(a[1:] ** 2)) / a[0])
