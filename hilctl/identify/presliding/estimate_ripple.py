"""What the table's own ripple does to a fit, and how it is taken off.

The feedback answers the sensors' noise, so the table swings about its mean cycle by some tenths of a micrometre, at
random. Dahl's spring counts every way, and gives way by these too; the mean cycle does not show them, and its fit takes
them for another approach to the level: on the twin of the reference rig alpha came out as 2.57 instead of 2.43. An
element of GMS closes such small loops and forgets them; s0 of LuGre moved by 0.2 to 2 %, and is left as it is fitted.

The accelerometer shows the ripple of each cycle, above the frequency at which it is the better sensor. So the model
that was fitted is run along the mean cycle with the ripple of every cycle, its mean force is fitted in the same way,
and by as much as that fit moves on, the first one has moved already. The correction is trusted to a half of itself.
"""

from collections.abc import Sequence

import numpy as np

from hilctl.experiment.crossover import crossover_rad_s
from hilctl.identify.presliding.estimate_cycles import Cycles, Reals
from hilctl.identify.presliding.estimate_loop import Loop, band_limited, white
from hilctl.identify.presliding.model import packed, run_force

TRUSTED = 0.5  # of what the ripple does: so much of it is added to half an interval
MOST = 0.5  # of a logarithm, or of a shape: what is said to be more is not corrected by more
_AROUND = 5  # lines over which the ripple's power is averaged
_TIMES = 2  # that all cycles are run through


def ripple(cycles: Cycles, loop: Loop) -> Reals:
    """The position of each cycle off the mean one, on the loop's fine grid; what noise adds taken off, on the mean."""
    n, period = cycles.a_m_s2.shape
    noise = max(white(cycles.a_m_s2), 1e-9)
    lines = min(period, len(loop.x_m)) // 2
    w = 2 * np.pi * np.arange(1, lines) / cycles.period_s
    shown = np.fft.rfft(cycles.a_m_s2 - cycles.a_m_s2.mean(0), axis=1)[:, 1:lines] / period
    power = np.convolve(np.sum(np.abs(shown) ** 2, axis=0) / max(n - 1, 1), np.full(_AROUND, 1 / _AROUND), "same")
    real = np.sqrt(np.clip(1 - noise**2 / period / np.maximum(power, 1e-300), 0.0, 1.0))
    real[w <= crossover_rad_s(max(white(cycles.x_m), 1e-12), noise)] = 0.0
    moved = np.zeros((n, lines), complex)
    moved[:, 1:] = -shown * real / w**2
    return np.asarray(np.fft.irfft(moved, len(loop.x_m), axis=1) * len(loop.x_m))


def taken_off(value: float, moved: float) -> float:
    """A fitted value without what the ripple does to it."""
    return value - min(max(moved, -MOST), MOST)


def rippled(code: int, words: list[float], loops: Sequence[Loop], off_m: Sequence[Reals]) -> tuple[Loop, ...]:
    """The cycles, with the mean force of this model along all of them in place of what was measured."""
    out = []
    for loop, rows in zip(loops, off_m, strict=True):
        force = np.zeros(rows.size)
        run_force(code, packed(words), np.ascontiguousarray((loop.x_m + rows).ravel()), loop.step_s, _TIMES, force)
        mean = force.reshape(rows.shape).mean(0)
        out.append(loop._replace(force_n=band_limited(mean, len(loop.force_n))))
    return tuple(out)
