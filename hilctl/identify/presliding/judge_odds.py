"""How probable each friction model is.

Jump or spring: the travel t of the table while friction turns, and its standard error e. Under a jump t is an error
alone; under a spring it is anything from RESOLVED e to SOFTEST of the oil's stroke, each factor as probable as another.
A stiffer spring counts as a jump, for nothing here would show it. Errors follow Student's distribution: e comes from
BLOCKS blocks of cycles. It is not believed below FLOOR of the position noise, nor below SYSTEMATIC of the oil's stroke:
on the twin of the reference rig a jump shows a travel of 0.4 µm of 82.

Which spring: each model is fitted to every second cycle, and leaves V variances a point in the others. If what is left
were noise of unknown size, the likelihood of a model would be V^(-n/2), n independent points. Neighbouring points are
not independent: position noise is slow, and what no model describes (a sensor's delay, the curve of another day) is in
every cycle alike. So n is the number of points over the time for which the residuals of the best model hang together,
and the exponent is divided by TEMPER for what remains of that.

TEMPER and LEVEL are checked on random simulated rigs, by tests/unit/identify/presliding/test_odds.py: of the models
that are said to have a probability p, a share of about p is right.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import t as student

from hilctl.identify.presliding.estimate_cycles import Reals
from hilctl.identify.presliding.estimate_travel import BLOCKS, Travel
from hilctl.results.reversals import Choice, Kind

LEVEL = 0.9  # from which probability on a model is chosen
TEMPER = 5.0
RULED_OUT = 0.01  # a less probable model need not be tried
SOFTEST = 30.0  # times the oil's stroke: no bristles give way by more
RESOLVED = 3.0  # standard errors of travel: a spring that moves the table by less cannot be distinguished from a jump
FLOOR, SYSTEMATIC = 0.4, 0.005
_LEAST = 1e-12  # of a probability, so that its logarithm is one


def of_jump(travel: Travel, oil_m: float, noise_m: float) -> float:
    """The probability that friction jumps. `oil_m`: the oil's stroke; `noise_m`: of the position in the mean cycle."""
    error = math.hypot(travel.error_m, FLOOR * noise_m, SYSTEMATIC * oil_m)
    if not math.isfinite(error) or not math.isfinite(travel.travel_m):
        return 1.0
    jump = float(student.pdf(travel.travel_m / error, BLOCKS - 1))
    ways = np.geomspace(RESOLVED * error, max(SOFTEST * oil_m, 2 * RESOLVED * error), 400)
    spring = float(np.mean(student.pdf((travel.travel_m - ways) / error, BLOCKS - 1)))
    return jump / max(jump + spring, 1e-300)


def independent(residual: Reals, sizes: Sequence[int]) -> float:
    """As how many independent points a residual counts, cycles of these sizes one behind another.

    Over its correlation time: the sum of its correlations, as long as pairs of neighbours are positive (Geyer's initial
    positive sequence). Each cycle is periodic.
    """
    lags = min(sizes) // 2
    parts = np.split(residual, np.cumsum(sizes)[:-1])
    shared = np.sum([np.fft.irfft(np.abs(np.fft.rfft(part)) ** 2, len(part))[:lags] for part in parts], axis=0)
    if not shared[0] > 0.0:
        return float(len(residual))
    pairs = (shared[1:-1:2] + shared[2::2]) / shared[0]
    ends = np.flatnonzero(pairs <= 0.0)
    time = 1.0 + 2.0 * float(np.sum(pairs[: ends[0] if len(ends) else len(pairs)]))
    return len(residual) / max(time, 1.0)


def of_springs(left: Mapping[Kind, float], points: float) -> dict[Kind, float]:
    """Of each model by what it leaves a point, so many of them independent."""
    names = list(left)
    logs = -0.5 * points / TEMPER * np.log([max(left[name], 1e-300) for name in names])
    odds = np.maximum(np.exp(logs - logs.max()), _LEAST)
    return dict(zip(names, (odds / odds.sum()).tolist(), strict=True))


def choice(probabilities: Mapping[Kind, float]) -> Choice:
    """The model that is probable enough, or `undecided`."""
    best = max(probabilities, key=lambda name: probabilities[name])
    return best if probabilities[best] >= LEVEL else "undecided"
