"""What a model leaves over may have any colour: it is found, and intervals are as wide as it makes them."""

import numpy as np
import pytest
from scipy.linalg import toeplitz
from scipy.signal import butter, lfilter
from scipy.stats import t as student

from hilctl.identify.grey_box.colour import colour_of
from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.intervals import sureness
from hilctl.identify.grey_box.model import Record
from hilctl.identify.grey_box.parameters import Fixed, Free, Parameters
from hilctl.identify.grey_box.problem import Problem
from hilctl.identify.grey_box.scatter import scatter
from hilctl.identify.grey_box.search import search
from hilctl.papers.servo.setting import TRUTH, paper_choices, paper_model
from hilctl.servo import Hold, paper_servo, simulate

MODEL = paper_model()
DT_S = 1e-3
U = np.convolve(np.random.default_rng(5).standard_normal(2500), np.ones(4) / 4, "same")
CLEAN = simulate(paper_servo(), U, DT_S)[:, 0]
FEW = {name: one for name, one in paper_choices().items() if name in ("ws", "m", "KL")}
FEW |= {name: Fixed(TRUTH[name]) for name in TRUTH if name not in FEW}
NOTHING = np.zeros((2500, 0))
PULL = 0.95  # of the coloured noise: each sample on the next


def white(seed, count=2500):
    return np.random.default_rng(seed).standard_normal(count)


def coloured(seed, count=2500):
    """Of variance 1."""
    return lfilter([np.sqrt(1 - PULL**2)], [1, -PULL], white(seed, count + 500))[500:]


def record(noise, **more):
    return Record({"ui": U}, {"displacement": CLEAN + 1e-6 * noise}, DT_S, **more)


def scattered(one, choices=FEW):
    problem = Problem(MODEL, (one,), Parameters(MODEL, choices), {"displacement": 1e-6})
    found = search(problem)
    return problem, found, scatter(problem, found)


def test_white_noise_has_no_colour_and_another_has_its_own():
    orders = [colour_of(white(seed), NOTHING).order for seed in range(30)]
    assert np.mean(np.equal(orders, 0)) > 0.9
    found = colour_of(coloured(1), NOTHING)
    assert found.order < 4 and found.coefficients[1] == pytest.approx(-PULL, abs=0.03)
    assert found.variance == pytest.approx(1 - PULL**2, rel=0.1)
    steep = colour_of(lfilter(*butter(4, 0.2), white(2)), NOTHING)
    hard = steep.variance * np.abs(steep.transfer(5000)) ** 2
    assert hard[100] > 1e3 * hard[1500] and steep.order > 5


def test_a_hum_is_a_line_and_noise_of_any_colour_has_none():
    hum = 0.5 * np.sin(0.31416 * np.arange(2500) + 1)
    for noise in (white(3), coloured(3)):
        found = colour_of(noise + hum, NOTHING)
        assert [one.turn for one in found.sines] == [pytest.approx(0.31416, abs=2e-4)]
        assert found.sines[0].power == pytest.approx(0.125, rel=0.2)
        assert found.order < 4
    assert not any(colour_of(noise(seed), NOTHING).sines for seed in range(30) for noise in (white, coloured))


def test_what_the_fit_has_taken_of_white_noise_does_not_count_as_a_colour():
    t = np.arange(400)
    low = np.concatenate([[f(2 * np.pi * k * t / 400) for k in range(1, 16)] for f in (np.sin, np.cos)]).T
    taken = np.linalg.qr(low)[0]
    variances, orders = [], []
    for seed in range(20):
        noise = white(seed, 400)
        rest = noise - taken @ (taken.T @ noise)
        found = colour_of(rest, taken)
        variances.append(found.variance)
        orders.append((found.order == 0, colour_of(rest, np.zeros((400, 0))).order == 0))
    assert np.mean(variances) == pytest.approx(1.0, abs=0.05)
    assert np.mean(orders, axis=0)[0] > 0.9 > 0.5 > np.mean(orders, axis=0)[1]


