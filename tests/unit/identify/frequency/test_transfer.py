"""Transfer functions: stable, growing with their order, as good as the truth; and the paper's way beside them."""

import numpy as np
import pytest

from hilctl.identify.dynamics.analyse import seen_in
from hilctl.identify.frequency.judge_model import fit_percent
from hilctl.identify.frequency.transfer import Transfer
from hilctl.identify.frequency.transfer_fit import (
    Family,
    Fitted,
    _parts,
    _Projected,
    fit_transfer,
    sections_of,
    with_pole,
)
from hilctl.papers.servo.tables import fit_levy
from hilctl.params import BadValues
from hilctl.results.response import Response
from hilctl.servo import Hold, paper_servo, poles
from tests.unit.identify.frequency.measured import HZ, TRUTH, measured, share

ORDERS = range(4, 10)
LOW = HZ <= 70
SIMPLE = Transfer(np.array([1.0, 0.4]), np.array([1.0, 0.8, 1.0, 0.3]), 100.0)


def exactly(gain, hz=HZ):
    count = len(hz)
    return Response(hz, gain, np.full(count, 1e-16), np.full(count, 20.0), np.ones(count))


def with_noise(noise, seed):
    """The servo's response below 70 Hz, with an error of that share of its size."""
    size = noise * np.sqrt(np.mean(np.abs(TRUTH[LOW]) ** 2))
    parts = np.random.default_rng(seed).standard_normal((2, LOW.sum())) * size / np.sqrt(2)
    return exactly(TRUTH[LOW] + parts[0] + 1j * parts[1], HZ[LOW])._replace(variance=np.full(LOW.sum(), size**2))


def judge(response, orders=ORDERS):
    """Of the fits: stable, smallest growth, amplitude beside the truth's and itself, and BIC's order."""
    family = fit_transfer(response, orders)
    fits = family.fits
    truth = fit_percent(response.magnitude, np.abs(TRUTH[LOW]))
    stable = all(f.transfer.stable for f in fits)
    growth = np.diff([f.percent for f in fits]).min() if len(fits) > 1 else 0.0
    apart = [f.amplitude_percent - truth for f in fits]
    return stable, growth, apart, [f.amplitude_percent for f in fits], family.best.order


def test_a_transfer_function_is_found_again():
    found = fit_transfer(exactly(SIMPLE.gain(HZ)), [3]).best.transfer
    assert np.allclose(found.poles, SIMPLE.poles, rtol=1e-6) and np.allclose(found.zeros, SIMPLE.zeros, rtol=1e-6)
    s = 2j * np.pi * 130.0
    assert np.polyval(found.numerator, s) / np.polyval(found.denominator, s) == pytest.approx(SIMPLE.gain([130.0])[0])
    assert found.order == 3 and len(found.zeros) == 1


def test_the_servo_is_found_without_noise():
    family = fit_transfer(exactly(TRUTH), [5, 9])
    assert family.of(9).percent > 99.999
    slowest = sorted(poles(paper_servo()), key=abs)[:3]
    assert np.allclose(np.sort_complex(family.of(9).transfer.poles[:3]), np.sort_complex(slowest), rtol=1e-3)


def test_its_output_is_that_of_the_servo():
    made = measured("multisine")
    found = fit_transfer(made.response(), [9]).best.transfer
    assert fit_percent(made.y, found.simulate(made.u, 1e-3)) > 99.9


def test_an_input_that_stands_still_between_samples_is_taken_so():
    rough = np.random.default_rng(1).standard_normal(200)
    fine = np.repeat(rough, 10)  # the same stairs, at ten times the rate
    held = SIMPLE.simulate(rough, 1e-3, Hold.zero)
    assert np.allclose(held, SIMPLE.simulate(fine, 1e-4, Hold.zero)[::10], atol=1e-9)
    assert not np.allclose(held, SIMPLE.simulate(rough, 1e-3), atol=1e-3 * np.ptp(held))
    step = SIMPLE.simulate(np.ones(100), 1e-3, Hold.zero)
    assert np.allclose(step[1:], SIMPLE.simulate(np.ones(100), 1e-3)[1:])


