"""Which friction models are tried on a rig, and in which order."""

from types import SimpleNamespace
from typing import Any

from hilctl.commission.candidates import candidates_of
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
