"""The bounded linear problem, beside scipy's."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from hilctl.identify.friction.fit_solve import best_linear, cholesky_solve
from hilctl.identify.friction.model_curve import FC, FS, OFFSET, SIGMA, WORDS, squares

LINEAR = [FC, FS, SIGMA, OFFSET]


def problem(seed):
    """Random forces, so that any bound may be met."""
    random = np.random.default_rng(seed)
    n = int(random.integers(8, 30))
    speed = np.sort(random.uniform(0.001, 1.0, n))
    d = np.where(np.arange(n) % 2, 1.0, -1.0)
    data = np.array([speed, np.log(speed), random.normal(1.0, 1.0, n), random.uniform(0.1, 1.0, n), d])
    x = np.array([0, 0, random.uniform(0.02, 0.5), 0, random.choice([0.7, 1.0, 2.0]), 1.0, 0.0, 0.0])
    low, high = x.copy(), x.copy()
    low[[FC, FS, SIGMA]] = random.uniform(0, 1, 3)
    high[[FC, FS, SIGMA]] = low[[FC, FS, SIGMA]] + random.uniform(0.05, 3, 3)
    if seed % 2:
        low[OFFSET], high[OFFSET] = -100.0, 100.0
    high[FS] = max(high[FS], low[FC] + 0.01)
    return np.ascontiguousarray(data), x, low, high


def scipys(data, x, low, high, one_level):
    """The same by scipy, fs = fc where `one_level`."""
    speed, _, y, w, d = data
    e = np.exp(-((speed / x[2]) ** x[4]))
    columns = [1 - e, e, speed, d]
    bounds = [(low[j], high[j]) for j in LINEAR]
    if one_level:
        columns[:2] = [np.ones_like(speed)]
        bounds[:2] = [(max(low[FC], low[FS]), min(high[FC], high[FS]))]
    if low[OFFSET] == high[OFFSET]:
        columns, bounds = columns[:-1], bounds[:-1]
    found = lsq_linear(w[:, None] * np.transpose(columns), w * y, np.transpose(bounds), method="bvls", tol=1e-14)
    return 2 * found.cost, found.x


def test_it_is_scipys_solution_whatever_bounds_are_met():
    met = np.zeros(3, int)
    levels = 0
    for seed in range(300):
        data, x, low, high = problem(seed)
        total = best_linear(data, x, low, high, np.empty((12, 3)))
        expected, words = scipys(data, x, low, high, False)
        if words[1] < words[0]:  # breakaway cannot take less than sliding: then it is one level
            expected, _ = scipys(data, x, low, high, True)
            levels += 1
            assert x[FS] == x[FC]
        assert total == pytest.approx(expected, rel=1e-9)
        assert squares(data, x) == pytest.approx(expected, rel=1e-9)
        inside = [low[j] <= x[j] <= high[j] for j in (FC, FS, SIGMA)]
        assert all(inside)
        met += [x[j] in (low[j], high[j]) for j in (FC, FS, SIGMA)]
    assert min(met) > 30
    assert levels > 30


def test_a_column_that_adds_nothing_does_not_break_it():
    data, x, low, high = problem(0)
    x[2] = 1e-5  # the branch has fallen before the slowest speed
    total = best_linear(data, x, low, high, np.empty((12, 3)))
    assert np.isfinite(total)
    assert squares(data, x) == pytest.approx(total, rel=1e-9)


def test_cholesky_solves_and_says_where_it_cannot():
    random = np.random.default_rng(1)
    j = random.standard_normal((10, WORDS))
    a, g, out = j.T @ j, random.standard_normal(WORDS), np.empty(WORDS)
    assert cholesky_solve(a, g, WORDS, np.empty((WORDS, WORDS)), out)
    assert a @ out == pytest.approx(-g, abs=1e-12)
    a[3] = a[:, 3] = a[:, 2]
    a[3, 3] = a[2, 2]
    assert not cholesky_solve(a, g, WORDS, np.empty((WORDS, WORDS)), out)
