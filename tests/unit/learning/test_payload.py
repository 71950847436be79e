"""The mass that the load pressure shows, whatever the friction."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.learning.payload import Moved, changed, moved
from hilctl.learning.played import Answer
from hilctl.learning.wanted import Wanted, lines_of

AREA_M2 = 3e-3


def answer_of(motion: Wanted, mass_kg: float, friction: "np.ndarray") -> Answer:
    """What a rig would show."""
    w = 2 * np.pi * motion.hz
    a = -(w**2) * motion.lines
    load = (mass_kg * a + lines_of(friction)) / AREA_M2
    return Answer(motion.lines, len(motion.x), np.zeros(len(w)), a, load)


@settings(deadline=None, max_examples=30)
@given(st.floats(50, 2000), st.floats(0, 5000), st.floats(0, 5000), st.integers(0, 1000))
def test_the_mass_is_seen_through_any_friction_of_the_speed(mass_kg, still_n, slope, seed):
    chance, n, h = np.random.default_rng(seed), 4000, 2e-3
    spectrum = np.zeros(n // 2 + 1, complex)
    spectrum[4:80] = chance.normal(size=76) + 1j * chance.normal(size=76)
    x = np.fft.irfft(spectrum, n)
    motion = Wanted("", 0.03 * x / np.max(np.abs(x)), h, 0.0, False)
    v = np.fft.irfft(2j * np.pi * motion.hz * motion.lines * n, n)
    friction = np.sign(v) * still_n + slope * v
    seen = moved(answer_of(motion, mass_kg, friction), AREA_M2, motion, 100.0)
    other = moved(answer_of(motion, 1.1 * mass_kg, friction), AREA_M2, motion, 100.0)
    assert abs(seen.kg - mass_kg) < 6 * seen.error_kg + 1e-3 * mass_kg
    assert other.kg - seen.kg == pytest.approx(0.1 * mass_kg, rel=1e-6)
    assert other.error_kg == pytest.approx(seen.error_kg, rel=0.1, abs=1e-6 * mass_kg)


def test_without_pressures_there_is_none():
    motion = Wanted("", np.sin(np.arange(100) * 2 * np.pi / 100), 1e-3, 0.0, True)
    none = Answer(motion.lines, 100, np.zeros(51), motion.lines, np.full(51, np.nan + 0j))
    assert math.isnan(moved(none, AREA_M2, motion, 100.0).kg)


@pytest.mark.parametrize(("before", "now", "said"), [
    ((500.0, 1.0), (510.0, 1.0), False), ((500.0, 1.0), (560.0, 1.0), True), ((500.0, 1.0), (440.0, 1.0), True),
    ((500.0, 15.0), (560.0, 15.0), False), ((math.nan, math.nan), (500.0, 1.0), False),
    ((500.0, 1.0), (math.nan, math.nan), False),
])  # fmt: skip
def test_a_change_is_said_where_there_is_one(before, now, said):
    assert bool(changed(Moved(*before), Moved(*now))) == said
