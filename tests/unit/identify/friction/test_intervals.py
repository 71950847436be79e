"""Intervals hold what they promise, and where the linear ones fail the profile's stand."""

import os

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import t

from hilctl.identify.friction import Evolution, check_points, fit_friction
from hilctl.identify.friction.fit_outliers import judged
from hilctl.identify.friction.fit_problem import Directions, fit_form, scaled
from hilctl.identify.friction.judge_intervals import profile_end, sureness
from hilctl.identify.friction.model_curve import FC, FS, SIGMA, VS, squares
from hilctl.identify.friction.model_laws import ANY_SHAPE, GAUSSIAN
from hilctl.identify.friction.model_ranges import ranges_for

QUICK = Evolution(runs=1, generations=1, population=8)
SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
ASYMMETRIC = {
    "model": "stribeck", "fc": 300, "fs": 3000, "vs": 0.1, "sigma": 3000,
    "negative": {"fc": 500, "fs": 2400, "vs": 0.15, "sigma": 4000},
}  # fmt: skip
LAWS = {
    "the paper's": {"model": "stribeck", "fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251},
    "delta 1": {"model": "stribeck", "fc": 800, "fs": 3118, "vs": 0.05, "sigma": 3251, "delta": 1},
    "a megaNewton": {"model": "stribeck", "fc": 3e5, "fs": 1e6, "vs": 0.02, "sigma": 9e5},
    "either direction its own": ASYMMETRIC,
}


def fitted(points, form=GAUSSIAN):
    known = scaled(points)
    everything = np.ones(points.size, bool)
    return known, fit_form(form, Directions.ALIKE, known, ranges_for(points), everything)


def truth(table, name):
    key = name.removeprefix("negative.")
    return table["negative"][key] if key != name else table[key]


def coverage(measured, table, seeds):
    """Of each parameter, over all campaigns."""
    held = {}
    for seed in range(seeds):
        for name, p in fit_friction(measured(seed, table=table)[0], offset_n=0.0, how=QUICK).parameters.items():
            if not name.endswith("delta") and (name.partition(".")[0] != "negative" or "negative" in table):
                held.setdefault(name, []).append(p.low <= truth(table, name) <= p.high)
    return {name: np.mean(values) for name, values in held.items()}


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.parametrize("law", LAWS)
def test_95_percent_intervals_hold_the_truth_in_95_percent_of_500_campaigns(measured, law):
    seeds = max(int(500 * SHARE), 50)
    held = coverage(measured, LAWS[law], seeds)
    chance = 3 * np.sqrt(0.05 * 0.95 / seeds)
    assert 0.92 <= np.mean(list(held.values())) <= 0.98, held
    assert all(0.95 - chance - 0.01 <= share <= 0.95 + chance for share in held.values()), held


def test_most_intervals_hold_the_truth(measured):
    held = coverage(measured, LAWS["the paper's"], 40)
    assert min(held.values()) >= 0.85
    assert np.mean(list(held.values())) < 1.0


def test_the_covariance_is_that_of_many_campaigns(measured):
    words, told = [], []
    for seed in range(200):
        points, _, _ = measured(seed)
        known, fit = fitted(points)
        sure = sureness(fit, fit.blocks[0], known)
        words.append((fit.blocks[0].x * known.units())[list(sure.names)])
        told.append(sure.covariance)
    assert sure.names == (FC, FS, VS, SIGMA)
    true, mean = np.cov(np.transpose(words)), np.mean(told, axis=0)
    sd = np.sqrt(np.diag(true))
    assert np.sqrt(np.diag(mean)) == pytest.approx(sd, rel=0.15)
    assert mean / np.outer(sd, sd) == pytest.approx(true / np.outer(sd, sd), abs=0.25)


@pytest.mark.parametrize("word", [FC, FS, VS, SIGMA])
def test_a_profile_ends_where_the_others_can_do_no_more(measured, word):
    points, _, _ = measured(5)
    _, fit = fitted(points)
    block = fit.blocks[0]
    allowed = block.squares * 1.2
    for sign in (-1.0, 1.0):
        end = profile_end(block.data, block.low, block.high, block.x, word, allowed, sign * 0.01 * block.x[word])
        others = [j for j in block.free() if j != word]

        def with_others(values, end=end, others=others):
            x = block.x.copy()
            x[word] = end
            x[others] = values * block.x[others]
            return squares(block.data, x) / block.squares

        best = minimize(with_others, np.ones(len(others)), method="Nelder-Mead",
                        options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000})  # fmt: skip
        assert best.fun == pytest.approx(1.2, rel=1e-5)
        assert (end - block.x[word]) * sign > 0


