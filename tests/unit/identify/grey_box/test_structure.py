"""From a law in closed form to what is told of it: sums, products, their limits, values and intervals."""

import numpy as np
import pytest

from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.model import CannotBe, Record
from hilctl.identify.grey_box.parameters import Free
from hilctl.identify.grey_box.structure import Sum, _loose, structure_of
from hilctl.identify.triangle import stacked, triangle_of

T = np.linspace(0.1, 3.0, 400)
NOISE = 1e-3


class Law:
    """An output that is a function of time and parameters; derivatives by complex steps."""

    outputs, inputs, states = ("y",), ("t",), 0

    def __init__(self, names, function, limits=None):
        self.names, self._function, self._limits = tuple(names), function, limits or {}
        self.units = dict.fromkeys(names, "N")

    def known(self, name):
        return False

    def limits(self, name):
        return self._limits.get(name, (0.0, 100.0))

    def simulate(self, values, record, initial=None):
        return self._function(record.inputs["t"], **values)[:, None]

    def sensitivities(self, values, free, record, initial=None):
        t = record.inputs["t"]
        slopes = [self._function(t, **{**values, name: values[name] + 1e-30j}).imag / 1e-30 for name in free]
        return self.simulate(values, record), np.stack(slopes, axis=1)[:, None]

    def driven(self, record):
        return record.inputs["t"]


def told(function, truth, *, bounds=None, limits=None, start=1.1, noise=NOISE, intervals="linear"):
    """What identify says of records with these true parameters."""
    model = Law(truth, function, limits)
    exact = function(T, **truth)
    record = Record({"t": T}, {"y": exact + noise * np.random.default_rng(1).standard_normal(len(T))}, 0.01)
    ends = {name: (0.2 * abs(v), 5 * abs(v)) if v > 0 else (-5 * abs(v), -0.2 * abs(v)) for name, v in truth.items()}
    ends |= bounds or {}
    choices = {name: Free(float(np.clip(start * v, *ends[name])), *ends[name]) for name, v in truth.items()}
    return identify(model, [record], choices, check=False, intervals=intervals)


def near(one, truth, sds=4):
    """Its value is the truth within its scatter, its interval is of its scatter, and it is worth something."""
    assert abs(one.value - truth) < sds * one.sd < 0.2 * abs(truth)
    assert one.low < one.value < one.high
    assert (one.high - one.low) / 2 == pytest.approx(1.966 * one.sd, rel=0.02)


def test_a_product_with_a_square_has_the_squares_interval():
    fit = told(lambda t, a, b, c: np.exp(-a * b**2 * t) + c, {"a": 0.5, "b": 1.2, "c": 2.0})
    assert [one.name for one in fit.invariants] == ["a b^2", "c"]
    near(fit.invariant("a b^2"), 0.72)
    near(fit.invariant("c"), 2.0)
    assert fit.estimate("a").value is None and fit.estimate("c").value is not None


def test_a_quotient_of_what_is_negative_has_its_ends_in_order():
    limits = {"b": (-100.0, 100.0)}
    fit = told(lambda t, a, b, c: np.exp(-a * t) * b / c, {"a": 0.5, "b": -1.0, "c": 2.0}, limits=limits)
    near(fit.invariant("a"), 0.5)
    ratio = next(one for one in fit.invariants if one.name != "a")
    near(ratio, {"b/c": -0.5, "c/b": -2.0}[ratio.name])


@pytest.mark.parametrize(
    ("function", "name", "truth"),
    [
        (lambda t, a, b, c: np.exp(-c * t / (a * b)), "c/(a b)", 1.5 / (1.2 * 0.8)),
        (lambda t, a, b, c: np.exp(-c * t / (a + b)), "c/(a + b)", 1.5 / 2.0),
        (lambda t, a, b, c: np.exp(-(a + b) * c * t), "(a + b) c", 2.0 * 1.5),
        (lambda t, a, b, c: np.exp(-(a + 2 * b) * c * t), "(a + 2 b) c", 2.8 * 1.5),
    ],
)
def test_products_and_sums_are_written_as_one_would(function, name, truth):
    fit = told(function, {"a": 1.2, "b": 0.8, "c": 1.5})
    (one,) = fit.invariants
    power = 1 if name in one.name else -1
    assert one.name in (name, "(a + b)/c")
    near(one, truth**power)


def test_a_weighted_sum_has_its_own_interval():
    fit = told(lambda t, a, b, c: np.exp(-(2 * a + 3 * b) * t) + c, {"a": 0.3, "b": 0.4, "c": 2.0})
    near(fit.invariant("(2 a + 3 b)"), 1.8)


def test_sums_that_share_a_parameter_keep_what_they_share():
    fit = told(lambda t, a, b, c: np.exp(-(a + b) * t) + (b + c) * t, {"a": 0.6, "b": 0.5, "c": 0.7})
    values = {"(a + b)": 1.1, "(b + c)": 1.2, "(a - c)": -0.1, "(c - a)": 0.1}
    assert len(fit.invariants) == 2
    for one in fit.invariants:
        assert abs(one.value - values[one.name]) < 4 * one.sd


@pytest.mark.parametrize("limits", [{"a": (0.1, 100.0), "b": (0.1, 100.0)}, {"a": (0.0, 0.8), "b": (0.0, 0.8)}])
def test_what_may_not_be_nothing_or_may_not_be_all_is_not_gathered(limits):
    """Neither part of the sum can be zero, or none can be as large as the sum: it is found all the same."""
    fit = told(lambda t, a, b, c: np.exp(-(a + b) * t) + c, {"a": 0.6, "b": 0.5, "c": 2.0}, limits=limits,
               bounds={"a": (0.2, 0.8), "b": (0.2, 0.8)})  # fmt: skip
    near(fit.invariant("(a + b)"), 1.1)
    assert [one.parts for one in fit.directions] == [{"a": 1, "b": -1}]


