"""Friction at three of the speeds at which it was measured, and what three forces say of the friction model.

slow      a hundredth of the fastest, where static friction shows
middle    the least force beyond that, where Coulomb's level shows most
fast      four fifths of the fastest, where viscous friction shows

With the shape of the curve as stored, e(v) = exp(-|v/vs|^delta), the difference of the forces is

    dF(v) = dfc (1 - e) + dfs e + dsigma v

three equations for three changes; where the stored model has no falling branch, e = 0 and there are two of them.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hilctl.results.commissioned import Commissioned
from hilctl.results.friction import Pair
from hilctl.results.quantity import Quantity
from hilctl.results.verified import Compared
from hilctl.verify.compare import FRICTION, Rule, compare

SLOW, FAST = 0.01, 0.8  # of the fastest speed that was measured
NAMES = ("friction_slow", "friction_middle", "friction_fast")
CONSTANT_FORCE, CONSTANT = "constant_force", 0.003  # of the supply's force: of half of it, one sensor off by 0.6 %
SURE = 1.96
SHAPE = 2.0  # delta, where the stored model has none of its own


class Shift(NamedTuple):
    """By what a parameter of the friction model has changed."""

    change: float
    interval: float  # half of its 95 % interval
    relevant: float

    @property
    def is_one(self) -> bool:
        """Whether it has changed."""
        return abs(self.change) > max(self.interval, self.relevant)


def speeds_of(stored: Commissioned) -> list[Pair]:
    """The stored points that are measured again, from slow to fast; fewer than three where few are stored."""
    pairs = sorted(stored.campaign.curve, key=lambda p: p.speed_m_s) if stored.campaign else []
    if len(pairs) < len(NAMES):
        return pairs
    top = pairs[-1].speed_m_s
    slow = min(pairs[:-2], key=lambda p: abs(math.log(p.speed_m_s / (SLOW * top))))
    fast = min(pairs[pairs.index(slow) + 2 :], key=lambda p: abs(math.log(p.speed_m_s / (FAST * top))))
    between = pairs[pairs.index(slow) + 1 : pairs.index(fast)]
    middle = min(between, key=lambda p: p.force_n)
    if middle in (between[0], between[-1]):  # the curve only rises, or only falls
        root = math.sqrt(slow.speed_m_s * fast.speed_m_s)
        middle = min(between, key=lambda p: abs(math.log(p.speed_m_s / root)))
    return [slow, middle, fast]


def asked(pairs: Sequence[Pair]) -> list[float]:
    """As a campaign takes them."""
    return [float(f"{pair.speed_m_s:.4g}") for pair in pairs]


def compared(stored: Commissioned, now: Sequence[Pair], supply_n: float) -> dict[str, Compared]:
    """Each of the speeds, and the force that both directions share, which counts by the force of the supply.

    A stored force is shifted along its own curve to the speed of the new one.
    """
    found: dict[str, Compared] = {}
    pairs = speeds_of(stored)
    for name, pair in zip(NAMES, pairs, strict=False):
        near = min(now, key=lambda one: abs(math.log(one.speed_m_s / pair.speed_m_s)), default=None)
        if near is not None and not 0.9 < near.speed_m_s / pair.speed_m_s < 1.1:
            near = None
        at = near.speed_m_s if near else pair.speed_m_s
        force_n = pair.force_n + _along(stored, at) - _along(stored, pair.speed_m_s)
        then = _quantity(force_n, pair.std_n)
        again = _quantity(near.force_n, near.std_n) if near else None
        found[name] = compare(then, again, Rule(f"friction at {pair.speed_m_s:.3g} m/s", share=FRICTION))
    if pairs:
        rule = Rule("constant force", amount=CONSTANT * supply_n)
        found[CONSTANT_FORCE] = compare(_constant(pairs), _constant(now) if now else None, rule)
    return found


def _constant(pairs: Sequence[Pair]) -> Quantity:
    weights = np.array([1 / pair.std_n**2 for pair in pairs])
    mean = float(weights @ np.array([pair.offset_n for pair in pairs]) / weights.sum())
    return _quantity(mean, 1 / math.sqrt(float(weights.sum())))


def _along(stored: Commissioned, speed_m_s: float) -> float:
    assert stored.campaign is not None
    pairs = sorted(stored.campaign.curve, key=lambda p: p.speed_m_s)
    return float(np.interp(speed_m_s, [p.speed_m_s for p in pairs], [p.force_n for p in pairs]))


def _quantity(force_n: float, std_n: float) -> Quantity:
    return Quantity(force_n, force_n - SURE * std_n, force_n + SURE * std_n, "N", "measured", "constant speeds")


def shifts(pairs: Sequence[Pair], found: Mapping[str, Compared], table: Mapping[str, Any]) -> dict[str, Shift]:
    """Of static friction, Coulomb's level and viscous friction; empty where a speed is missing."""
    ones = [found[name] for name in NAMES if name in found]
    if len(ones) < len(NAMES) or any(one.change is None or one.interval is None for one in ones):
        return {}
    v = np.array([pair.speed_m_s for pair in pairs])
    force = np.array([pair.force_n for pair in pairs])
    change = np.array([one.change for one in ones], float)
    sd = np.array([one.interval for one in ones], float)
    vs, delta = float(table.get("vs") or 0.0), float(table.get("delta") or SHAPE)
    e = np.exp(-((v / vs) ** delta)) if vs > 0 else np.zeros(len(v))
    columns = {"fc": 1 - e, "sigma": v} | ({"fs": e} if vs > 0 else {})
    slopes = np.stack(list(columns.values()), axis=1)
    weighed = slopes / sd[:, None]
    covariance = np.linalg.pinv(weighed.T @ weighed)
    best = covariance @ (weighed.T @ (change / sd))
    least = [FRICTION * float(np.min(force / np.maximum(column, 1e-9))) for column in columns.values()]
    return {
        name: Shift(float(best[k]), math.sqrt(float(covariance[k, k])), least[k]) for k, name in enumerate(columns)
    }  # fmt: skip
