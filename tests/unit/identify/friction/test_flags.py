"""What cannot be told from the points is said, every time; and nothing is said of a good campaign."""

import os

import numpy as np
import pytest

from hilctl.friction import check_friction
from hilctl.identify.friction import PAPER, Evolution, check_points, check_ranges, fit_friction, ranges_for
from hilctl.identify.friction.model_laws import GAUSSIAN
from hilctl.params import plain

QUICK = Evolution(runs=1, generations=20, population=8)
SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
MANY = max(int(200 * SHARE), 20)
UNKNOWN = {"imprecise", "open", "bound", "no_falling_branch"}
CURVE = {"model": "stribeck", "fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}


def codes(fit):
    return {flag.code for flag in fit.flags}


def hidden(seed):
    """A law of any size."""
    random = np.random.default_rng(1000 + seed)
    level, vs = 10 ** random.uniform(1, 6), 10 ** random.uniform(-2.5, -0.3)
    words = {"fc": level * random.uniform(0.05, 0.7), "fs": level, "vs": vs, "sigma": level * random.uniform(0.1, 1.5)}
    return random, {"model": "stribeck", **words}


def only_fast(measured, seed):
    random, table = hidden(seed)
    slowest = min(table["vs"] * random.uniform(1.5, 4), 0.6)
    fit = fit_friction(measured(seed, table=table, speeds=np.geomspace(slowest, 0.8, 25))[0], how=QUICK)
    return codes(fit) & {"only_fast", "no_falling_branch", "narrow_speeds"}


def only_slow(measured, seed):
    random, table = hidden(seed)
    fastest = table["vs"] * random.uniform(0.1, 0.7)
    fit = fit_friction(measured(seed, table=table, speeds=np.geomspace(1e-4, fastest, 25))[0], how=QUICK)
    return codes(fit) & {"only_slow", *UNKNOWN}


def wrong_ranges(measured, seed):
    random, table = hidden(seed)
    points, _, _ = measured(seed, table=table)
    free = fit_friction(points, how=QUICK)
    name = str(random.choice(["fc", "fs", "vs", "sigma"]))
    ends = np.array([1.5, 3.0]) if random.random() < 0.5 else np.array([1 / 3, 1 / 1.5])
    if "stribeck" not in free.law or not free.parameter(name).identified:
        return {"not known anyway"}
    given = plain(ranges_for(points))
    given[name] = list(table[name] * ends)
    if given["fs"][1] < given["fc"][0]:
        return {"refused"}
    return codes(fit_friction(points, check_ranges(given), how=QUICK)) & {"ranges", "bound", "open", "imprecise"}


def single_slow_point(measured, seed):
    _, table = hidden(seed)
    table["vs"] = min(table["vs"], 0.08)
    speeds = [1e-3, *np.geomspace(3.5 * table["vs"], 0.8, 15)]
    fit = fit_friction(measured(seed, table=table, speeds=speeds, ways=(1,))[0], how=QUICK)
    return codes(fit) & {"single_point", *UNKNOWN} and codes(fit) & {"one_direction"}


CASES = (only_fast, only_slow, wrong_ranges, single_slow_point)


@pytest.mark.parametrize("unidentifiable", CASES, ids=lambda case: case.__name__)
def test_what_cannot_be_identified_is_flagged(measured, unidentifiable):
    assert [seed for seed in range(12) if not unidentifiable(measured, seed)] == []


@pytest.mark.slow
@pytest.mark.parametrize("unidentifiable", CASES, ids=lambda case: case.__name__)
def test_what_cannot_be_identified_is_flagged_every_time(measured, unidentifiable):
    assert [seed for seed in range(MANY) if not unidentifiable(measured, seed)] == []


def test_a_good_campaign_is_not_flagged(measured):
    fits = [fit_friction(measured(seed, noise=0.005)[0]) for seed in range(20)]
    assert sum(1 for fit in fits if not fit.flags) >= 17, [fit.flags for fit in fits]
    assert all(p.identified for fit in fits for p in fit.parameters.values())


def test_a_range_that_is_met_is_told_with_its_end(measured):
    ranges = check_ranges({"fs": [2500, 3000]})
    fit = fit_friction(measured(0)[0], ranges, how=QUICK)
    assert not fit.parameter("fs").identified
    (bound,) = [flag for flag in fit.flagged("bound") if flag.key == "fs"]
    assert bound.text == "fs = 3000 N is the upper end of its range: the data want to go beyond"
    (shut,) = fit.flagged("ranges")
    assert "fs 31" in shut.remedy


def test_the_papers_ranges_hold_the_papers_rig(measured):
    fit = fit_friction(measured(0)[0], PAPER)
    assert not codes(fit) & {"ranges", "bound", "open"}
    assert fit.searches[0].reached == 1.0


def test_one_direction_is_told(measured):
    for way, word in ((1, "positive"), (-1, "negative")):
        fit = fit_friction(measured(0, ways=(way,))[0], how=QUICK)
        assert f"only the {word} direction" in fit.flagged("one_direction")[0].text
        assert fit.directions == "alike"


def test_few_and_narrow_speeds_are_told(measured):
    fit = fit_friction(measured(0, speeds=np.geomspace(0.1, 0.8, 5))[0], how=QUICK)
    assert {"few_speeds", "narrow_speeds"} <= codes(fit)


def test_a_curve_that_no_law_has_is_a_misfit(measured):
    points, law, _ = measured(0, noise=0.005)
    wavy = law.curve(points.speed_m_s) * (1 + 0.05 * np.sin(3 * np.log(np.abs(points.speed_m_s))))
    given = fit_friction(check_points(points.speed_m_s, wavy, 0.005 * np.abs(wavy)), how=QUICK, robust=False)
    assert "sd_n" in {flag.key for flag in given.flagged("misfit")}
    unsure = fit_friction(check_points(points.speed_m_s, wavy), how=QUICK, robust=False)
    assert "residuals" in {flag.key for flag in unsure.flagged("misfit")}
    speed = np.concatenate([points.speed_m_s] * 3)
    force = np.concatenate([wavy] * 3) + 5 * np.random.default_rng(0).standard_normal(150)
    repeated = fit_friction(check_points(speed, force), how=QUICK, robust=False)
    assert "repeats" in {flag.key for flag in repeated.flagged("misfit")}


def test_the_right_law_is_no_misfit(measured):
    assert sum(bool(fit_friction(measured(seed)[0], how=QUICK).flagged("misfit")) for seed in range(25)) <= 1


def test_the_weakest_direction_is_told_in_words(measured):
    fit = fit_friction(measured(0)[0], how=QUICK)
    assert fit.knowledge[0].weakest.startswith("fc and sigma trade off: fc +")
    assert 1 < fit.knowledge[0].condition < 100
    slow = fit_friction(measured(0, speeds=np.geomspace(1e-4, 0.05, 25))[0], how=QUICK)
    assert not all(p.identified for p in slow.parameters.values())


def test_no_falling_branch_is_told_and_not_invented(measured):
    law = {"model": "static", "fc": 450, "fs": 450, "fv": 2000}
    fit = fit_friction(measured(0, table=law)[0], how=QUICK)
    assert "between 0.001 and 0.8 m/s" in fit.flagged("no_falling_branch")[0].text


def test_a_point_that_no_other_could_contradict_is_named(measured):
    speeds = [1e-3, *np.geomspace(0.2, 0.8, 15)]
    points, _, _ = measured(0, table={**CURVE, "vs": 0.05}, speeds=speeds, ways=(1,), noise=0.005)
    flags = fit_friction(points, how=QUICK, forms=(GAUSSIAN,)).flagged("single_point")
    assert [flag.key for flag in flags] == ["points[0]"]


def test_laws_that_are_as_good_are_named(measured):
    table = {"model": "stribeck", "fc": 2000, "fs": 2600, "vs": 0.001, "sigma": 500}  # falls before the second speed
    points, _, _ = measured(1, table=table)
    fit = fit_friction(points, how=QUICK)
    assert "undecided" in codes(fit)
    assert check_friction(fit.friction.table()).model == "stribeck"
