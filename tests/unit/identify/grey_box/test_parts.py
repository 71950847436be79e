"""The parts of the grey box: choices, triangle, whole numbers, records; what models that are no servo leave open."""

import numpy as np
import pytest

from hilctl.identify.frequency.judge import RecordFault
from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.model import CannotBe, Record, ServoModel
from hilctl.identify.grey_box.parameters import Fixed, Free, Parameters, Tied
from hilctl.identify.grey_box.search import NoStart
from hilctl.identify.grey_box.structure import crosswise, structure_of, whole, whole_rows
from hilctl.identify.triangle import stacked, triangle_of
from hilctl.papers.servo.setting import TRUTH, paper_choices, paper_model, sweep
from hilctl.params import BadValues
from hilctl.servo import Hold, State, paper_servo, sensitivities, simulate

MODEL = paper_model()
RNG = np.random.default_rng(5)
DT_S = 1e-3
U = np.convolve(RNG.standard_normal(3000), np.ones(4) / 4, "same")
FEW = {name: one for name, one in paper_choices().items() if name in ("ws", "m", "KL")}
FEW |= {name: Fixed(TRUTH[name]) for name in TRUTH if name not in FEW}


def record(noise=0.0, lift=0.0, skip=0, **more):
    clean = simulate(paper_servo(), U, DT_S)[skip:, 0]
    shown = clean + lift + noise * np.random.default_rng(1).standard_normal(len(clean))
    return Record({"ui": U[skip:]}, {"displacement": shown}, DT_S, **more)


def relative(fit, *names):
    return max(abs(fit.estimate(name).value / TRUTH[name] - 1) for name in names or ("ws", "m", "KL"))


def test_the_triangle_keeps_lengths_products_and_singular_values():
    jacobian, residual = RNG.standard_normal((1000, 5)) * [1, 1e-6, 1e6, 1, 1], RNG.standard_normal(1000)
    jacobian[:, 4] = jacobian[:, 3] * (1 + 1e-9 * RNG.standard_normal(1000))  # lost in J'J
    halves = [triangle_of(jacobian[:300], residual[:300]), triangle_of(jacobian[300:], residual[300:])]
    for found in (triangle_of(jacobian, residual), stacked(halves)):
        np.testing.assert_allclose(found.T @ found, np.c_[jacobian, residual].T @ np.c_[jacobian, residual], rtol=1e-9)
        scale = np.linalg.norm(jacobian, axis=0)
        ours, exact = (np.linalg.svd(m / scale, compute_uv=False) for m in (found[:, :-1], jacobian))
        np.testing.assert_allclose(ours[-1], exact[-1], rtol=1e-5)


def test_whole_numbers_are_found_in_a_space_and_across_it():
    space = np.linalg.qr(np.array([[1, 1, -1, 0], [0, 2, 3, 0.0]]).T)[0].T
    assert whole_rows(space) == ((2, 0, -5, 0), (0, 2, 3, 0))
    assert crosswise([(2, 0, -5, 0), (0, 2, 3, 0)], 4) == {2: (5, -3, 2, 0), 3: (0, 0, 0, 1)}
    assert whole([0.5, -1 / 3, 1.0]) == (3, -2, 6)
    assert whole([0.5, np.pi]) is None


def law(names, function, signs=1):
    """The structure of outputs that are a function of parameters; derivatives by complex steps."""

    def slopes(x):
        return np.stack([function(x + 1e-30j * unit).imag / 1e-30 for unit in np.eye(len(x))], axis=1)

    random = np.random.default_rng(2)
    start = np.linspace(1.0, 2.0, len(names))
    points = [signs * start * np.exp(random.uniform(-0.1, 0.1, len(names))) for _ in range(3)]
    return structure_of(names, dict.fromkeys(names, "N"), points, slopes)


T = np.linspace(0.1, 3.0, 40)


def test_a_product_and_a_square_root_are_scalings():
    found = law("abc", lambda p: np.exp(-p[0] ** 2 * p[1] * T) + p[2])
    assert [one.parts for one in found.directions] == [{"a": 1, "b": -2}]
    assert found.products == ((2, 1, 0), (0, 0, 1))


def test_a_scaling_of_what_may_be_negative():
    found = law("abc", lambda p: np.exp(-p[0] * T) * p[1] / p[2], signs=(1, -1, 1))
    assert [one.parts for one in found.directions] == [{"b": 1, "c": 1}]


def test_a_difference_and_a_weighted_sum_are_shifts():
    found = law("abcd", lambda p: (p[0] - p[1]) * T + np.exp(-(p[2] + 2 * p[3]) * T))
    assert {one.kind for one in found.directions} == {"shift"}
    assert [one.name for one in found.sums] == ["(a - b)", "(c + 2 d)"]
    assert len(found.held) == 2 and len(found.products) == 2


def test_a_sum_within_a_product_is_both():
    found = law("abcd", lambda p: np.exp(-(p[0] + p[1]) * p[2] * T) + p[3])
    assert [one.kind for one in found.directions] == ["shift", "scaling"]
    assert [one.name for one in found.sums] == ["(a + b)", "c", "d"]
    assert found.products == ((1, 1, 0), (0, 0, 1))


