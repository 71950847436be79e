"""How far a drive is from what is wanted, by the table's acceleration in the band.

error        rms of what is missing, in % of the wanted acceleration's
distortion   of a motion that repeats, what is missing in its harmonics from the second on, in % of its fundamental: of
             a sine that is its THD (hilctl.results.distortion)

The power of the noise is subtracted, and no less is left than the standard error of that.
"""

import math
from typing import NamedTuple

import numpy as np

from hilctl.identify.distortion import NotMeasuredError
from hilctl.learning.played import Answer
from hilctl.learning.wanted import Reals, Wanted
from hilctl.results.proof import Repeat

HIGHEST_HZ = {True: 100.0, False: 50.0}  # by whether the motion repeats
OF_RATE, OF_SAMPLES = 0.1, 0.4  # at most, of the loop's rate and of the drive's samples
_HARDLY = 0.05  # of the wanted motion


class Band(NamedTuple):
    """Up to where it is learned and judged, and what is then below the target."""

    highest_hz: float
    figure: str

    @classmethod
    def of(cls, wanted: Wanted, rate_hz: float) -> "Band":
        """Of a motion."""
        highest_hz = min(HIGHEST_HZ[wanted.repeats], OF_RATE * rate_hz, OF_SAMPLES / wanted.interval_s)
        figure = "the distortion" if wanted.repeats else f"the error to {highest_hz:.3g} Hz"
        return cls(highest_hz, figure)


def in_percent(wanted: Wanted, power: Reals, band: Band) -> float:
    """Such powers of displacement, as an rms of acceleration in the band, in % of the wanted one's."""
    square, inside = (2 * np.pi * wanted.hz) ** 4, (wanted.hz > 0) & (wanted.hz <= band.highest_hz)
    asked = float(np.sum((square * np.abs(wanted.lines) ** 2)[inside]))
    return 100 * math.sqrt(float(np.sum((square * power)[inside])) / asked)


def judged(wanted: Wanted, answer: Answer, band: Band, share: float) -> Repeat:
    """NotMeasuredError where there is hardly any motion."""
    square = (2 * np.pi * wanted.hz) ** 4
    inside = (wanted.hz > 0) & (wanted.hz <= band.highest_hz)
    asked, came = square * np.abs(wanted.lines) ** 2, np.abs(answer.shown) ** 2
    missing, noise = square * np.abs(wanted.lines - answer.x) ** 2, square * answer.noise
    if not np.sum(came[inside]) > _HARDLY**2 * np.sum(asked[inside]):
        raise NotMeasuredError("the accelerometer shows hardly any motion; check sensors.acceleration, and its gain")
    error = 100 * math.sqrt(_left(missing[inside], noise[inside]) / float(np.sum(asked[inside])))
    if not wanted.repeats:
        return Repeat(error, error, share)
    inside[1] = False
    distortion = 100 * math.sqrt(_left(missing[inside], noise[inside]) / float(square[1] * np.abs(answer.x[1]) ** 2))
    return Repeat(distortion, error, share)


def _left(missing: Reals, noise: Reals) -> float:
    """Without the noise's power; the power of a line scatters by as much as itself."""
    return max(float(np.sum(missing) - np.sum(noise)), math.sqrt(float(np.sum(noise**2))))
