"""The amplitude of the input at each frequency: as wanted, or as large as the motion that it makes may be.

Where the input is not the displacement itself, `gain` says how much displacement a unit of it makes: from a model, or
from a first small measurement.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.excitation.room import Reals, Room, scale_into, sine_room
from hilctl.params import BadValues, Problem

Gain = Callable[[Reals], npt.NDArray[np.complex128]]  # displacement in m for a unit of the input, by Hz


class Shape:
    """`shape(hz)`: the amplitude of a single sine, in the unit of the input."""

    def __init__(self, amplitude: float, room: Room | None = None, gain: Gain | None = None) -> None:
        if not (np.isfinite(amplitude) and amplitude > 0):
            raise BadValues([Problem("amplitude", amplitude, "must be above 0")])
        self.amplitude, self.room, self.gain = float(amplitude), room, gain

    def __call__(self, hz: npt.ArrayLike) -> Reals:
        """The amplitude of a single sine at each frequency."""
        f = np.atleast_1d(np.asarray(hz, np.float64))
        wanted = np.full(f.shape, self.amplitude)
        if self.room is None:
            return wanted
        allowed = sine_room(self.room, f) / np.maximum(np.abs(self.motion(f)), 1e-300)
        return np.asarray(np.minimum(wanted, allowed))

    def motion(self, hz: Reals) -> npt.NDArray[np.complex128]:
        """Displacement for a unit of the input."""
        return np.ones(hz.shape, np.complex128) if self.gain is None else np.asarray(self.gain(hz), np.complex128)

    def fitting(self, values: Reals, rate_hz: float) -> float:
        """The factor, 1 at most, by which a whole signal has room, from rest to rest: soft ends add to a sine's own."""
        if self.room is None:
            return 1.0
        count = 2 * len(values)  # rest behind it: a motion may go on after its input
        hz = np.fft.rfftfreq(count, 1 / rate_hz)
        spectrum = np.fft.rfft(values, count) * self.motion(np.maximum(hz, hz[1]))
        x, v, a = (np.fft.irfft(spectrum * (2j * np.pi * hz) ** n, count) for n in range(3))
        return min(1.0, scale_into(self.room, x, v, a))
