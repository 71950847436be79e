"""The law that the points have is found among the static ones, and the directions are told apart where they differ."""

import numpy as np
import pytest

from hilctl.identify.friction import Evolution, TooFewPoints, check_points, fit_friction
from hilctl.identify.friction.model_laws import FORMS, GAUSSIAN

QUICK = Evolution(runs=1, generations=1, population=8)
CURVE = {"model": "stribeck", "fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}
HIDDEN = {
    "coulomb": {"model": "coulomb", "fc": 450},
    "coulomb+viscous": {"model": "static", "fc": 450, "fs": 450, "fv": 2000},
    "coulomb+power": {"model": "static", "fc": 450, "fs": 450, "fv": 2000, "dv": 1.8},
    "stribeck, delta 2": CURVE,
    "stribeck, delta 1": {**CURVE, "delta": 1},
    "stribeck, delta free": {**CURVE, "delta": 1.4},
}
SCALES = [
    {"fc": 4, "fs": 10, "vs": 0.03, "sigma": 8},
    {"fc": 60, "fs": 90, "vs": 0.02, "sigma": 40},
    {"fc": 3e5, "fs": 1e6, "vs": 0.2, "sigma": 9e5},
    {"fc": 2000, "fs": 9000, "vs": 0.006, "sigma": 3000},
]


def test_every_law_is_hidden_once():
    assert set(HIDDEN) == {form.name for form in FORMS}


@pytest.mark.parametrize("law", HIDDEN)
def test_the_hidden_law_is_found(measured, law):
    found = []
    for seed in range(8):
        points, friction, _ = measured(seed, table=HIDDEN[law])
        fit = fit_friction(points, how=QUICK)
        found.append(fit.law)
        assert fit.friction.curve(points.speed_m_s) == pytest.approx(friction.curve(points.speed_m_s), rel=0.05, abs=60)
    assert found.count(law) >= 7, found


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: f"{scale['fs']:g} N")
def test_the_same_is_found_at_any_scale(measured, scale):
    laws = []
    for seed in range(10):
        points, hidden, _ = measured(seed, table={"model": "stribeck", **scale}, noise=0.005)
        fit = fit_friction(points)
        laws.append(fit.law)
        for name, value in scale.items():
            assert fit.parameter(name).value == pytest.approx(value, rel=0.15), name
        assert fit.friction.curve(points.speed_m_s) == pytest.approx(hidden.curve(points.speed_m_s), rel=0.01)
        assert fit.searches[0].reached == 1.0
    assert laws.count("stribeck, delta 2") >= 9


def test_without_noise_the_table_itself_comes_back(measured):
    for table in HIDDEN.values():
        points, friction, _ = measured(0, table=table, noise=0.0)
        fit = fit_friction(points)
        kept = {key: value for key, value in fit.friction.table().items() if key not in ("negative", "model")}
        assert fit.friction.model == table["model"]
        assert kept == pytest.approx({key: friction.table()[key] for key in kept}, rel=1e-6)
        assert fit.r2 == pytest.approx(1.0, abs=1e-9)


def test_directions_that_differ_get_a_set_each(measured):
    negative = {"fc": 350, "fs": 2800, "vs": 0.1, "sigma": 3600}
    for seed in range(10):
        points, law, _ = measured(seed, table={**CURVE, "negative": negative})
        fit = fit_friction(points, how=QUICK)
        assert fit.directions == "apart"
        assert fit.flagged("directions_differ")
        table = fit.friction.table()
        assert table["fs"] == pytest.approx(3118, rel=0.03)
        assert table["negative"]["fs"] == pytest.approx(2800, rel=0.03)
        assert fit.friction.curve(points.speed_m_s) == pytest.approx(law.curve(points.speed_m_s), rel=0.06)


def test_directions_that_are_alike_stay_together(measured):
    assert [fit_friction(measured(seed)[0], how=QUICK).directions for seed in range(25)].count("alike") >= 24


def test_what_does_not_turn_with_the_direction_is_no_friction(measured):
    for seed in range(10):
        points, _, _ = measured(seed, offset=75.0)
        fit = fit_friction(points, how=QUICK)
        assert fit.directions == "offset"
        assert fit.offset.value == pytest.approx(75, abs=25)
        assert fit.flagged("offset")
        assert fit.parameter("fs").value == pytest.approx(3118, rel=0.02)
    known = fit_friction(points, offset_n=75.0, how=QUICK)
    assert known.directions == "alike"
    assert (known.offset.origin, known.offset.reason) == ("assumed", "given")
    assert np.abs(known.residual_n).mean() < 60


def test_an_offset_that_is_known_to_be_none_counts_as_friction(measured):
    points, _, _ = measured(0, offset=75.0)
    fit = fit_friction(points, offset_n=0.0, how=QUICK)
    assert fit.directions == "apart"
    assert fit.offset is None


def test_the_choice_is_told_with_its_evidence(measured):
    fit = fit_friction(measured(0)[0], how=QUICK)
    laws = fit.to_json()["laws"]
    assert [row["law"] for row in laws] == [form.name for form in FORMS]
    assert min(row["above_best"] for row in laws) == 0
    assert sum(row["weight"] for row in laws) == pytest.approx(1)
    chosen = next(row for row in laws if row["law"] == fit.law)
    assert chosen["above_best"] <= 4
    assert [test["richer"] for test in chosen["f_tests"]] == ["offset", "apart"]
    assert fit.why.startswith("stribeck, delta 2: ")


def test_laws_that_need_more_speeds_than_there_are_say_so(measured):
    points, _, _ = measured(0, speeds=[0.001, 0.1, 0.8])
    fit = fit_friction(points, how=QUICK)
    refused = {row["law"]: row["refused"] for row in fit.to_json()["laws"]}
    assert "needs 5 different speeds" in refused["stribeck, delta 2"]
    assert refused["coulomb"] == ""
    with pytest.raises(TooFewPoints, match=r"4 of 4 points|6 of 6 points.*stribeck, delta 2 needs 5 different speeds"):
        fit_friction(points, forms=(GAUSSIAN,))


def test_repeated_windows_are_points_like_others(measured):
    points, law, _ = measured(0, ways=(1, -1, 1, -1, 1, -1))
    assert points.size == 150
    fit = fit_friction(points, how=QUICK)
    assert fit.law == "stribeck, delta 2"
    assert fit.friction.curve(points.speed_m_s) == pytest.approx(law.curve(points.speed_m_s), rel=0.02)
    assert check_points(points.speed_m_s, points.force_n).speeds() == 25


def test_a_law_of_one_level_cannot_have_both_an_offset_and_directions(measured):
    """With one number each, an offset and a level a direction are the same thing: nothing is richer."""
    fit = fit_friction(measured(0, table=HIDDEN["coulomb"], offset=200.0)[0], how=QUICK)
    assert fit.law == "coulomb"
    assert fit.directions == "offset"


@pytest.mark.parametrize(("share", "directions"), [(0.003, "alike"), (0.03, "apart")])
def test_directions_that_differ_by_less_than_sensors_do_are_alike(measured, share, directions):
    negative = {key: value * (1 + share) for key, value in CURVE.items() if key != "model"}
    points, _, _ = measured(0, table={**CURVE, "negative": negative}, noise=1e-4)
    fit = fit_friction(points, offset_n=0.0, how=QUICK)
    assert fit.directions == directions
    tried = next(row for row in fit.to_json()["laws"] if row["law"] == fit.law)["f_tests"][-1]
    assert tried["probability"] < 1e-3
    assert tried["difference"] == pytest.approx(share, rel=0.7)
