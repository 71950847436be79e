"""What a change of the drive does to the table, line by line: first by the identified machine, then by what is seen.

    Y = H X,   H = Q H0        H0, of the active controller on the machine that it believes in (hilctl.design.predict)

Q begins as 1. When the drive changes by dX and the answer by dY, it follows over the lines around each,

    Q = Σ dY (H0 dX)* / Σ |H0 dX|²        c² = |Σ dY (H0 dX)*|² / (Σ |H0 dX|² Σ |dY|²)

as far as the coherence c² says that the one explains the other: friction and noise, which do not follow the drive, make
it less. The sums go over all changes so far, the older the less.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.design.loop import Plant, gains_of, open_loop, shaken
from hilctl.design.predict import following
from hilctl.experiment.facts import Facts
from hilctl.learning.wanted import Lines, Reals

WIDE, LEAST_HZ, LEAST_LINES = 0.06, 0.5, 2  # to either side of a line: a share of its frequency, at least so much
_LEAST, _MOST, _TURNED = 0.3, 3.0, 1.0  # of Q: magnitude, and rad
_LOWEST = 1 / 3  # of |H|, where it is divided by
_POINTS = 300  # of H0 over the frequencies
_KEPT = 0.5  # of the sums, from change to change


def around(hz: Reals, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The mean over the lines around each one."""
    reach = np.maximum(WIDE * hz, max(LEAST_HZ, LEAST_LINES * (hz[1] - hz[0])))
    first, last = np.searchsorted(hz, hz - reach * (1 + 1e-9)), np.searchsorted(hz, hz + reach * (1 + 1e-9))
    sums = np.concatenate([[0], np.cumsum(values)])
    return np.asarray((sums[last] - sums[first]) / (last - first))


class Predicted(NamedTuple):
    """Of the controller that is active."""

    gain: Lines  # H0
    shaken_m2: Reals  # how the sensors' noise shakes the table through it, as the variance of a white noise


def predicted(facts: Facts, hz: Reals) -> Predicted:
    """1 and nothing where the rig closes its own loop."""
    feedback = str(facts["law.feedback"])
    if feedback == "rig":
        return Predicted(np.ones(len(hz), complex), np.zeros(len(hz)))
    controller, friction = facts.controller, facts.friction
    grid = np.linspace(0.2, min(1.1 * float(hz[-1]), 0.4 * facts.rate_hz), _POINTS)
    plant = Plant(controller.machine, friction.params.viscous, 0.0)
    loop = open_loop(plant, controller, facts.dt_s, feedback, 2 * np.pi * grid)
    gain = following(loop, controller, friction, facts.dt_s, feedback)
    shakes = shaken(loop, gains_of(controller, feedback))
    real, imaginary, power = (np.interp(hz, grid, part) for part in (gain.real, gain.imag, shakes))
    return Predicted(np.asarray(real + 1j * imaginary), np.asarray(power))


class Response:
    """H, as far as it is known."""

    def __init__(self, hz: Reals, first: Lines) -> None:
        self.hz, self.first = hz, first
        self.ratio, self.coherence = np.ones(len(hz), complex), np.ones(len(hz))
        self._cross = np.zeros(len(hz), complex)
        self._asked, self._came = np.zeros(len(hz)), np.zeros(len(hz))

    @property
    def gain(self) -> Lines:
        """H."""
        return np.asarray(self.ratio * self.first)

    @property
    def inverse(self) -> Lines:
        """1/H, where H is small no more than is safe."""
        gain = self.gain
        size = np.abs(gain)
        return np.asarray(np.conj(gain) / np.maximum(size, 1e-12) / np.maximum(size, _LOWEST))

    def saw(self, changed: Lines, came: Lines, noise: Reals) -> None:
        """The effect of a change of the drive; `noise` is the power in a line of an answer."""
        by = self.first * changed
        self._cross = _KEPT * self._cross + came * np.conj(by)
        self._asked = _KEPT * self._asked + np.abs(by) ** 2
        self._came = _KEPT * self._came + np.abs(came) ** 2
        cross, asked, all_of_it = (around(self.hz, one) for one in (self._cross, self._asked, self._came))
        tested = asked > 2 * around(self.hz, noise)
        found = np.divide(cross, asked, out=np.ones(len(cross), complex), where=tested)
        explained = np.divide(np.abs(cross) ** 2, asked * all_of_it, out=np.ones(len(cross)), where=tested)
        mixed = 1 + explained * (found - 1)
        size, angle = np.clip(np.abs(mixed), _LEAST, _MOST), np.clip(np.angle(mixed), -_TURNED, _TURNED)
        self.ratio, self.coherence = size * np.exp(1j * angle), explained