def test_from_a_noisy_record_every_order_is_stable_and_as_good_as_the_truth():
    response = measured("multisine").response(0.04, 1).within(1, 70)
    stable, growth, apart, _, best = judge(response)
    assert stable and growth > -1e-3
    assert min(apart[1:]) > -0.1 and apart[0] < -0.5
    assert best == 5


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("source", ["multisine", "stepped", "2 % noise"])
def test_all_orders_over_many_seeds(source):
    rows = []
    for seed in range(share(20)):
        if source in ("multisine", "stepped"):
            response = measured(source, 2000.0).response(0.04, seed).within(1, 70)
        else:
            response = with_noise(0.02, seed)
        plain = fit_levy(response, ORDERS)
        rows.append((*judge(response), [f.amplitude_percent for f in plain], [f.transfer.stable for f in plain]))
    stable, growth, apart, fits, best, levy, levy_stable = (np.array(each) for each in zip(*rows, strict=True))
    print(
        f"\n{source}: orders 4 to 9, fit {fits.mean(0).round(2)} %, less the truth's own {apart.mean(0).round(3)} "
        f"(worst {apart.min(0).round(3)}), stable {100 * stable.mean():.0f} %, "
        f"BIC chose {np.unique(best, return_counts=True)}\nLevy {levy.mean(0).round(2)} %, worst "
        f"{levy.min(0).round(2)}, stable {100 * levy_stable.mean(0)} %"
    )
    assert stable.all()
    assert growth.min() > -1e-3
    assert apart[:, 1:].min() > -0.1
    assert np.mean(best == 5) > 0.7 and best.min() == 5


def test_plain_least_squares_is_neither_stable_nor_growing():
    fits = [fit_levy(with_noise(0.02, seed), ORDERS) for seed in range(4)]
    assert not all(f.transfer.stable for run in fits for f in run)
    assert min(np.diff([f.amplitude_percent for f in run]).min() for run in fits) < -0.5
    exact = fit_levy(exactly(SIMPLE.gain(HZ)), [3])[0].transfer
    assert np.allclose(exact.poles, SIMPLE.poles, rtol=1e-6)


def test_the_search_has_exact_slopes():
    rng = np.random.default_rng(0)
    s, wanted = 1j * np.geomspace(0.2, 8, 30), _parts(rng.standard_normal(30) + 1j * rng.standard_normal(30))
    problem = _Projected(s, 1 + rng.random(30), wanted)
    at = np.array([0.1, -1, 0.9, 0.2, -0.5])
    for k, slope in enumerate(problem.slope(at).T):
        step = 1e-6 * np.eye(5)[k]
        assert np.allclose((problem.error(at + step) - problem.error(at - step)) / 2e-6, slope, atol=1e-7)


def test_a_pole_more_joins_the_real_one():
    one = sections_of(np.array([-3 + 4j, -3 - 4j, -2]), 1.0)
    more = with_pole(one, np.log(5.0))
    assert np.allclose(one, [np.log(5), np.log(0.6), np.log(2)])
    w, z = np.exp(more[2:])
    assert np.allclose(np.sort(np.roots([1, 2 * z * w, w * w])), [-5, -2])
    assert with_pole(more, 0.0)[-1] == 0.0


@pytest.mark.parametrize(
    ("response", "orders", "key"),
    [
        (exactly(TRUTH[:15], HZ[:15]), [4, 8], "response"),
        (exactly(TRUTH), [0], "orders"),
        (exactly(TRUTH), [], "orders"),
        (exactly(TRUTH * np.nan), [4], "response"),
        (exactly(TRUTH, HZ[::-1]), [4], "response"),
    ],
)
def test_what_cannot_be_fitted_is_refused_by_key(response, orders, key):
    with pytest.raises(BadValues, match=key):
        fit_transfer(response, orders)


@pytest.mark.parametrize(("worse", "chosen"), [(5.0, 4), (200.0, 5)])
def test_a_pole_far_below_the_band_is_no_ones_choice_unless_it_explains(worse, chosen):
    poles = {4: [-60.0, -80.0, -100.0, -120.0], 5: [-0.1, -60.0, -80.0, -100.0, -120.0]}
    fits = tuple(
        Fitted(order, Transfer(np.ones(1), np.poly(each)[::-1], 1.0), 99.0, 99.0, worse if order == 4 else 0.0)
        for order, each in poles.items()
    )
    assert seen_in(Family(fits, fits[1]), 1.0).best.order == chosen
