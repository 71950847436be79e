"""Residuals and step responses: what passes for noise, and what does not."""

import numpy as np
import pytest
from scipy.signal import lfilter

from hilctl.identify.frequency.judge_model import compare_steps, independence, whiteness
from hilctl.params import BadValues
from hilctl.servo import paper_servo, simulate

COUNT = 4000


def white(seed, count=COUNT):
    return np.random.default_rng(seed).standard_normal(count)


def coloured(seed, pole=0.9):
    return lfilter([1.0], [1.0, -pole], white(seed))


def test_white_residuals_pass_as_often_as_the_level_says():
    found = [whiteness(white(seed), level=0.9) for seed in range(300)]
    assert 0.85 < np.mean([f.white for f in found]) < 0.95
    assert 0.08 < np.mean([f.outside for f in found]) < 0.12
    assert found[0].bound == pytest.approx(1.645 / np.sqrt(COUNT), rel=1e-3)


def test_coloured_residuals_do_not_pass():
    found = whiteness(coloured(1, 0.2))
    assert not found.white and found.p_value < 1e-6
    assert found.correlation[0] == pytest.approx(0.2, abs=0.05)


@pytest.mark.parametrize("make", [white, coloured])
def test_residuals_of_their_own_are_independent_however_coloured_both_are(make):
    found = [independence(make(seed), coloured(1000 + seed), level=0.9) for seed in range(200)]
    assert 0.08 < np.mean([f.outside for f in found]) < 0.13
    # neighbouring lags of coloured signals go together: all of them hold a little more often than the level
    assert 0.86 < np.mean([f.independent for f in found]) <= 1.0


def test_dynamics_that_the_model_lacks_are_seen_at_their_lag():
    u = coloured(1)
    missing = np.concatenate([np.zeros(7), 0.02 * u[:-7]]) * 3 + white(2)
    found = independence(missing, u)
    assert not found.independent
    assert found.lags[np.argmax(np.abs(found.correlation))] == pytest.approx(7, abs=3)
    # an input that follows the residual is a closed loop's, not a lack of the model
    e = white(3)
    fed_back = independence(e, np.concatenate([np.zeros(9), e[:-9]]) + white(4))
    assert fed_back.independent and np.abs(fed_back.correlation).max() > 0.5


def test_residuals_that_say_nothing_are_refused():
    with pytest.raises(BadValues, match="residuals"):
        whiteness(np.zeros(200))
    with pytest.raises(BadValues, match="record longer"):
        whiteness(white(1, 60))
    with pytest.raises(BadValues, match="finite"):
        whiteness(np.full(200, np.nan))
    with pytest.raises(BadValues, match="as long as"):
        independence(white(1), white(1)[:-1])


def step(servo, noise=0.0):
    u = np.repeat([0.0, 1.0], [200, 800])
    y = simulate(servo, u, 1e-3)[:, 0]
    return u, y + noise * white(5, 1000)


def test_a_step_has_the_figures_of_its_response():
    late = 1 - np.exp(-np.maximum(np.arange(1000) - 200, 0) / 50)
    found = compare_steps(np.repeat([0.0, 2.0], [200, 800]), late, late, 1000.0)
    assert found.fit_percent == 100.0 and found.largest_error == 0.0
    one = found.measured
    assert one.delay_s == pytest.approx(0.05 * np.log(1 / 0.9), rel=0.02)
    assert one.rise_s == pytest.approx(0.05 * np.log(9), rel=0.01)
    assert one.settling_s == pytest.approx(0.05 * np.log(20), rel=0.02)
    assert one.overshoot_percent < 0.1 and one.final == pytest.approx(0.5, rel=1e-4)


def test_a_wrong_model_shows_in_its_step():
    u, measured = step(paper_servo(), 2e-5)
    right = compare_steps(u, measured, step(paper_servo())[1], 1000.0)
    wrong = compare_steps(u, measured, step(paper_servo(Ki=0.014))[1], 1000.0)
    assert right.fit_percent > 99.5 > 97 > wrong.fit_percent
    assert wrong.modelled.rise_s < right.modelled.rise_s == pytest.approx(right.measured.rise_s, rel=0.05)
    assert right.noise == pytest.approx(2e-5 / 0.02, rel=0.2) and right.largest_error < 5 * right.noise


def test_what_is_no_step_is_refused():
    u, y = step(paper_servo())
    with pytest.raises(BadValues, match="must step once"):
        compare_steps(np.concatenate([u, u]), np.tile(y, 2), np.tile(y, 2), 1000.0)
    with pytest.raises(BadValues, match="elsewhere"):
        compare_steps(0 * u, y, y, 1000.0)
    with pytest.raises(BadValues, match="as long"):
        compare_steps(u, y[:-1], y, 1000.0)
    rising = np.linspace(0, 1, 1000)
    assert compare_steps(u, rising, rising, 1000.0).measured.settling_s is None
