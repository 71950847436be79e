"""The fitted curve is the friction laws' own, and its derivatives are true."""

import numpy as np
import pytest

from hilctl.friction import check_friction
from hilctl.identify.friction.fit_points import check_points
from hilctl.identify.friction.fit_problem import scaled
from hilctl.identify.friction.model_curve import (
    DELTA,
    OFFSET,
    POWER,
    ROOT_WEIGHT,
    SMOOTH,
    VS,
    WORDS,
    bend,
    rows_of,
    squares,
)
from hilctl.identify.friction.model_laws import BREAKAWAY, FORMS, ROTARY
from hilctl.identify.friction.model_ranges import PAPER

SPEED = np.concatenate((np.geomspace(1e-4, 1.0, 12), -np.geomspace(1e-4, 1.0, 12)))
X = {
    "coulomb": [287, 0, 0, 0, 2, 1, 0],
    "coulomb+viscous": [287, 0, 0, 3251, 2, 1, 0],
    "coulomb+power": [287, 0, 0, 3251, 2, 1.7, 0],
    "stribeck, delta 2": [287, 3118, 0.115, 3251, 2, 1, 0],
    "stribeck, delta 1": [287, 3118, 0.115, 3251, 1, 1, 0],
    "stribeck, delta free": [287, 3118, 0.115, 3251, 0.6, 1, 0],
    "breakaway": [287, 3118, 0.115, 3251, 2, 1, 0],
    "breakaway-rotational": [20, 50, 0.2, 0.1, 2, 1, 0],
}
ALL = (*FORMS, BREAKAWAY, ROTARY)


def residuals(data, x):
    out, rows = np.empty(data.shape[1]), np.empty((data.shape[1], WORDS))
    rows_of(data, x, rows, out)
    return out, rows


def test_every_form_has_words_here():
    assert set(X) == {form.name for form in ALL}


@pytest.mark.parametrize("form", ALL, ids=lambda form: form.name)
def test_the_curve_is_that_of_the_law_whose_table_it_becomes(form):
    x = np.array([*X[form.name], form.smooth], float)
    law = check_friction({"model": form.model, **form.table(x)}, joint=form is ROTARY)
    points = check_points(SPEED, law.curve(SPEED))
    known = scaled(points)
    x /= known.units()
    missed, _ = residuals(known.data, x)
    assert np.abs(missed).max() < 1e-14
    assert squares(known.data, x) < 1e-28
    low, high = form.bounds(PAPER, known.unit_n, 0.0)
    assert [j for j in range(WORDS) if high[j] > low[j]] == sorted(form.free)


@pytest.mark.parametrize(("delta", "smooth"), [(0.6, 0.0), (1.0, 0.0), (2.0, 0.0), (3.1, 0.0), (2.0, 1.0)])
def test_derivatives_are_differences(delta, smooth):
    points = check_points(SPEED, np.sign(SPEED) * 1000.0)
    data = scaled(points).data
    x = np.array([0.3, 3.1, 0.115, 3.2, delta, 1.3, 0.05, smooth])
    _, rows = residuals(data, x)
    for word in range(WORDS):
        if word == SMOOTH or (word == DELTA and delta in (1.0, 2.0)):
            continue  # a choice; and shapes that take a shorter way, which a difference leaves
        step = np.zeros(WORDS)
        step[word] = 1e-6
        factor = x[word] if word == VS else 1.0  # by ln vs
        slope = (residuals(data, x - factor * step)[0] - residuals(data, x + factor * step)[0]) / 2e-6
        assert rows[:, word] == pytest.approx(slope, abs=1e-8), word
    assert np.all(rows[:, OFFSET] == np.sign(SPEED))
    assert np.ptp(rows[:, POWER]) > 0


@pytest.mark.parametrize(
    ("delta", "dv", "smooth"), [(2.0, 1.0, 0.0), (0.7, 1.0, 0.0), (1.3, 1.6, 0.0), (2.0, 1.0, 1.0), (2.0, 1.6, 1.0)]
)
def test_the_hessian_is_the_gradients_difference(delta, dv, smooth):
    points = check_points(SPEED, np.sign(SPEED) * np.linspace(500, 3000, len(SPEED)))
    data = scaled(points).data
    x = np.array([0.3, 1.1, 0.115, 0.9, delta, dv, 0.05, smooth])

    def gradient(at):
        r, rows = residuals(data, at)
        return -rows.T @ (data[ROOT_WEIGHT] ** 2 * r)

    _, rows = residuals(data, x)
    a = (rows.T * data[ROOT_WEIGHT] ** 2) @ rows
    bend(data, x, a)
    for word in range(SMOOTH):
        step = np.zeros(WORDS)
        step[word] = 1e-5 * (x[word] if word == VS else 1.0)  # by ln vs
        slope = (gradient(x + step) - gradient(x - step)) / 2e-5
        known = [j for j in range(word, SMOOTH) if not (word == DELTA and delta == 2.0)]
        assert a[known, word] == pytest.approx(slope[known], abs=1e-7), word
