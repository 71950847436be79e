"""The answer of a motion that repeats: the typical cycle, and how far that is chance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.learning.learn import PLAYS, Asked, learn
from hilctl.learning.played import Answer, _middle, played, together
from hilctl.learning.wanted import Wanted
from tests.unit.learning.test_learn import read_facts, sine, valve

MOTION = np.sin(2 * np.pi * np.arange(40) / 40)


@given(st.integers(4, 20), st.integers(0, 2**32 - 1))
def test_a_cycle_that_was_disturbed_does_not_count(cycles, seed):
    chance = np.random.default_rng(seed)
    rows = MOTION + chance.normal(0, 1e-3, (cycles, 40))
    rows[chance.integers(cycles)] += chance.normal(0, 1e6, 40)
    mean, apart = _middle(rows)
    assert np.all(np.abs(mean - MOTION) < 5e-3)
    assert np.all(np.abs(apart) < 5e-3)


@pytest.mark.parametrize("cycles", [4, 6, 9, 15])
def test_the_scatter_that_is_told_is_the_scatter_of_the_mean(cycles):
    chance = np.random.default_rng(cycles)
    found = [_middle(chance.normal(0, 1, (cycles, 400))) for _ in range(40)]
    told = np.mean([np.sum(apart**2, axis=0) for _, apart in found])
    assert told == pytest.approx(np.var([mean for mean, _ in found]), rel=0.15)


def test_one_row_is_itself():
    mean, apart = _middle(MOTION[None])
    assert np.array_equal(mean, MOTION)
    assert not np.any(apart)


def test_plays_together_are_their_mean_with_less_chance():
    lines = np.arange(3, dtype=complex)
    one = Answer(lines, 100, np.full(3, 4.0), lines, lines, ("a", "b"))
    other = Answer(lines + 2, 100, np.full(3, 2.0), lines, lines, ("b",))
    both = together([one, other])
    assert np.array_equal(both.x, lines + 1)
    assert (both.ticks, both.notes) == (200, ("a", "b"))
    assert np.array_equal(both.noise, np.full(3, 1.5))
    assert together([one]).noise == pytest.approx(one.noise)


def test_a_drive_whose_answer_is_chance_is_played_again(monkeypatch):
    """As over a link that loses answers: each play is another, and its cycles differ."""
    chance, seen = np.random.default_rng(1), []

    def shaken(rig, wanted: Wanted, *rest):
        answer = played(rig, wanted, *rest)
        off = 0.2 * np.abs(wanted.lines[1]) / (1 + np.arange(len(answer.x))) ** 2
        seen.append(answer)
        return answer._replace(x=answer.x + chance.normal(0, off) / 2, noise=answer.noise + (off / 2) ** 2)

    monkeypatch.setattr("hilctl.learning.learn.played", shaken)
    rig = valve()
    motion = sine(rig)
    found = learn(rig, read_facts(rig), motion, Asked("it", drives=2, target_percent=0.01))
    assert len(seen) == PLAYS * len(found.repeats)


def test_a_drive_whose_error_is_its_own_is_played_once():
    rig = valve(share=0.0)
    found = learn(rig, read_facts(rig), sine(rig), Asked("it", drives=2))
    assert len(rig.tracked) == len(found.repeats)
