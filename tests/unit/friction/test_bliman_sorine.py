"""Bliman–Sorine's laws: the matrix exponential, the peak in closed form, passivity."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from hilctl.friction import MODELS, STATES, check_friction
from hilctl.friction.bliman_sorine import levels
from hilctl.friction.dahl import rt_approach
from hilctl.params import BadValues

FIRST = {"model": "bliman-sorine-1", "fc": 287.0, "eps": 3e-5}
SECOND = {"model": "bliman-sorine-2", "f1": 3800.0, "f2": 3513.0, "eta": 0.3, "eps": 4e-5}
TABLES = {"first": FIRST, "second": SECOND}


def system(table):
    """The A and B of the law, as the paper writes them."""
    if table["model"] == "bliman-sorine-1":
        return np.array([[-1 / table["eps"]]]), np.array([table["fc"] / table["eps"]])
    eta, eps = table["eta"], table["eps"]
    return np.diag([-1 / (eta * eps), -1 / eps]), np.array([table["f1"] / (eta * eps), -table["f2"] / eps])


def moved(table, moves, speed=0.01):
    """The force after each of these moves."""
    model, p, z = MODELS[table["model"]], check_friction(table).packed(), np.zeros(STATES)
    forces = []
    for move in moves:
        v = math.copysign(speed, move)
        model.advance(p, z, v, abs(move) / speed)
        forces.append(model.force(p, z, v) - check_friction(table).params.viscous * v)
    return np.array(forces)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_move_is_the_matrix_exponential_of_its_path(table):
    a, b = system(table)
    n = len(b)
    x, expected = np.zeros(n), []
    moves = np.random.default_rng(3).normal(0, 3e-5, 100)
    for move in moves:
        whole = expm(np.block([[a, b[:, None] * np.sign(move)], [np.zeros((1, n + 1))]]) * abs(move))
        x = whole[:n, :n] @ x + whole[:n, n]
        expected.append(x.sum())
    assert moved(table, moves) == pytest.approx(np.array(expected), rel=1e-10, abs=1e-8)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_sine_with_reversals_is_followed_as_an_integration_in_time_does(table):
    a, b = system(table)
    hz, amplitude, n = 5.0, 2e-4, 400
    t = np.arange(n + 1) / n / hz
    x = amplitude * np.sin(2 * np.pi * hz * t)
    state, expected = np.zeros(len(b)), []
    for begin, end in itertools.pairwise(t):  # a quarter of a period is a whole number of steps
        speed = lambda s: 2 * np.pi * hz * amplitude * np.cos(2 * np.pi * hz * s)  # noqa: E731
        course = solve_ivp(
            lambda s, y, speed=speed: abs(speed(s)) * (a @ y) + b * speed(s), (begin, end), state,
            method="Radau", rtol=1e-10, atol=1e-8,
        )  # fmt: skip
        state = course.y[:, -1]
        expected.append(state.sum())
    assert moved(table, np.diff(x)) == pytest.approx(np.array(expected), rel=1e-6, abs=1e-4)


def test_the_peaks_lie_where_and_as_high_as_their_closed_forms_say():
    law = check_friction(SECOND).params
    fine = np.full(20000, 8 * law.peak_path / 20000)
    from_rest = moved(SECOND, fine)
    assert np.max(from_rest) == pytest.approx(law.peak, rel=1e-7)
    assert np.sum(fine[: np.argmax(from_rest) + 1]) == pytest.approx(law.peak_path, rel=1e-3)
    reversed_ = moved(SECOND, [-0.01, *fine])[1:]
    assert np.max(reversed_) == pytest.approx(law.peak_after_reversal, rel=1e-7)
    assert np.sum(fine[: np.argmax(reversed_) + 1]) == pytest.approx(law.peak_path, rel=1e-3)


@pytest.mark.parametrize("eta", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("peak", [287.0, 300.0, 3118.0])
def test_levels_can_be_chosen_by_coulomb_friction_and_peak(eta, peak):
    f1, f2 = levels(287.0, peak, eta)
    law = check_friction({**SECOND, "f1": f1, "f2": f2, "eta": eta}).params
    assert (law.fc, law.peak) == pytest.approx((287.0, peak), rel=1e-9)


@pytest.mark.parametrize(
    ("fc", "peak", "eta"), [(287, 286, 0.3), (0, 100, 0.3), (287, 3118, 1.0), (287, math.nan, 0.3)]
)
def test_levels_that_do_not_exist_are_refused(fc, peak, eta):
    with pytest.raises(ValueError, match="need 0 < fc <= peak"):
        levels(fc, peak, eta)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_stiffness_at_rest_is_that_of_the_first_nanometre(table):
    spring = check_friction(table).params.spring
    assert moved(table, [1e-11])[0] / 1e-11 == pytest.approx(spring, rel=1e-5)


def test_the_first_order_is_dahls_law_with_alpha_one():
    moves, force = np.random.default_rng(4).normal(0, 3e-5, 50), 0.0
    for move, ours in zip(moves, moved(FIRST, moves), strict=True):
        force = rt_approach(force, 287.0, 287.0 / 3e-5, 1.0, move)
        assert ours == pytest.approx(force, rel=1e-12, abs=1e-9)


def test_without_a_slow_spring_there_is_no_peak():
    law = check_friction({**SECOND, "f2": 0}).params
    assert law.peak == law.peak_after_reversal == law.fc
    assert law.peak_path == math.inf


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        (FIRST, "eps", -3e-5), (FIRST, "fc", 0), (FIRST, "sigma", -1), (SECOND, "f1", 3513.0), (SECOND, "f1", 3000.0),
        (SECOND, "f2", -1.0), (SECOND, "eta", 0.0), (SECOND, "eta", 1.0), (SECOND, "eta", 1.2), (SECOND, "eps", 0.0),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(table, key, value):
    with pytest.raises(BadValues, match=rf"friction\.{key}"):
        check_friction({**table, key: value})
