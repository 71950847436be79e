"""Total harmonic distortion (THD): the one definition.

    THD = sqrt(Σ a_k²) / a_1     over the harmonics k = 2 to N of a record of whole cycles, N f ≤ HIGHEST_HZ

The sensor's noise adds to every line of the spectrum, and so to the harmonics. It is seen in the lines between them,
and its power is subtracted: without that, a rig without distortion shows its accelerometer's noise. What is left is
never less than the standard error of the subtraction, the resolution: below it this sensor shows nothing.

Against a root of the harmonics alone, on 200 records of four cycles of 1 Hz at 1 kHz, fundamental 2 m/s², 0.02 m/s² of
noise, as rms error in percentage points (`python -m pytest -s -k definitions tests/unit/results`):

    true distortion, %        0      0.3     1       3       10
    noise subtracted          0.11   0.03    0.02    0.02    0.02
    harmonics alone           0.31   0.14    0.05    0.03    0.02
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError

HIGHEST_HZ = 100.0
LEAST_CYCLES = 2  # fewer leave no line between two harmonics


class NoMotion(HilctlError):
    """The record has nothing at the frequency of the sine."""


class Distortion(NamedTuple):
    """Of one sine."""

    frequency_hz: float
    amplitude_m: float
    percent: float  # of the fundamental, the sensor's noise subtracted; at least the resolution
    noise_percent: float  # what was subtracted
    resolution_percent: float  # standard error of the subtraction
    fundamental_m_s2: float
    harmonics_percent: tuple[float, ...]  # from the second on, noise included


class Noise(NamedTuple):
    """A sensor's noise in one line of the spectrum."""

    level: float  # mean of the squares
    lines: int  # that it was seen in

    def error(self, count: int) -> float:
        """Standard error of a sum of so many lines, noise subtracted: a line's power scatters by as much as itself."""
        return self.level * math.sqrt(count + count**2 / self.lines)

    def off(self, total: float, count: int) -> float:
        """A sum of squares over so many lines, noise subtracted; at least the error of that."""
        return max(total - count * self.level, self.error(count))


def is_hidden(percent: float, resolution_percent: float) -> bool:
    """Whether a distortion is no more than what the sensor's noise can hide: it is then an upper bound."""
    return percent <= (1 + 1e-6) * resolution_percent


def last_harmonic(frequency_hz: float) -> int:
    """N."""
    return max(1, int(HIGHEST_HZ / frequency_hz + 1e-9))


def noise_of(lines: npt.NDArray[np.float64], cycles: int, last: int) -> Noise:
    """Seen between the harmonics, from the second to the last."""
    between = np.ones(last * cycles + 1, bool)
    between[::cycles] = False
    between[: 2 * cycles] = False
    seen = lines[: last * cycles + 1][between]
    return Noise(float(np.mean(seen**2)), len(seen))


def distortion_of(
    acceleration: npt.NDArray[np.float64], cycles: int, frequency_hz: float, amplitude_m: float = math.nan,
    filled: float = 0.0,
) -> Distortion:  # fmt: skip
    """Of a record of so many whole cycles, of which a share was filled by what repeats of the rest, so without noise.
    NoMotion where it has no fundamental."""
    if cycles < LEAST_CYCLES:
        raise ValueError(f"cycles: {cycles}, at least {LEAST_CYCLES} whole cycles are needed")
    lines = 2 / len(acceleration) * np.abs(np.fft.rfft(acceleration))
    last = min(last_harmonic(frequency_hz), (len(lines) - 1) // cycles)
    harmonics = lines[2 * cycles : last * cycles + 1 : cycles]
    fundamental = float(lines[cycles])
    if not fundamental > 0.0:
        raise NoMotion(
            f"the accelerometer shows no motion at {frequency_hz:g} Hz, the frequency of the sine; check its supply, "
            "cable and channel (sensors.acceleration)", key="sensors.acceleration",
        )  # fmt: skip
    noise = noise_of(lines, cycles, last)
    noise = noise._replace(level=noise.level / (1 - filled) ** 2)
    total, count = float(np.sum(harmonics**2)), len(harmonics)
    percent = 100 / fundamental
    return Distortion(
        frequency_hz, amplitude_m, percent * math.sqrt(noise.off(total, count)),
        percent * math.sqrt(count * noise.level), percent * math.sqrt(noise.error(count)), fundamental,
        tuple(percent * harmonics),
    )  # fmt: skip
