"""A frequency response with its uncertainty."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student

Reals = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]


class Response(NamedTuple):
    """The complex gain from an input to an output, at some frequencies.

    The error of a gain is circular: half of the variance in its real part, half in its imaginary part. The variance is
    itself estimated, from `freedom` real numbers.
    """

    hz: Reals
    gain: Complexes
    variance: Reals  # mean |error|²
    freedom: Reals
    coherence: Reals  # share of the output's power at this frequency that the input explains

    @property
    def magnitude(self) -> Reals:
        """In units of the output for a unit of the input."""
        return np.abs(self.gain)

    @property
    def magnitude_db(self) -> Reals:
        """20 log10 of it."""
        return np.asarray(20 * np.log10(np.maximum(self.magnitude, 1e-300)))

    @property
    def phase_deg(self) -> Reals:
        """Unwrapped from the lowest frequency on, which lies within ±180°."""
        return np.asarray(np.rad2deg(np.unwrap(np.angle(self.gain))))

    def radius(self, level: float = 0.95) -> Reals:
        """Half the interval of a part of the gain, or of its magnitude, that holds the truth as often as `level`."""
        return np.asarray(student.ppf((1 + level) / 2, self.freedom) * np.sqrt(self.variance / 2))

    def magnitude_interval(self, level: float = 0.95) -> tuple[Reals, Reals]:
        """Lower and upper bound of the magnitude."""
        radius = self.radius(level)
        return np.maximum(self.magnitude - radius, 0.0), self.magnitude + radius

    def phase_interval_deg(self, level: float = 0.95) -> tuple[Reals, Reals]:
        """Lower and upper bound of the phase; ±180° where the gain is not significantly above zero."""
        share = np.minimum(self.radius(level) / np.maximum(self.magnitude, 1e-300), 1.0)
        radius = np.where(share < 1.0, np.rad2deg(np.arcsin(share)), 180.0)
        return self.phase_deg - radius, self.phase_deg + radius

    def within(self, low_hz: float, high_hz: float) -> "Response":
        """The part of it between two frequencies, both included."""
        inside = (self.hz >= low_hz) & (self.hz <= high_hz)
        return Response(
            self.hz[inside], self.gain[inside], self.variance[inside], self.freedom[inside], self.coherence[inside]
        )


class Crossing(NamedTuple):
    """A frequency and its standard error."""

    hz: float
    error_hz: float


class Bandwidth(NamedTuple):
    """Each is None where the response does not come that far."""

    gain: Crossing | None  # -3 dB
    phase: Crossing | None  # -90°


def quotient(y: Complexes, u: Complexes, yy: Reals, uu: Reals, yu: Complexes) -> tuple[Complexes, Reals]:
    """y/u and its variance, from the (co)variances of both, yu being the mean of error(y) conj(error(u)).

    d(y/u) = (dy - G du)/u      so      |u|² var = yy + |G|² uu - 2 Re(conj(G) yu)
    """
    gain = y / u
    variance = (yy + np.abs(gain) ** 2 * uu - 2 * np.real(np.conj(gain) * yu)) / np.abs(u) ** 2
    return np.asarray(gain), np.maximum(np.asarray(variance, np.float64), 0.0)
