"""Which friction models are tried on a rig, and in which order."""

from types import SimpleNamespace
from typing import Any

import pytest

from hilctl.commission.candidates import Candidate, Trial, candidates_of, compare
from hilctl.results.reversals import Alternative

FIT: Any = SimpleNamespace(law="stribeck, delta 2", table={"model": "stribeck"})


def found(kind: str, *others: Alternative) -> Any:
    return SimpleNamespace(kind=kind, friction={"model": kind}, why="the loops", alternatives=list(others))


def test_an_undecided_rig_tries_what_is_not_ruled_out_before_the_curve_alone():
    gms = Alternative("gms", 0.4, {"model": "gms"})
    tried = candidates_of(FIT, found("lugre", gms, Alternative("static", 0.02, {"model": "karnopp"})))
    assert [one.name for one in tried] == ["lugre", "gms", "stribeck, delta 2"]
    assert tried[1].table == {"model": "gms"}
    assert "40 %" in tried[1].why


def test_without_alternatives_the_curve_alone_is_the_other():
    assert [one.name for one in candidates_of(FIT, found("gms"))] == ["gms", "stribeck, delta 2"]
    assert [one.name for one in candidates_of(FIT, None)] == ["stribeck, delta 2"]


def test_a_jump_is_the_curve_alone():
    assert [(one.name, one.why) for one in candidates_of(FIT, found("static"))] == [("stribeck, delta 2", "the loops")]


def trial(name: str, at_half: float, at_one: float, at_two: float) -> Trial:
    return Trial(Candidate(name, {}, ""), {"1": at_one, "0.5": at_half, "2": at_two}, 0.0, 1, {})


BEFORE = {"1": 16.0, "0.5": 16.0, "2": 16.0}


def test_a_model_that_is_right_at_one_frequency_only_is_not_kept():
    found = compare(BEFORE, None, [trial("jump", 32.0, 1.0, 16.0), trial("lugre", 4.0, 2.0, 4.0)])
    assert found.factors == pytest.approx([2.0, (8 * 4 * 4) ** (1 / 3)])
    assert found.best == 1 and found.machine is None


@pytest.mark.parametrize(("percent", "best"), [(15.0, 0), (17.0, -1)])
def test_a_model_is_kept_where_it_leaves_less_than_nothing_does(percent, best):
    assert compare(BEFORE, None, [trial("jump", percent, percent, percent)]).best == best


def test_and_less_than_the_machine_alone():
    one = trial("jump", 8.0, 8.0, 8.0)
    found = compare(BEFORE, dict.fromkeys(BEFORE, 4.0), [one])
    assert found.best == -1 and found.machine == pytest.approx(4.0) and found.factors == pytest.approx([2.0])
    assert compare(BEFORE, dict.fromkeys(BEFORE, 9.0), [one]).best == 0


def test_only_what_all_have_counts():
    """A sine that could not be measured under one says nothing of the others."""
    part = trial("lugre", 0.0, 2.0, 0.0)._replace(by_hz={"1": 2.0})
    found = compare({**BEFORE, "5": 16.0}, None, [trial("jump", 1.0, 4.0, 1.0), part])
    assert found.factors == pytest.approx([4.0, 8.0]) and found.best == 1


def test_without_a_trial_none_is_best():
    assert compare(BEFORE, dict.fromkeys(BEFORE, 4.0), []).best == -1


@pytest.mark.parametrize(("before", "after", "best"), [(0.0, 0.0, -1), (0.0, 1.0, -1), (1.0, 0.0, 0)])
def test_a_sine_without_any_distortion_is_compared_like_any_other(before, after, best):
    assert compare(dict.fromkeys(BEFORE, before), None, [trial("jump", after, after, after)]).best == best
