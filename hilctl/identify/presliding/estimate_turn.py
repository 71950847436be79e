"""Friction over the distance since a reversal: the figure that shows the kind of friction.

A jump is vertical at zero; a bristle approaches the level exponentially; elements rise in straight pieces.
"""

from typing import NamedTuple

import numpy as np

from hilctl.identify.presliding.estimate_cycles import Reals
from hilctl.identify.presliding.estimate_loop import Loop
from hilctl.identify.presliding.estimate_residuals import Model
from hilctl.params.finite import finite
from hilctl.results import reversals as results


class Turn(NamedTuple):
    """Both reversals of a cycle, the second one turned over."""

    amplitude_m: float
    distance_m: Reals
    measured_n: Reals
    laws_n: dict[str, Reals]

    def told(self) -> results.Turn:
        """As a result holds it."""
        return results.Turn(
            amplitude_m=self.amplitude_m, distance_m=finite(self.distance_m), measured_n=finite(self.measured_n),
            laws_n=finite(self.laws_n),
        )  # fmt: skip


def turn_of(loop: Loop, laws: dict[str, Model]) -> Turn:
    """From the lowest position up, and from the highest down."""
    x = loop.at_points_m
    offs = {name: float(np.mean(loop.force_n - force)) for name, force in ((n, law(loop)) for n, law in laws.items())}
    forces = {"": loop.force_n, **{name: law(loop) + offs[name] for name, law in laws.items()}}
    middle = 0.5 * (float(np.max(loop.force_n)) + float(np.min(loop.force_n)))
    low, high, n = int(np.argmin(x)), int(np.argmax(x)), len(x)
    up, down = (np.arange(a, a + (b - a) % n) % n for a, b in ((low, high), (high, low)))
    distance = np.concatenate((x[up] - x[low], x[high] - x[down]))
    order = np.argsort(distance)
    both = {name: np.concatenate((f[up] - middle, middle - f[down]))[order] for name, f in forces.items()}
    measured = both.pop("")
    return Turn(loop.amplitude_m, distance[order], measured, both)