def test_what_no_law_is_seen_behind_is_held_and_says_nothing():
    fit = told(lambda t, a, b, c: np.exp(-(a**2 + b) * t) + c, {"a": 0.6, "b": 0.5, "c": 2.0})
    assert [one.kind for one in fit.directions] == ["local"]
    assert [one.name for one in fit.invariants] == ["c"]
    near(fit.invariant("c"), 2.0)
    assert fit.estimate("a").value is None and fit.estimate("b").value is None


def test_two_directions_without_a_law_hold_one_parameter_each():
    fit = told(lambda t, a, b, c, d, e: np.exp(-(a**2 + b) * t) + (c + d**2) * t**2 + e,
               {"a": 0.6, "b": 0.5, "c": 0.7, "d": 0.9, "e": 2.0})  # fmt: skip
    assert [one.name for one in fit.invariants] == ["e"]
    near(fit.invariant("e"), 2.0)
    assert {one.kind for one in fit.directions} == {"local"} and len(fit.directions) == 2


def test_three_that_two_directions_move_are_held_but_for_one():
    point = np.array([0.7, 0.9, 1.1])
    slopes = lambda x: np.outer(T, [2 * x[0], 3 * x[1] ** 2, 4 * x[2] ** 3])  # noqa: E731
    points = [point, 1.07 * point, point * [1.1, 0.93, 1.0]]
    found = structure_of("abc", dict.fromkeys("abc", "N"), points, slopes)
    assert [one.kind for one in found.directions] == ["local", "local"] and found.products == ()
    assert len(set(found.loose)) == 2


def test_each_direction_without_a_law_holds_another_parameter():
    sums = [Sum({name: 1}, name) for name in "abc"]
    assert _loose(np.array([[1.0, 0.9, 0.0], [1.0, 0.5, 0.2]]), sums, [0, 1, 2]) == ("a", "b")


def test_a_sum_is_of_one_unit():
    points = [np.array(each) for each in ([0.7, 0.9], [0.9, 0.7], [0.8, 0.8])]
    for unit, kind in (("N", "shift"), ("m", "local")):
        found = structure_of("ab", {"a": "N", "b": unit}, points, lambda x: np.outer(T, [1.0, 1.0]))
        assert [one.kind for one in found.directions] == [kind]


def test_bounds_that_another_parameter_makes_up_for_are_not_told():
    """Both stand at an end, but nothing is lost by that."""
    fit = told(lambda t, a, b, c: np.exp(-a * b * t) + c, {"a": 1.0, "b": 1.0, "c": 2.0},
               bounds={"a": (2.0, 3.0), "b": (0.5, 0.52), "c": (0.4, 10.0)}, start=2.0)  # fmt: skip
    assert fit.estimate("a").at_bound or fit.estimate("b").at_bound
    assert not any(flag.code == "bound" for flag in fit.flags)
    near(fit.invariant("a b"), 1.0)


def test_bounds_that_keep_a_product_from_its_value_are_told_and_do_not_count_for_it():
    fit = told(lambda t, a, b, c: np.exp(-a * b * t) + c, {"a": 1.0, "b": 1.0, "c": 2.0},
               bounds={"a": (2.0, 3.0), "b": (0.7, 5.0), "c": (0.4, 10.0)}, start=2.0)  # fmt: skip
    assert {flag.key for flag in fit.flags if flag.code == "bound"} == {"a", "b"}
    near(fit.invariant("a b"), 1.0)


def test_an_interval_ends_where_there_is_no_machine():
    def bounded(t, a, b):
        if np.real(a) > 0.55:
            raise CannotBe("it would fly apart")
        return np.exp(-a * t) + b

    fit = told(bounded, {"a": 0.5, "b": 2.0}, start=1.0, noise=0.3, intervals="auto")
    one = fit.invariant("a")
    assert one.by == "profile" and one.low < 0.5 < one.high < 0.56


def test_without_noise_nothing_is_profiled():
    fit = told(lambda t, a, b: np.exp(-a * t) + b, {"a": 0.5, "b": 2.0}, noise=0.0, intervals="auto")
    assert {one.by for one in fit.invariants} == {"linear"}


def test_the_triangle_is_exact_beside_a_large_first_element_and_leaves_its_parts_alone():
    matrix = np.array([[1.0, 0.0], [1e-9, 1.0], [2e-9, 3.0]])
    found = triangle_of(matrix[:, :1], matrix[:, 1])
    assert (found.T @ found)[0, 1] == pytest.approx(7e-9, rel=1e-9)
    parts = [triangle_of(matrix[at : at + 1, :1], matrix[at : at + 1, 1]) for at in range(3)]
    before = parts[0].copy()
    assert (stacked(parts).T @ stacked(parts))[0, 1] == pytest.approx(7e-9, rel=1e-9)
    np.testing.assert_array_equal(parts[0], before)


def test_an_end_is_a_profile_where_the_law_bends():
    fit = told(lambda t, a, b: np.exp(-a * t) + b, {"a": 0.5, "b": 2.0}, noise=0.3, intervals="auto")
    one = fit.invariant("a")
    assert one.by == "profile" and one.low < 0.5 < one.high
    assert one.high - one.value != pytest.approx(one.value - one.low, rel=0.02)
