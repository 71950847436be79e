"""The paper's identification on our campaign: its objective, its ten runs, its start values."""

from typing import NamedTuple

import numpy as np

from hilctl.identify.friction import PAPER, Evolution, FrictionFit, Measured, Points, check_points, fit_friction
from hilctl.identify.friction.fit_genetic import runs, sobol
from hilctl.identify.friction.fit_problem import scaled
from hilctl.identify.friction.fit_varpro import varpro
from hilctl.identify.friction.model_curve import WORDS
from hilctl.identify.friction.model_laws import GAUSSIAN
from hilctl.papers.table.setting import FAST_M_S, TABLE_1
from hilctl.papers.table.step import step_off
from hilctl.results.friction import Search
from hilctl.results.response import Reals

REACHED = 1e-9  # of the least sum of squares
SETTLED = 1e-3  # of a parameter at the end
_DRAWS = 100  # of random starts, that Sobol's is compared with


class Identified(NamedTuple):
    """Table 1, and what leads to it."""

    points: Points
    fit: FrictionFit  # of the paper's objective: both directions averaged, every speed of the same weight
    not_levelled: FrictionFit  # the same, with the acceleration taken as zero
    alone: float  # share of the runs without Levenberg–Marquardt that reach the least sum of squares
    even: float  # discrepancy of the Sobol start over that of random ones
    step_off: float  # greatest difference of a step from equation 7, in genes
    slope: float  # of the fast points, N·s/m
    intercept_n: float

    @property
    def search(self) -> Search:
        """The ten runs."""
        return self.fit.searches[0]

    def mean(self, name: str) -> float:
        """Of the ten runs, as the paper takes it."""
        value = self.search.mean[self.search.names.index(name)]
        return np.nan if value is None else value

    @property
    def settled(self) -> int:
        """The generation from which every parameter of every run stays within SETTLED of its end."""
        history = np.array(self.search.history, float)
        off = np.abs(history / history[:, -1:] - 1).max(axis=(0, 2))
        return int(np.flatnonzero(off > SETTLED).max(initial=-1)) + 1

    def objective(self, parameters: dict[str, float]) -> float:
        """Equation 5, N²."""
        return 0.5 * float(np.sum((self.points.force_n - curve(parameters, self.points.speed_m_s)) ** 2))


def identified(speeds: tuple[Measured, ...]) -> Identified:
    """From the campaign's speeds."""
    points = points_of(speeds)
    known = scaled(points)
    low, high = GAUSSIAN.bounds(PAPER, known.unit_n, 0.0)
    least = float(varpro(known.data, low, high, np.zeros(WORDS)))
    alone = runs(known.data, low, high, Evolution(descending=0.0)).costs
    fast = points.speed_m_s > FAST_M_S
    slope, intercept = np.polyfit(points.speed_m_s[fast], points.force_n[fast], 1)
    return Identified(
        points, _fit(points), _fit(points_of(speeds, levelled=False)), float(np.mean(alone <= least * (1 + REACHED))),
        evenness(), step_off(known.data, low, high), float(slope), float(intercept),
    )  # fmt: skip


def points_of(speeds: tuple[Measured, ...], levelled: bool = True) -> Points:
    """Of equation 5: the mean of both directions, which takes weight and offsets out. Not levelled: A ΔP alone."""
    made = [(one, one.pair) for one in speeds if one.pair is not None]
    forces = [both.force_n + (0.0 if levelled else _inertia_n(one)) for one, both in made]
    return check_points([both.speed_m_s for _, both in made], forces)


def _inertia_n(one: Measured) -> float:
    """m a of its windows, counted against the motion, the mean of both directions."""
    means = []
    for way in (1, -1):
        own = [window for window in one.windows if window.direction == way and not window.reason]
        means.append(np.average([w.inertia_n for w in own], weights=[w.count - w.rejected for w in own]))
    return float(np.mean(means))


def _fit(points: Points) -> FrictionFit:
    return fit_friction(points, PAPER, forms=(GAUSSIAN,), robust=False)


def evenness() -> float:
    """Of the start: how unevenly Sobol's points are spread, over random ones (the median)."""
    from scipy.stats import qmc

    count, genes = Evolution().population, len(GAUSSIAN.free)
    random = np.random.default_rng(0)
    drawn = [qmc.discrepancy(random.random((count, genes))) for _ in range(_DRAWS)]
    return float(qmc.discrepancy(sobol(genes, count)) / np.median(drawn))


def curve(parameters: dict[str, float], v: Reals) -> Reals:
    """Equation 1 for v > 0, written out."""
    fc, fs, vs, sigma = (parameters[name] for name in TABLE_1)
    return np.asarray(fc + (fs - fc) * np.exp(-((v / vs) ** 2)) + sigma * v)