def test_a_law_that_is_neither_stays_a_local_direction():
    found = law("abc", lambda p: np.exp(-(p[0] ** 2 + p[1]) * T) + p[2])
    assert [one.kind for one in found.directions] == ["local"]
    assert set(found.directions[0].parts) == {"a", "b"}
    assert found.products == ((0, 0, 1),) and len(found.loose) == 1


def test_a_parameter_without_effect_is_not_fixed():
    found = law("ab", lambda p: np.exp(-p[0] * T) + 0 * p[1])
    assert [one.parts for one in found.directions] == [{"b": 1}]


def test_where_all_is_fixed_there_is_no_direction():
    assert law("ab", lambda p: p[0] * np.exp(-p[1] * T)).directions == ()


def test_a_tie_and_its_slope():
    choices = {**FEW, "B": Free(100.0, 0.0, 200.0), "KL": Tied(2.0, {"B": 2.0, "m": -1.0})}
    parameters = Parameters(MODEL, choices)
    x = parameters.start
    values = parameters.values(x)
    assert values["KL"] == pytest.approx(2 * 100.0**2 / values["m"])
    step = 1e-6 * x
    for i in range(len(x)):
        ahead = parameters.values(x + step * (np.arange(len(x)) == i))
        slope = [(ahead[name] - values[name]) / step[i] for name in parameters.moving]
        np.testing.assert_allclose(parameters.chain(x)[:, i], slope, rtol=1e-5)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mass": Free(1.0, 0.0, 2.0)}, "no such parameter"),
        ({"m": Free(60.0, 0.0, 50.0)}, "must start within its bounds"),
        ({"m": Free(1.0, 2.0, 0.0)}, "the lower one first"),
        ({"xis": Fixed(7.0)}, "must be 0.05 to 5"),
        ({"Ctc": Tied(1.0, {"Kce": 1.0})}, "tied to a parameter that is neither free nor fixed"),
        ({name: Fixed(TRUTH[name]) for name in TRUTH}, "leave at least one parameter free"),
    ],
)
def test_choices_that_cannot_be_are_refused(changes, said):
    with pytest.raises(BadValues, match=said):
        identify(MODEL, [record()], {**paper_choices(), **changes})


def test_a_parameter_that_nobody_knows_is_asked_for():
    with pytest.raises(BadValues, match=r"Ki.*is missing"):
        identify(ServoModel({}), [record()], paper_choices())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"outputs": {"place": np.zeros(3000)}}, "is not of this model"),
        ({"outputs": {}}, "must hold at least one"),
        ({"inputs": {"Fd": U}}, "it drives the model"),
        ({"begin": "moving"}, "must be one of rest, free"),
        ({"dt_s": 0.0}, "must be a period"),
    ],
)
def test_records_that_do_not_belong_to_the_model_are_refused(changes, said):
    with pytest.raises(BadValues, match=said):
        identify(MODEL, [record()._replace(**changes)], FEW)


def bent(**changes):
    return record(noise=1e-6)._replace(**changes)


def outputs(function):
    one = record(noise=1e-6)
    return one._replace(outputs={"displacement": function(one.outputs["displacement"].copy())})


