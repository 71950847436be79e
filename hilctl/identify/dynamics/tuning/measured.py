"""Bandwidth and margins that were measured on the rig, as one value."""

from typing import NamedTuple

from hilctl.identify.dynamics.response import Bandwidth, Response
from hilctl.identify.dynamics.tuning.margins import Margins
from hilctl.identify.dynamics.tuning.predict import falls


class Measured(NamedTuple):
    """The loop of a rig, as measured."""

    loop: Response  # L
    follows: Response  # displacement over reference
    plant: Response  # load pressure over opening: where resonances stand out
    margins: Margins
    bandwidth: Bandwidth
    epoch: int
    seconds: float
    notes: tuple[str, ...]

    @property
    def crossover_hz(self) -> float:
        """The first frequency at which |L| has fallen to 1."""
        return falls(self.loop.hz, self.loop.gain, 0.0)
