"""Variable projection finds the least sum of squares, wherever it lies: beside a dense search."""

import numpy as np
import pytest

from hilctl.identify.friction.fit_points import check_points
from hilctl.identify.friction.fit_problem import scaled
from hilctl.identify.friction.fit_solve import best_linear
from hilctl.identify.friction.fit_varpro import varpro
from hilctl.identify.friction.model_curve import DELTA, POWER, SIGMA, VS, WORDS, squares
from hilctl.identify.friction.model_laws import ANY_SHAPE, EXPONENTIAL, FORMS, GAUSSIAN, POWERED
from hilctl.identify.friction.model_ranges import PAPER, ranges_for


def dense(data, low, high, count):
    """The least of many."""
    work, x, least = np.empty((12, 3)), low.copy(), np.inf
    shape = POWER if high[POWER] > low[POWER] else DELTA
    speeds = np.geomspace(low[VS], high[VS], count) if high[VS] > low[VS] else [low[VS]]
    for value in np.geomspace(low[shape], high[shape], 60) if high[shape] > low[shape] else [low[shape]]:
        for vs in speeds:
            x[shape], x[VS] = value, vs
            least = min(least, best_linear(data, x, low, high, work))
    return least


@pytest.mark.parametrize("seed", range(40))
def test_no_dense_search_finds_less_even_in_pure_noise(seed):
    random = np.random.default_rng(seed)
    speed = np.geomspace(0.001, 0.8, 14) * random.uniform(0.9, 1.1, 14)
    force = random.uniform(0, 1000, 14)
    points = check_points(speed, force)
    known = scaled(points)
    for form in (GAUSSIAN, EXPONENTIAL):
        low, high = form.bounds(ranges_for(points, (1e-4, 10.0)), known.unit_n, 0.0)
        x = np.zeros(WORDS)
        least = varpro(known.data, low, high, x)
        assert least <= dense(known.data, low, high, 2000) * (1 + 1e-12)
        assert squares(known.data, x) == pytest.approx(least, rel=1e-12)
        assert np.all(x >= low) and np.all(x <= high)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_every_law_is_searched_whole(form, measured):
    points, _, _ = measured(3, noise=0.05)
    known = scaled(points)
    low, high = form.bounds(ranges_for(points), known.unit_n, known.unit_n)
    assert varpro(known.data, low, high, np.zeros(WORDS)) <= dense(known.data, low, high, 400) * (1 + 1e-12)


def test_without_noise_the_law_itself_comes_back(measured):
    points, law, _ = measured(0, noise=0.0)
    known = scaled(points)
    for form in (GAUSSIAN, ANY_SHAPE):
        for ranges in (PAPER, ranges_for(points, (1e-4, 10.0))):
            low, high = form.bounds(ranges, known.unit_n, 0.0)
            x = np.zeros(WORDS)
            varpro(known.data, low, high, x)
            table = form.table(x * known.units())
            assert table == pytest.approx({name: getattr(law.params, name) for name in table}, rel=1e-9)


def test_a_bound_that_is_met_is_met_exactly(measured):
    points, _, _ = measured(1)
    known = scaled(points)
    low, high = GAUSSIAN.bounds(PAPER, known.unit_n, 0.0)
    best, bounded = np.zeros(WORDS), np.zeros(WORDS)
    least = varpro(known.data, low, high, best)
    high[SIGMA] = 0.9 * best[SIGMA]
    more = varpro(known.data, low, high, bounded)
    assert bounded[SIGMA] == high[SIGMA]
    assert least < more <= dense(known.data, low, high, 2000) * (1 + 1e-12)


def test_powers_of_the_speed_are_found(measured):
    points, _, _ = measured(2, table={"model": "static", "fc": 50, "fs": 50, "fv": 900, "dv": 1.8}, noise=0.0)
    known = scaled(points)
    low, high = POWERED.bounds(ranges_for(points), known.unit_n, 0.0)
    x = np.zeros(WORDS)
    varpro(known.data, low, high, x)
    table = POWERED.table(x * known.units())
    assert table == pytest.approx({"fc": 50, "fs": 50, "fv": 900, "dv": 1.8}, rel=1e-8)
