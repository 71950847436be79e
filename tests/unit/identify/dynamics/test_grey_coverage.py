"""Over many records: intervals hold what they promise, every start agrees, a fresh record finds nothing to better."""

import os

import numpy as np
import pytest

from hilctl.identify.dynamics.fit import fit_percent
from hilctl.identify.dynamics.grey import Record, identify
from hilctl.identify.dynamics.grey.paper import TRUTH, paper_choices, paper_model, paper_record
from sim.servo import paper_servo, simulate

SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
MODEL = paper_model()
KCE = TRUTH["Kc"] + TRUTH["Ctc"]
TRUE = {
    **TRUTH,
    "(Kc + Ctc)": KCE,
    "beta (Kc + Ctc)": TRUTH["beta"] * KCE,
    **{f"{name}/beta": TRUTH[name] / TRUTH["beta"] for name in ("B", "m", "KL")},
}
pytestmark = [pytest.mark.slow, pytest.mark.many, pytest.mark.timeout(3600)]


def short(seed, share):
    """Four seconds of noise, low-passed: as rich as the sweep, a quarter as long."""
    random = np.random.default_rng(9)
    u = 0.4 * np.convolve(random.standard_normal(4000), np.ones(5) / 5**0.5, "same")
    exact = simulate(paper_servo(), u, 1e-3)[:, 0]
    noise = share * exact.std() * np.random.default_rng(seed).standard_normal(len(exact))
    return Record({"ui": u}, {"displacement": exact + noise}, 1e-3)


@pytest.mark.parametrize("share", [0.002, 0.04], ids=["little noise", "much noise"])
def test_intervals_hold_the_truth_as_often_as_they_say(share):
    count = max(20, round(300 * SHARE))
    held, profiles, linear = [], 0, []
    for seed in range(count):
        fit = identify(MODEL, [short(seed, share)], paper_choices())
        for one in fit.invariants:
            held.append(one.low <= TRUE[one.name] <= one.high)
            profiles += one.by == "profile"
            linear.append(abs(one.value - TRUE[one.name]) <= 1.96 * one.sd)
    covered = 100 * float(np.mean(held))
    print(f"{covered:.1f} % of {len(held)}, {profiles} by profile; linear alone {100 * np.mean(linear):.1f} %")
    slack = 3 * 100 * (0.05 * 0.95 / count) ** 0.5  # the invariants of one record are not independent
    assert 92 - (slack if SHARE < 1 else 0) <= covered <= 98 + (slack if SHARE < 1 else 0)


@pytest.mark.parametrize("noise", [{"noise": 5e-6}, {"noise": 5e-6, "pressure": True, "pressure_noise": 25e3}])
def test_sixteen_random_starts_agree(noise):
    starts = max(3, round(16 * SHARE))
    fit = identify(MODEL, [paper_record(1, **noise)], paper_choices(), starts=starts, intervals="linear")
    assert fit.agreeing == (starts + 1, starts + 1)


def test_fresh_records_are_explained_as_by_the_truth():
    for seed in range(max(2, round(20 * SHARE))):
        fit = identify(MODEL, [paper_record(seed, share=0.038)], paper_choices(), intervals="linear")
        fresh = paper_record(1000 + seed, share=0.038)
        measured = fresh.measured()[:, 0]
        ours, best = (fit_percent(measured, MODEL.simulate(v, fresh)[:, 0]) for v in (fit.values, TRUTH))
        assert abs(ours - best) < 0.05


def test_ten_iterations_explain_nearly_all_and_errors_stay_near_the_bound():
    scores = []
    for seed in range(max(3, round(30 * SHARE))):
        fit = identify(MODEL, [paper_record(seed, noise=5e-6)], paper_choices(), intervals="linear")
        assert fit.history[min(10, fit.iterations)] >= 99.8
        assert (fit.rank, len(fit.directions)) == (6, 2) and fit.gap >= 1e6
        scores += [(one.value - TRUE[one.name]) / one.sd for one in fit.invariants]
    assert np.mean(np.abs(scores) < 3) >= 0.97 and 0.7 < np.std(scores) < 1.3