def test_coloured_noise_scatters_estimates_as_much_as_its_correlation_says():
    problem, found, spread = scattered(record(coloured(4)))
    slopes = problem.blocks(found.x)[0].slopes
    way = slopes @ np.linalg.inv(slopes.T @ slopes)
    truth = way.T @ toeplitz(PULL ** np.arange(2500)) @ way
    np.testing.assert_allclose(np.diag(spread.covariance), np.diag(truth), rtol=0.35)
    np.testing.assert_allclose(spread.widths**2, np.diag(spread.covariance) / np.diag(spread.white))
    assert spread.widths.max() > 1.5
    assert np.all(spread.freedom < 1500) and spread.freedom.min() < 150  # of 2500 samples: less is known of the scatter
    ends = sureness(problem, found, "linear").intervals["KL"]
    assert (ends.high - ends.low) / 2 / ends.sd == pytest.approx(student.ppf(0.975, spread.freedom[2]), rel=1e-6)


def test_white_noise_keeps_its_intervals():
    wide = [scattered(record(white(seed)))[2] for seed in range(6)]
    assert all(one.widths == pytest.approx(1.0, abs=0.06) for one in wide)
    for one in wide:
        np.testing.assert_allclose(one.covariance, one.white, rtol=0.15)


def test_a_hum_scatters_by_what_the_parameters_take_of_it():
    """Over all phases of the hum the error that it makes is as large as is told; the noise beside it is small."""
    _, found, spread = scattered(record(0.05 * white(6) + np.sin(0.2 * np.arange(2500))))
    assert spread.variance == pytest.approx(0.5, rel=0.05)
    errors = []
    for phase in np.arange(8) * np.pi / 4:
        _, other, _ = scattered(record(np.sin(0.2 * np.arange(2500) + phase)))
        errors.append(other.x - [TRUTH["ws"], TRUTH["m"], TRUTH["KL"]])
    np.testing.assert_allclose(np.sqrt(np.diag(spread.covariance)), np.std(errors, axis=0), rtol=0.15)
    assert found.x == pytest.approx([TRUTH[name] for name in ("ws", "m", "KL")], rel=0.01)


def test_a_record_with_more_noise_than_another_counts_as_such():
    """Two records, weighed alike: the noisy one adds more to the scatter than to the squares' mean."""
    quiet, loud = record(white(7)), record(10 * white(8), name="loud")
    problem = Problem(MODEL, (quiet, loud), Parameters(MODEL, FEW), {"displacement": 1e-6})
    found = search(problem)
    blocks = problem.blocks(found.x)
    root = np.linalg.inv(sum(one.slopes.T @ one.slopes for one in blocks))
    middle = sum(strength * one.slopes.T @ one.slopes for one, strength in zip(blocks, (1.0, 100.0), strict=True))
    np.testing.assert_allclose(np.diag(scatter(problem, found).covariance), np.diag(root @ middle @ root), rtol=0.1)


def test_a_profile_knows_the_colour_as_well():
    few = {name: Fixed(TRUTH[name]) for name in TRUTH} | {"B": Free(100.0, 0.0, 1e4)}
    one = record(40 * coloured(9))
    fits = {how: identify(MODEL, [one], few, intervals=how, check=False).estimate("B") for how in ("profile", "linear")}
    profile, linear = fits["profile"], fits["linear"]
    assert (profile.by, linear.by) == ("profile", "linear")
    assert profile.high - profile.low == pytest.approx(linear.high - linear.low, rel=0.1)
    plain = scattered(one, few)[2]
    assert linear.high - linear.value > 1.3 * 1.96 * np.sqrt(plain.white[0, 0])


def test_a_parameter_at_its_bound_knows_the_colour_too():
    """Its linear interval is none; the profile on its open side reaches as far as the colour says."""
    bound = {**FEW, "m": Free(15.0, TRUTH["m"] * 1.0005, 50.0)}
    _, found, spread = scattered(record(coloured(10)), bound)
    assert found.at_bound == (0, -1, 0)
    free = scattered(record(coloured(10)))[2]
    assert spread.widths[1] == pytest.approx(free.widths[1], rel=0.1) and spread.freedom[1] < 1000
    assert spread.covariance[1, 1] == 0.0


def codes(one):
    return {flag.code for flag in identify(MODEL, [one], FEW, intervals="linear").flags}


def test_colour_is_told_and_what_follows_the_input_apart_from_it():
    assert codes(record(white(11))) == set()
    assert codes(record(coloured(11))) == {"coloured"}
    hums = [codes(record(0.7 * white(seed) + np.sin(0.31416 * np.arange(2500) + seed))) for seed in range(4)]
    assert set().union(*hums) == {"coloured"}
    assert "follows" in codes(record(white(11), hold=Hold.zero))
