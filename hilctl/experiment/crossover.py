"""The table's motion from displacement and acceleration together, each at the frequencies where it is the better one.

With white noise of sx in displacement and sa in acceleration, the position at the frequency w is X with an error of
sx, or -A/w² with one of sa/w². Weighed by the inverse squares of these errors,

    X^ = W X - (1 - W) A/w²        W = 1/(1 + (w/w0)^4)        w0² = sa/sx

the error is (W sx)² + ((1 - W) sa/w²)². No other linear combination has less; it has no delay of its own, and 1 - W
leaves out the accelerometer's bias.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]
Lines = npt.NDArray[np.complex128]


def crossover_rad_s(noise_m: float, noise_m_s2: float) -> float:
    """w0, from the noise of both sensors, neither of them 0 (hilctl.experiment.noise)."""
    return float(np.sqrt(noise_m_s2 / noise_m))


def share(w: Reals, w0: float) -> Reals:
    """W: the share of displacement."""
    return np.asarray(1 / (1 + (w / w0) ** 4))


def fused(w: Reals, x: Lines, a: Lines, w0: float) -> Lines:
    """X^, the lines of the position; at w = 0 those of displacement."""
    part = share(w, w0)
    return np.asarray(part * x - (1 - part) * a * _per_square(w))


def error(w: Reals, noise_m: float, noise_m_s2: float) -> Reals:
    """Of X^, as a white noise of displacement would have it at each frequency."""
    part = share(w, crossover_rad_s(noise_m, noise_m_s2))
    return np.asarray(np.hypot(part * noise_m, (1 - part) * noise_m_s2 * _per_square(w)))


def speed(x: Reals, a: Reals, rate_hz: float, w0: float) -> Reals:
    """The speed in a whole record, from the readings of both sensors, equally late."""
    n = len(x)
    drift = (x[-1] - x[0]) * rate_hz / max(n - 1, 1)  # a transform takes the record for periodic
    w = np.asarray(2 * np.pi * np.fft.rfftfreq(n, 1 / rate_hz), float)
    lines = fused(w, np.fft.rfft(x - drift * np.arange(n) / rate_hz), np.fft.rfft(a), w0)
    return np.asarray(np.fft.irfft(1j * w * lines, n) + drift)


def _per_square(w: Reals) -> Any:
    return np.divide(1.0, w * w, out=np.zeros(len(w)), where=w > 0)
