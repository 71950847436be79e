"""Counting turns tells what the poles tell, and asks them seldom."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl import rig as rigs
from hilctl.design.loop import are_stable, family, frequencies, gains_of, open_loop, with_mode
from hilctl.design.stability import Stability, turned


def loops_of(name: str):
    rig = rigs.load(name)
    plants = family(rig.controller.machine, rig.friction)[::6]
    loops = [open_loop(p, rig.controller, rig.dt_s, "three_state", with_mode(frequencies(rig.dt_s), p, rig.dt_s))
             for p in plants]  # fmt: skip
    return loops, gains_of(rig.controller, "three_state")


@pytest.mark.parametrize("name", ["table-500", "press-1500", "column-50"])
def test_it_tells_what_the_poles_tell(name: str) -> None:
    loops, good = loops_of(name)
    rng = np.random.default_rng(3)
    stability = Stability(loops)
    assert stability.holds(good)
    told, true = [], []
    for spread in np.geomspace(0.05, 3.0, 250):
        gains = good * np.exp(spread * rng.standard_normal(5)) * np.where(rng.random(5) < 0.2, -1, 1)
        gains[:2] = np.abs(gains[:2])
        told.append(stability.holds(gains))
        true.append(are_stable(loops, gains))
    assert told == true
    assert 40 < sum(true) < 210
    assert stability.asked < 80


def test_before_any_gains_hold_the_poles_are_asked() -> None:
    loops, good = loops_of("table-500")
    stability = Stability(loops)
    assert not stability.holds(-good)
    assert not stability.holds(-2 * good)
    assert stability.asked == 2
    assert stability.holds(good)
    assert stability.asked == 3
    assert stability.holds(0.9 * good)
    assert stability.asked == 3


@given(st.integers(-3, 3), st.floats(0.1, 5.0), st.integers(0, 2**32 - 1))
def test_turns_are_counted_whatever_the_radius(turns: int, radius: float, seed: int) -> None:
    angle = np.linspace(0.0, 2 * np.pi * turns, 60)
    size = radius * np.exp(0.3 * np.random.default_rng(seed).standard_normal(60))
    still = np.ones(60, complex)
    assert turned(np.stack([still, size * np.exp(1j * angle)])) is (turns != 0)


def test_lines_that_are_too_far_apart_or_end_on_the_left_tell_nothing() -> None:
    assert turned(np.exp(1j * np.linspace(0, 2 * np.pi, 4))[None]) is None
    assert turned(np.exp(1j * np.linspace(0, np.pi, 60))[None]) is None
    assert turned(np.exp(1j * np.linspace(np.pi, 0, 60))[None]) is None
