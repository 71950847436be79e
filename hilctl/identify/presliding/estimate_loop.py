"""The mean cycle: where the table was, and the friction force, as periodic functions of time.

Everything is done harmonic by harmonic. A sensor that is d late is turned forward by exp(jwd). The position comes from
displacement and acceleration together (hilctl.experiment.crossover); its error is some 0.2 µm on the reference rig
after twenty cycles. Friction is F = A pL - m a - B v - K x - m g. Both are band-limited to
the same harmonics, the motion on a fine grid along which a law can be run, the force at as many points as it has
independent numbers.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment.crossover import crossover_rad_s, error, fused
from hilctl.experiment.facts import Facts
from hilctl.identify.presliding.estimate_cycles import Cycles, Reals

POINTS = 249  # of the force in a period, at most; odd, so that no harmonic is half known
FINE = 8  # steps of the law between two points
MOST_RIPPLE = 0.18  # of the fastest speed of the mean cycle
_NOISE_FROM = 0.3  # of the loop's rate: harmonics above it are noise alone


class Loop(NamedTuple):
    """A mean cycle."""

    amplitude_m: float  # of the reference
    period_s: float
    cycles: int
    x_m: Reals  # FINE times as many as the force has
    force_n: Reals
    a_m_s2: Reals  # where the force is
    noise_n: float  # of each value of the force, rms
    noise_m: float  # of the position, rms
    ripple_m_s: float  # speed of each cycle that is not in the mean one, rms; sensors' noise taken off

    @property
    def step_s(self) -> float:
        """Of the fine grid."""
        return self.period_s / len(self.x_m)

    @property
    def repeats(self) -> bool:
        """Whether the mean cycle is what the table does: a law that counts every way sees the ripple's, too."""
        fastest = float(np.abs(np.diff(self.x_m)).max()) / self.step_s
        return self.ripple_m_s < MOST_RIPPLE * fastest

    @property
    def at_points_m(self) -> Reals:
        """The position where the force is."""
        return self.x_m[::FINE]


def loop_of(cycles: Cycles, facts: Facts) -> Loop:
    """The mean of these cycles."""
    n, period = cycles.x_m.shape
    points = min(period // 2, POINTS)
    points -= 1 - points % 2
    w = 2 * np.pi * np.arange(points // 2 + 1) / cycles.period_s
    xs, a, push = (
        _harmonics(rows.mean(0), len(w)) * np.exp(1j * w * late)
        for rows, late in ((cycles.x_m, facts["sensors.displacement.delay_s"]),
                           (cycles.a_m_s2, facts["sensors.acceleration.delay_s"]),
                           (cycles.push_n, facts.late_pressure_s))
    )  # fmt: skip
    sx = max(white(cycles.x_m), 1e-12)
    sa = max(white(cycles.a_m_s2), 1e-9)
    w0 = crossover_rad_s(sx, sa)
    x = fused(w, xs, a, w0)
    a[0] = 0.0
    force = push - facts["machine.m"] * a - 1j * w * facts["machine.B"] * x - facts["machine.K"] * x
    force[0] -= facts.weight_n
    errors = error(w, sx, sa) ** 2
    noise_m = math.sqrt(float(errors[0] + 2 * errors[1:].sum()) / period / n)
    return Loop(
        cycles.amplitude_m, cycles.period_s, n, _at(x, points * FINE), _at(force, points), _at(-w * w * x, points),
        _scatter(cycles.push_n - facts["machine.m"] * cycles.a_m_s2, points) / math.sqrt(n), noise_m,
        _ripple(cycles.a_m_s2, sa, w0, cycles.period_s),
    )  # fmt: skip


def band_limited(values: Reals, points: int) -> Reals:
    """A period on another grid, without the harmonics that this one cannot hold."""
    return _at(_harmonics(values, points // 2 + 1), points)


def _harmonics(values: Reals, count: int) -> npt.NDArray[np.complex128]:
    return np.asarray(np.fft.rfft(values)[:count] / values.shape[-1])


def _at(harmonics: npt.NDArray[np.complex128], points: int) -> Reals:
    return np.asarray(np.fft.irfft(harmonics, points) * points)


def white(rows: Reals) -> float:
    """Noise of a sample, from the harmonics in which nothing moves."""
    n, period = rows.shape
    lines = np.abs(np.fft.rfft(rows - rows.mean(0), axis=1)[:, int(_NOISE_FROM * period) : (period + 1) // 2]) ** 2
    return math.sqrt(float(lines.mean()) / period * n / max(n - 1, 1))


def _scatter(rows: Reals, points: int) -> float:
    """How far one cycle is from their mean at each point, rms."""
    kept = np.fft.rfft(rows - rows.mean(0), axis=1)[:, : points // 2 + 1] / rows.shape[1]
    power = np.abs(kept[:, 0]) ** 2 + 2 * np.sum(np.abs(kept[:, 1:]) ** 2, axis=1)
    return math.sqrt(float(power.sum()) / max(len(rows) - 1, 1))


def _ripple(rows: Reals, noise: float, crossover_rad_s: float, period_s: float) -> float:
    """From the accelerations above the frequency at which they show speed better than displacement does."""
    n, period = rows.shape
    w = 2 * np.pi * np.arange(period // 2) / period_s
    some = w > crossover_rad_s
    lines = np.fft.rfft(rows - rows.mean(0), axis=1)[:, : period // 2][:, some] / period
    power = 2 * np.sum(np.abs(lines) ** 2, axis=0) / max(n - 1, 1) - 2 * noise**2 / period
    return math.sqrt(max(float(np.sum(power / w[some] ** 2)), 0.0))
