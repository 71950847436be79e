"""What in the measured loops speaks for a friction model: friction over displacement, swing by swing.

A loop has a loss, the area that it encloses, and a chord, the slope from one reversal to the other. Both depend on what
the model remembers. In a swing that does not turn friction whole, an element of GMS that has not yielded is a spring
without loss, and the small loop is the beginning of the large one over again; LuGre gives way from each reversal on,
whatever went before. So the swing in which the two best models differ most is the reason for the better one.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from hilctl.identify.presliding.estimate_cycles import Reals
from hilctl.identify.presliding.estimate_loop import Loop
from hilctl.identify.presliding.estimate_residuals import Model
from hilctl.identify.presliding.judge_models import Comparison
from hilctl.identify.presliding.judge_odds import LEVEL
from hilctl.params.finite import finite
from hilctl.results import reversals as results
from hilctl.results.reversals import Kind

WHOLE = 0.95  # of the level: friction turns whole
MEASURED = "measured"
NAMES: dict[Kind, str] = {"static": "a jump", "lugre": "LuGre", "gms": "GMS", "dahl": "Dahl"}


class Seen(NamedTuple):
    """A swing's loop, measured and of each model."""

    loop: Loop
    turned: float  # share of its level through which friction turns
    loss_j: dict[str, float]
    chord_n_m: dict[str, float]
    squares: dict[Kind, float]  # what each model leaves, in variances, all points together
    apart: dict[Kind, float]  # rms by which each model's force differs from the best one's, share of the level

    def told(self) -> results.Hysteresis:
        """As a result holds it."""
        points = len(self.loop.force_n) - 1
        return results.Hysteresis(
            amplitude_m=self.loop.amplitude_m, frequency_hz=1 / self.loop.period_s, turned=finite(self.turned),
            loss_j=finite(self.loss_j), chord_n_m=finite(self.chord_n_m),
            left=finite({kind: value / points for kind, value in self.squares.items()}),
        )  # fmt: skip


def seen(found: Comparison, models: Mapping[Kind, Model], level_n: float) -> list[Seen]:
    """Of the cycles that were not fitted; the models that can be chosen."""
    best = next(iter(found.probabilities))
    ends = np.cumsum(found.sizes)[:-1]
    parts = {kind: np.split(found.residuals[kind], ends) for kind in models}
    out = []
    for i, loop in enumerate(found.unseen.loops):
        forces: dict[str, Reals] = {MEASURED: loop.force_n, **{str(k): model(loop) for k, model in models.items()}}
        off = {kind: forces[kind] - forces[best] for kind in models}
        out.append(Seen(
            loop, float(np.ptp(_smooth(loop.force_n))) / (2 * level_n),
            {name: _loss(loop, force) for name, force in forces.items()},
            {name: _chord(loop, force) for name, force in forces.items()},
            {kind: float(parts[kind][i] @ parts[kind][i]) for kind in models},
            {kind: float(np.std(one)) / level_n for kind, one in off.items()},
        ))  # fmt: skip
    return out


def reasons(found: Comparison, loops: list[Seen]) -> list[str]:
    """In words: what the loops say of the two most probable models."""
    best, *others = found.probabilities
    if not others:
        return []
    second = others[0]
    clearest = max(loops, key=lambda one: one.squares[second] - one.squares[best])
    said = [_numbers(clearest, best, second)]
    if found.probabilities[best] < LEVEL:
        most = max(one.apart[second] for one in loops)
        said.append(
            f"{NAMES[best]} and {NAMES[second]} differ by at most {100 * most:.1f} % of the level in these loops, and "
            f"what neither describes is as large: {found.left[best]:.2g} and {found.left[second]:.2g} variances a "
            f"point, in {found.independent:.0f} independent ones of {found.unseen.size}"
        )
        return said
    return [*said, _MEANS[best]]


def _numbers(one: Seen, best: Kind, second: Kind) -> str:
    """The figure, loss or chord, in which the second model is further off."""
    figures = {"loses {} mJ a cycle": (1e3, one.loss_j), "has a chord of {} N/µm": (1e-6, one.chord_n_m)}
    way, (unit, of) = max(figures.items(), key=lambda item: _off(item[1][1], second))
    how = "turns whole" if one.turned >= WHOLE else f"turns by {100 * one.turned:.0f} % of its level"
    return (
        f"the loop of ±{1e6 * one.loop.amplitude_m:.3g} µm, in which friction {how}, "
        f"{way.format(f'{unit * of[MEASURED]:.4g}')}; {NAMES[best]} has {unit * of[best]:.4g}, "
        f"{NAMES[second]} {unit * of[second]:.4g}; left are {one.squares[best] / (len(one.loop.force_n) - 1):.2g} and "
        f"{one.squares[second] / (len(one.loop.force_n) - 1):.2g} variances of noise a point"
    )


def _off(of: Mapping[str, float], kind: str) -> float:
    return abs(of[kind] / of[MEASURED] - 1) if of[MEASURED] else 0.0


_MEANS: dict[Kind, str] = {
    "lugre": "friction gives way from each reversal on, exponentially, in small loops as in large ones: it remembers "
    "its last reversal alone",
    "gms": "small loops are the beginning of the large one over again, and close: friction remembers every reversal "
    "(non-local memory), and yields element by element",
    "dahl": "friction gives way by the path alone, at every speed of the swings",
    "static": "",
}


def _loss(loop: Loop, force: Reals) -> float:
    x = loop.at_points_m
    return float(force @ (0.5 * (np.roll(x, -1) - np.roll(x, 1))))


def _chord(loop: Loop, force: Reals) -> float:
    x, smooth = loop.at_points_m, _smooth(force)
    high, low = int(np.argmax(x)), int(np.argmin(x))
    return float((smooth[high] - smooth[low]) / (x[high] - x[low]))


def _smooth(force: Reals) -> Reals:
    return np.asarray(np.mean([np.roll(force, i) for i in range(-2, 3)], axis=0))
