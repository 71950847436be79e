"""Points from elsewhere, of cylinders and joints: every one of them counts, and the law that fits them is found."""

import json

import numpy as np
import pytest

from hilctl.cli.main import main
from hilctl.errors import WrongUse
from hilctl.friction import check_friction
from hilctl.identify.friction import BadPoints, check_points, fit_friction
from hilctl.identify.friction.fit_genetic import Evolution
from hilctl.identify.friction.from_file import fit_elsewhere, read_points

QUICK = Evolution(runs=1, generations=3)
JOINT = {"tbrk": 50.0, "tc": 20.0, "wbrk": 0.2, "sigma": 0.1}
SLIDE = {"fbrk": 3118.0, "fc": 287.0, "vbrk": 0.01, "sigma": 3251.0}
SPACED = np.geomspace(0.01, 20.0, 40)
EVEN = np.linspace(0.1, 4.0, 40)


def points_of(table, speeds, noise=0.0, seed=0):
    law = check_friction(table, joint="rotational" in table["model"])
    speeds = np.concatenate((-speeds[::-1], speeds))
    curve = law.curve(speeds)
    scatter = noise * np.abs(curve)
    spread = np.random.default_rng(seed).normal(size=len(speeds)) * scatter
    return check_points(speeds, curve + spread, scatter if noise else None)


@pytest.mark.parametrize("speeds", [SPACED, EVEN], ids=["spaced", "even"])
def test_a_joints_law_comes_back_from_its_own_points_and_none_is_set_aside(speeds):
    fit = fit_elsewhere(points_of({"model": "breakaway-rotational", **JOINT}, speeds), joint=True, how=QUICK)
    assert fit.law == "breakaway-rotational" and not fit.rejected and fit.inside.all()
    assert {name: one.value for name, one in fit.parameters.items()} == pytest.approx(JOINT, rel=0.01)
    assert [fit.parameters[name].unit for name in ("tbrk", "wbrk", "sigma")] == ["N·m", "rad/s", "N·m·s/rad"]
    assert fit.fit_percent > 99.99 and not fit.flagged("misfit")
    assert fit.friction.params.model == "breakaway-rotational"


def test_intervals_hold_a_joints_parameters_under_two_percent_of_noise():
    held = dict.fromkeys(JOINT, 0)
    for seed in range(20):
        points = points_of({"model": "breakaway-rotational", **JOINT}, SPACED, 0.02, seed)
        fit = fit_elsewhere(points, joint=True, how=QUICK)
        assert fit.law == "breakaway-rotational" and len(fit.rejected) <= 1
        for name, truth in JOINT.items():
            held[name] += fit.parameters[name].low <= truth <= fit.parameters[name].high
    assert min(held.values()) >= 16, held  # of 20, at 95 %: fewer come once in 400


def test_the_breakaway_law_of_a_cylinder_is_found_among_all():
    fit = fit_elsewhere(points_of({"model": "breakaway", **SLIDE}, np.geomspace(0.001, 0.8, 24), 0.01), how=QUICK)
    assert fit.law == "breakaway" and "of the variance" in fit.why
    assert {name: one.value for name, one in fit.parameters.items()} == pytest.approx(SLIDE, rel=0.02)


def test_a_law_that_jumps_is_not_taken_for_a_smooth_one():
    table = {"model": "stribeck", "fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
    fit = fit_elsewhere(points_of(table, np.geomspace(0.001, 0.8, 24), 0.01), how=QUICK)
    assert fit.law == "stribeck, delta 2"


def test_more_than_two_fifths_set_aside_are_refused_with_the_law_that_is_nearest():
    speeds = np.concatenate((np.geomspace(1e-3, 0.15, 24), np.geomspace(3.0, 20.0, 26)))
    points = points_of({"model": "breakaway-rotational", **JOINT}, speeds)
    with pytest.raises(BadPoints, match=r"\d\d of 100 points.*at most 40 %.*nearest to all of them is breakaway"):
        fit_friction(points, how=QUICK)
    assert not fit_elsewhere(points, joint=True, how=QUICK).rejected


def test_points_that_are_set_aside_count_in_how_well_the_curve_fits():
    table = {"model": "stribeck", "fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
    clean = points_of(table, np.geomspace(0.001, 0.8, 24), 0.01)
    force = clean.force_n.copy()
    force[[5, 30]] *= 2.0
    fit = fit_friction(check_points(clean.speed_m_s, force, clean.sd_n), how=QUICK)
    assert {one.point for one in fit.rejected} == {5, 30}
    assert fit.fit_percent < 80 < fit_friction(clean, how=QUICK).fit_percent


def test_the_example_of_the_page_is_fitted_by_its_command(tmp_path, capsys):
    assert main(["identify", "friction", "--points", "docs/examples/joint.csv", "--out", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads((tmp_path / "fit.json").read_text())
    assert (told["given"], told["set_aside"], told["joint"]) == (80, 0, True)
    for name, truth in JOINT.items():
        assert told["fit"]["parameters"][name]["low"] <= truth <= told["fit"]["parameters"][name]["high"], name


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("speed,force\n1,2\n2,3\n", "has the columns speed, force; its columns must be speed_m_s and force_n or"),
        ("1,2\n2,3\n", "has no header"),
        ("speed_m_s,force_n\n0.1,20\n0.2,many\n0.3,20\n", r"line 3: force_n must be a number: '0.2,many'"),
        ("speed_m_s,force_n\n0.1,20\n0.2\n0.3,20\n", "line 3: force_n must be a number"),
    ],
)
def test_a_file_that_holds_no_points_is_refused_by_line_and_column(tmp_path, text, says):
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(WrongUse, match=says):
        read_points(path)


def test_points_and_a_rig_at_once_are_wrong_use():
    assert main(["identify", "friction", "table-500", "--twin", "--points", "docs/examples/joint.csv"]) == 2
