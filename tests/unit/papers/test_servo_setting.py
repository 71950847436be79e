"""The paper's case: its start, its bounds, its excitation; what displacement tells, and what it cannot."""

import numpy as np
import pytest

from hilctl.identify.frequency.judge_model import fit_percent
from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.parameters import Fixed, Tied
from hilctl.papers.servo.setting import TRUTH, paper_choices, paper_model, paper_record
from hilctl.servo import paper_servo, sensitivities

MODEL = paper_model()
KCE = TRUTH["Kc"] + TRUTH["Ctc"]
TRUE = {
    **TRUTH,
    "(Kc + Ctc)": KCE,
    "beta (Kc + Ctc)": TRUTH["beta"] * KCE,
    **{f"{name}/beta": TRUTH[name] / TRUTH["beta"] for name in ("B", "m", "KL")},
}
FIXED_BY_DISPLACEMENT = ["ws", "xis", "beta (Kc + Ctc)", "B/beta", "m/beta", "KL/beta"]


def off(fit):
    """Of each invariant, relative."""
    return {one.name: abs(one.value / TRUE[one.name] - 1) for one in fit.invariants}


@pytest.fixture(scope="module")
def exact():
    return identify(MODEL, [paper_record()], paper_choices(), intervals="linear")


@pytest.fixture(scope="module")
def noisy():
    return identify(MODEL, [paper_record(1, noise=5e-6)], paper_choices())


def test_the_start_explains_what_the_paper_says_and_ten_iterations_nearly_all(noisy):
    assert 85 < noisy.start_percent["displacement"] < 90
    assert noisy.history[0] == pytest.approx(noisy.start_percent["displacement"], abs=1e-3)
    assert noisy.history[min(10, noisy.iterations)] >= 99.8
    assert noisy.iterations == len(noisy.history) - 1 <= noisy.trials


def test_displacement_fixes_six_of_eight_directions_and_says_which(exact):
    assert (exact.rank, exact.free) == (6, 8)
    assert exact.gap >= 1e6
    assert exact.singular_values[5] > 1e6 * exact.singular_values[6]
    shift, scaling = exact.directions
    assert (shift.kind, shift.parts) == ("shift", {"Kc": 1, "Ctc": -1})
    assert scaling.kind == "scaling"
    assert scaling.parts == {"beta": 1, "B": 1, "m": 1, "KL": 1, "Kc": -1, "Ctc": -1}


def test_what_displacement_fixes_is_found_to_the_digit(exact):
    assert [one.name for one in exact.invariants] == FIXED_BY_DISPLACEMENT
    assert max(off(exact).values()) < 1e-4


def test_what_is_not_fixed_has_no_number_and_a_reason(noisy):
    for name in ("beta", "Kc", "Ctc", "B", "m", "KL"):
        one = noisy.estimate(name)
        assert (one.value, one.low, one.high, one.by) == (None, None, None, "nothing")
        assert "changes nothing that was measured" in one.reason
    for name in ("ws", "xis"):
        assert noisy.estimate(name).low < TRUTH[name] < noisy.estimate(name).high
    told = noisy.told()
    assert told.parameters["m"].value is None and told.parameters["m"].origin == "not identifiable"
    assert {flag.code for flag in told.flags} == {"not fixed"}


def cramer_rao(sd):
    """Of each invariant, from the derivatives at the truth, with beta held and the leakage in one parameter."""
    names = ["ws", "xis", "Kc", "B", "m", "KL"]
    servo, record = paper_servo(Kc=KCE, Ctc=0.0), paper_record()
    slopes = sensitivities(servo, names, record.inputs["ui"], record.dt_s)[1][:, 0]
    relative = slopes * [getattr(servo, name) for name in names] / sd
    sds = np.sqrt(np.diag(np.linalg.inv(relative.T @ relative)))
    return {one: sds[i] * TRUE[one] for i, one in enumerate(FIXED_BY_DISPLACEMENT)}


def test_at_five_micrometres_it_is_within_three_sigma_of_the_cramer_rao_bound(noisy):
    bound = cramer_rao(5e-6)
    assert [one.name for one in noisy.invariants] == list(bound)
    for one in noisy.invariants:
        assert abs(one.value - TRUE[one.name]) < 3 * bound[one.name], one.name
        assert one.sd == pytest.approx(bound[one.name], rel=0.1)


def test_the_load_pressure_leaves_only_the_split_of_the_leakage_open():
    record = paper_record(1, noise=5e-6, pressure=True, pressure_noise=25e3)
    fit = identify(MODEL, [record], paper_choices())
    assert (fit.rank, fit.free) == (7, 8) and fit.gap >= 1e6
    assert [one.parts for one in fit.directions] == [{"Kc": 1, "Ctc": -1}]
    assert max(off(fit).values()) < 0.005
    for name in ("ws", "xis", "beta", "B", "m", "KL"):
        assert fit.estimate(name).value == pytest.approx(TRUTH[name], rel=0.005)
    assert fit.estimate("Kc").value is None and fit.estimate("Ctc").value is None
    assert fit.noise["load_pressure"] == pytest.approx(25e3, rel=0.02)
    assert fit.noise["displacement"] == pytest.approx(5e-6, rel=0.02)


def test_a_parameter_that_is_known_fixes_what_hangs_on_it():
    choices = {**paper_choices(), "m": Fixed(TRUTH["m"]), "Ctc": Tied(TRUTH["Ctc"] / TRUTH["Kc"], {"Kc": 1.0})}
    fit = identify(MODEL, [paper_record(3, noise=5e-6)], choices)
    assert (fit.rank, fit.free) == (6, 6) and fit.directions == ()
    assert fit.estimate("m").by == "fixed"
    for name in ("ws", "xis", "beta", "Kc", "Ctc", "B", "KL"):
        one = fit.estimate(name)
        assert one.value == pytest.approx(TRUTH[name], rel=0.05)
        assert one.low < one.value < one.high
    kc, ctc = fit.estimate("Kc"), fit.estimate("Ctc")
    assert ctc.high / ctc.value == pytest.approx(kc.high / kc.value)


def test_judged_on_a_fresh_record_it_is_as_good_as_the_truth():
    fit = identify(MODEL, [paper_record(4, share=0.038)], paper_choices(), intervals="linear")
    fresh = paper_record(104, share=0.038)
    measured = fresh.measured()[:, 0]
    ours, best = (fit_percent(measured, MODEL.simulate(values, fresh)[:, 0]) for values in (fit.values, TRUTH))
    assert 96.0 < best < 96.4
    assert abs(ours - best) < 0.05


def test_random_starts_agree():
    fit = identify(MODEL, [paper_record(1, noise=5e-6)], paper_choices(), starts=2, intervals="linear")
    assert fit.agreeing == (3, 3)


def test_the_values_do_what_was_measured(noisy):
    record = paper_record(1, noise=5e-6)
    modelled = MODEL.simulate(noisy.values, record)[:, 0]
    assert fit_percent(record.measured()[:, 0], modelled) == pytest.approx(noisy.fit_percent["displacement"], abs=1e-9)
    assert np.std(modelled - record.measured()[:, 0]) == pytest.approx(noisy.noise["displacement"], rel=1e-3)