def gone(values):
    values[1000] = np.nan
    return values


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (outputs(gone), "not finite"),
        (outputs(np.zeros_like), "zero variance"),
        (outputs(lambda x: np.clip(x, -0.3 * x.max(), 0.3 * x.max())), "clipped"),
        (outputs(lambda x: RNG.standard_normal(len(x))), "unexcited"),
        (bent(inputs={"ui": U[:100]}, outputs={"displacement": U[:100]}), "too short"),
        (bent(inputs=record(noise=1e-6).outputs, outputs={"displacement": U}), "swapped"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_record_that_cannot_be_right_is_named(bad, kind):
    if "displacement" in bad.inputs:
        bad = bad._replace(inputs={"ui": bad.inputs["displacement"]})
    with pytest.raises(RecordFault, match=kind):
        identify(MODEL, [bad], FEW)


def test_a_start_that_is_no_machine_is_said():
    with pytest.raises(NoStart, match="unstable"):
        identify(ServoModel({**MODEL._known, "Ki": 0.1}), [record()], FEW)
    with pytest.raises(CannotBe):
        ServoModel({**MODEL._known, "Ki": 0.1}).servo(TRUTH)


def test_an_offset_is_found_and_not_mistaken_for_stiffness():
    wrong = identify(MODEL, [record(noise=1e-6, lift=2e-3)], FEW, intervals="linear")
    right = identify(MODEL, [record(noise=1e-6, lift=2e-3, offset=True)], FEW, intervals="linear")
    assert relative(right) < 0.01 < abs(wrong.values["KL"] / TRUTH["KL"] - 1)


def test_a_record_that_begins_in_motion():
    late = {"skip": 1000, "noise": 1e-6}
    wrong = identify(MODEL, [record(**late)], FEW, intervals="linear")
    right = identify(MODEL, [record(**late, begin="free")], FEW, intervals="linear")
    assert right.noise["displacement"] == pytest.approx(1e-6, rel=0.05)
    assert relative(right) < 0.02 and wrong.noise["displacement"] > 2e-6


def test_what_another_start_could_do_as_well_does_not_count_as_known():
    late = record(skip=2700, noise=1e-6, begin="free")
    fit = identify(MODEL, [late], FEW, intervals="linear")
    names = [one.name for one in fit.invariants]
    servo = paper_servo(**{name: fit.values[name] for name in names})
    slopes = sensitivities(servo, names, U[2700:], DT_S)[1][:, 0]
    starts = [simulate(servo, 0 * U[2700:], DT_S, initial=state)[:, 0] for state in np.eye(9)]
    left = np.linalg.svd(np.stack([each / np.abs(each).max() for each in starts], axis=1), full_matrices=False)
    basis = left[0][:, left[1] > 1e-10 * left[1][0]]
    rest = slopes - basis @ (basis.T @ slopes)
    assert np.linalg.norm(rest[:, names.index("KL")]) < 0.99 * np.linalg.norm(slopes[:, names.index("KL")])
    expected = np.sqrt(np.diag(np.linalg.inv((rest / 1e-6).T @ (rest / 1e-6))))
    np.testing.assert_allclose([one.sd for one in fit.invariants], expected, rtol=0.15)


def test_several_records_tell_one_machine_and_each_counts():
    other = np.roll(U, 700)[:2000]
    second = Record({"ui": other}, {"displacement": simulate(paper_servo(), other, DT_S)[:, 0]}, DT_S, name="other")
    fit = identify(MODEL, [record(), second], FEW, intervals="linear")
    assert relative(fit) < 1e-8
    both = identify(MODEL, [record(noise=1e-6), second], FEW, intervals="linear")
    alone = identify(MODEL, [record(noise=1e-6)], FEW, intervals="linear")
    assert relative(both) < relative(alone)


def test_the_wrong_hold_shows_in_what_is_left():
    exact = identify(MODEL, [record()], FEW, intervals="linear")
    held = identify(MODEL, [record(hold=Hold.zero)], FEW, intervals="linear")
    assert exact.fit_percent["displacement"] > 99.9999 > 99.0 > held.fit_percent["displacement"]
    assert any(flag.code == "coloured" for flag in held.flags)


def test_a_bound_that_matters_is_told():
    fit = identify(MODEL, [record(noise=1e-6)], {**FEW, "m": Free(15.0, 14.0, 50.0)}, intervals="auto")
    assert fit.estimate("m").at_bound == -1
    assert [flag.key for flag in fit.flags if flag.code == "bound"] == ["m"]


def test_a_profile_ends_where_the_squares_have_grown_or_at_a_bound():
    """Much noise, and little of the damping in the data: it may be nothing, but not less."""
    short = Record({"ui": U[:800]}, {"displacement": record(noise=6e-4).outputs["displacement"][:800]}, DT_S)
    few = {name: Fixed(TRUTH[name]) for name in TRUTH} | {"B": Free(20.0, 0.0, 1e4)}
    straight = identify(MODEL, [short], few, intervals="linear", check=False)
    fit = identify(MODEL, [short], few, check=False)
    one = fit.estimate("B")
    assert straight.estimate("B").by == "linear" and one.by == "profile"
    assert straight.invariant("B").low < 0.0 == straight.estimate("B").low == one.low

    def squares(B):
        return float(np.sum((MODEL.simulate({**TRUTH, "B": B}, short) - short.measured()) ** 2))

    variance = squares(one.value) / 799
    assert (squares(one.high) - squares(one.value)) / variance == pytest.approx(1.963**2, rel=0.02)


def test_intervals_are_linear_where_that_holds_and_profiles_where_the_outputs_bend():
    wide = {**FEW, "ws": Free(750.0, 20.0, 2e4), "m": Free(16.0, 0.1, 500.0), "KL": Free(1.8e5, 1.0, 1e8)}
    calm, loud = (identify(MODEL, [record(noise=noise)], wide, check=False) for noise in (1e-6, 1e-3))
    assert {one.by for one in calm.invariants} == {"linear"}
    bent = [one for one in loud.invariants if one.by == "profile"]
    assert bent and all(one.low < TRUTH[one.name] < one.high for one in bent)


def test_fixing_the_input_of_another_length_is_refused():
    with pytest.raises(RecordFault, match="unequal length"):
        identify(MODEL, [bent(inputs={"ui": U[:-1]})], FEW)


def test_the_sweep_is_the_papers():
    u = sweep()
    assert len(u) / 2000 == pytest.approx(15.56, abs=0.01)
    assert State.displacement.name in MODEL.outputs
    first = u[: (3 * 2000)]
    assert np.count_nonzero(np.diff(np.sign(first[1:-1])) != 0) == 5
