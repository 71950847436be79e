"""A threshold and a play that stand in for one another are told apart."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from hilctl.identify.plant.estimate_threshold import find_threshold

TRADE = 1.5
SCALE = (1e-3, 2e-3)


class Valley:
    """A cost with a valley along which both hold back as much, and along it jumps that no slope shows; the search goes
    down into the valley, and never along it."""

    def __init__(self, threshold: float, play: float) -> None:
        self.threshold, self.held, self.searches = threshold, play + threshold / TRADE, 0

    def cost(self, q: Any) -> float:
        threshold, play = q[0] * SCALE[0], q[1] * SCALE[1]
        along = round(abs(threshold - self.threshold) / (0.02 * self.held))
        return 1e3 * ((play + threshold / TRADE) / self.held - 1) ** 2 + along

    def search(self, q: Any) -> Any:
        self.searches += 1
        threshold = q[0] * SCALE[0]
        x = np.array([q[0], max(self.held - threshold / TRADE, 0.0) / SCALE[1]])
        return SimpleNamespace(x=x, cost=self.cost(x))


def found_from(valley: Valley, threshold: float) -> tuple[float, float]:
    start = valley.search(np.array([threshold / SCALE[0], 0.0]))
    best = find_threshold(start, valley.search, lambda here: valley.cost, (0, 1), SCALE, (0.01, 0.05))
    return tuple(best.x * SCALE)


@given(held=some.floats(2e-4, 5e-3), share=some.floats(0, 1), start=some.floats(0, 1))
def test_from_wherever_the_search_ended_both_are_found(held, share, start):
    true = Valley(threshold=share * held * TRADE, play=(1 - share) * held)
    threshold, play = found_from(true, start * held * TRADE)
    assert threshold == pytest.approx(true.threshold, abs=0.1 * held)
    assert play == pytest.approx((1 - share) * held, abs=0.1 * held)


def test_a_valve_that_follows_every_command_is_searched_no_further():
    valley = Valley(0.0, 5e-5)
    found_from(valley, 0.0)
    assert valley.searches == 1


def test_what_was_found_stays_where_nothing_is_better():
    valley = Valley(1e-3, 1e-3)
    assert found_from(valley, 1e-3) == pytest.approx((1e-3, 1e-3))
    assert valley.searches == 1
