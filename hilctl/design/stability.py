"""Whether loops are stable under gains that a search tries: by their poles once, and then by Nyquist's count.

From one set of gains to another the number of unstable poles changes by as often as 1 + L, over frequency, turns about
that of the first set. The search has 1 + L already, and counting turns costs a tenth of finding poles. Where the lines
are too far apart to count, or an end of them is in doubt, the poles are asked.
"""

from collections.abc import Sequence

import numpy as np

from hilctl.design.loop import Loop, Matrix, are_stable
from hilctl.results.response import Complexes


class Stability:
    """Of several loops under the same gains; remembers gains under which all are stable."""

    def __init__(self, loops: Sequence[Loop]) -> None:
        self._loops = loops
        self._features = np.stack([loop.features for loop in loops])
        self._known: Complexes | None = None  # 1 + L of each loop when all were stable, conjugate
        self.asked = 0  # how often the poles were

    def holds(self, gains: Matrix, returns: Complexes | None = None) -> bool:
        """Whether all are stable; `returns`: 1 + L, (loops, frequencies), where it is known."""
        if returns is None:
            returns = 1 - self._features @ gains
        if self._known is not None:
            turns = turned(returns * self._known)
            if turns is not None:
                return not turns
        self.asked += 1
        stable = are_stable(self._loops, gains)
        if stable:
            self._known = returns.conj()
        return stable


def turned(ratio: Complexes) -> bool | None:
    """Whether any of these curves, (curves, frequencies), turns about 0; None where the lines do not tell.

    They tell where both ends lie to the right, and no step is as much as a quarter of a turn: whatever crosses the real
    axis on the left then has both its neighbours there.
    """
    right = ratio.real > 0
    steps = ratio.real[:, 1:] * ratio.real[:, :-1] + ratio.imag[:, 1:] * ratio.imag[:, :-1]
    if not (right[:, 0].all() and right[:, -1].all() and (steps > 0).all()):
        return None
    up = ratio.imag > 0
    crossed = ~right[:, 1:] & (up[:, 1:] != up[:, :-1])
    if not crossed.any():
        return False
    return bool((np.where(up[:, 1:], 1, -1) * crossed).sum(axis=1).any())
