"""A quantity as it is stored and as it is now.

With the difference d, and h the 95 % interval of a difference of two independent estimates (on the side of d),

    changed      |d| > h  and  |d| > r
    undecided    not changed, and h > r: a change that matters could hide
    unchanged    otherwise

r is the least change that matters. With every parameter of the inverse model off by a tenth it removes half as much of
the distortion, with a fifth nearly nothing, first for the flow gain, then for the oil and static friction: r is less
than half of that tenth where the stored intervals allow it. What the loop hardly feels (leakage, the valve's lag)
has more. An overlap or a null that is off by 0.15 % of full opening is a twentieth of what valves are sold with.
On twins that had not changed (2026-11, 12 of tests/system/test_verify_many.py) r is 2 to 5 times h for mass, gain,
oil and friction, and |d| at most 0.7 h for the machine, 1.5 h for friction.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from hilctl.results.quantity import Quantity, closed
from hilctl.results.verified import Compared, Single


class Rule(NamedTuple):
    """The least change that matters: a share of the stored value, or an amount, whichever is more."""

    name: str
    share: float = 0.0
    amount: float = 0.0

    def least(self, stored: float) -> float:
        """In the quantity's unit."""
        return max(self.share * abs(stored), self.amount)


# By the names in a stored result.
RULES: dict[str, Rule] = {
    "m": Rule("moving mass", share=0.02),
    "Qn": Rule("valve gain", share=0.015),
    "null": Rule("valve null", amount=0.0015),
    "overlap_a": Rule("overlap, positive side", amount=0.0015),
    "overlap_b": Rule("overlap, negative side", amount=0.0015),
    "hysteresis": Rule("hysteresis", amount=0.0015),
    "wv": Rule("valve frequency", share=0.15),
    "zv": Rule("valve damping", share=0.15),
    "law.feed.extra_preview_s": Rule("delay", amount=0.4e-3),
    "beta": Rule("bulk modulus", share=0.05),
    "Ctc": Rule("leakage", share=0.15),
    "sensors.acceleration.gain": Rule("accelerometer gain", share=0.01),
}
LEAK = 0.003  # of full opening, under supply pressure
FRICTION = 0.03  # of the force at a speed


def compare(stored: Quantity | None, now: Quantity | None, rule: Rule) -> Compared:
    """The verdict on one quantity."""
    if stored is None or stored.value is None or stored.origin == "not identifiable":
        return Compared(rule.name, "not stored", now=now)
    if now is None or not now.identified or now.value is None:
        return Compared(rule.name, "not measured", stored)
    change, least = now.value - stored.value, rule.least(stored.value)
    reach = interval_of(stored, now, change)
    verdict: Single = "unchanged" if reach <= least else "undecided"
    if abs(change) > max(reach, least):
        verdict = "changed"
    return Compared(rule.name, verdict, stored, now, change, closed(reach), least)


def interval_of(stored: Quantity, now: Quantity, change: float) -> float:
    """Half the 95 % interval of the change, on the side on which it would be none."""
    assert stored.value is not None and now.value is not None
    (low, high), (now_low, now_high) = stored.bounds, now.bounds
    if change >= 0:
        return math.hypot(high - stored.value, now.value - now_low)
    return math.hypot(stored.value - low, now_high - now.value)


def compare_all(
    stored: Mapping[str, Quantity], now: Mapping[str, Quantity], supply_pa: float
) -> dict[str, Compared]:  # fmt: skip
    """Every quantity that has a rule and stands in one of the two; leakage counts by its part of the valve's flow."""
    gain = stored["Qn"].value if "Qn" in stored else None
    leak = RULES["Ctc"]._replace(amount=LEAK * (gain or 0.0) / supply_pa)
    return {
        key: compare(stored.get(key), now.get(key), rule)
        for key, rule in (RULES | {"Ctc": leak}).items() if key in stored or key in now
    }  # fmt: skip