def test_straight_valleys_get_linear_intervals_and_bent_ones_the_profile(measured):
    straight = fit_friction(measured(1)[0], how=QUICK)
    assert {p.reason for p in straight.parameters.values()} == {"constant speeds, linear interval"}
    bent = fit_friction(measured(1, noise=0.15)[0], how=QUICK, forms=(ANY_SHAPE,))
    assert "constant speeds, profile interval" in {p.reason for p in bent.parameters.values()}
    for p in bent.parameters.values():
        assert p.low <= p.value <= p.high


def test_a_linear_interval_is_t_standard_deviations_wide(measured):
    points, _, _ = measured(1)
    known, fit = fitted(points)
    sure = sureness(fit, fit.blocks[0], known)
    for k, interval in enumerate(sure.intervals):
        assert interval.sd == pytest.approx(np.sqrt(sure.covariance[k, k]), rel=1e-12)
        assert interval.high - interval.low == pytest.approx(2 * t.ppf(0.975, points.size - 4) * interval.sd, rel=1e-9)


def widths(noise_n, sd_n):
    """Of the intervals of a law whose points scatter by so much, and are said to be known so well."""
    fc, fs, vs, sigma = (LAWS["the paper's"][key] for key in ("fc", "fs", "vs", "sigma"))
    v = np.concatenate([np.geomspace(0.005, 0.5, 6), -np.geomspace(0.005, 0.5, 6)])
    curve = np.sign(v) * (fc + (fs - fc) * np.exp(-((v / vs) ** 2))) + sigma * v
    points = check_points(v, curve + noise_n * np.random.default_rng(3).standard_normal(len(v)), sd_n)
    fit = fit_friction(points, offset_n=0.0, how=QUICK, forms=(GAUSSIAN,))
    return np.array([one.high - one.low for one in fit.parameters.values()])


def test_points_that_lie_on_their_curve_by_luck_are_no_surer_than_each_of_them():
    usual, lucky, untold = widths(5.0, 5.0), widths(0.1, 5.0), widths(0.1, None)
    assert np.all(lucky > 0.5 * usual) and np.all(lucky < 1.5 * usual)
    assert np.all(untold < 0.1 * usual)


def test_a_parameter_at_its_bound_has_an_interval_from_there(measured):
    points, _, _ = measured(2, table={**LAWS["the paper's"], "sigma": 0.0, "fc": 1000})
    lows = []
    for seed in range(12):
        points, _, _ = measured(seed, table={**LAWS["the paper's"], "sigma": 0.0, "fc": 1000})
        sigma = fit_friction(points, how=QUICK, forms=(GAUSSIAN,)).parameter("sigma")
        lows.append(sigma.value == 0.0 == sigma.low < sigma.high and "profile" in sigma.reason)
    assert 2 <= sum(lows) <= 10


def test_the_scatter_is_what_it_was_made_with(measured):
    scatters = [fit_friction(check_points(*given(measured, seed)), how=QUICK).scatter_n for seed in range(10)]
    assert np.median(scatters) == pytest.approx(30.0, rel=0.15)


def given(measured, seed):
    points, law, _ = measured(seed, noise=0.0)
    force = law.curve(points.speed_m_s) + 30.0 * np.random.default_rng(seed).standard_normal(points.size)
    return points.speed_m_s, force


def test_the_residual_that_a_point_has_without_itself_is_what_leaving_it_out_gives(measured):
    points, _, _ = measured(7)
    known, fit = fitted(points)
    told = judged(fit, known)
    for i in (0, 12, 40):
        rest = np.arange(points.size) != i
        without = fit_form(GAUSSIAN, Directions.ALIKE, known, ranges_for(points), rest)
        again = judged(without, known)
        assert told.studentised[i] == pytest.approx(again.studentised[i], rel=0.05, abs=0.02)
    assert np.nansum(told.leverage) == pytest.approx(4.0, rel=1e-6)
