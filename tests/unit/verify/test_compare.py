"""One quantity, stored and now: unchanged, changed or undecided."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.results.quantity import Quantity
from hilctl.verify.compare import RULES, Rule, compare, compare_all

SHARES = st.floats(1e-4, 0.5)
HALVES = st.floats(1e-6, 1e3)


def known(value, half, **more):
    return Quantity(value, value - half, value + half, "kg", **more)


@given(st.floats(1.0, 1e4), HALVES, HALVES, st.floats(-1e3, 1e3), SHARES)
def test_changed_is_beyond_the_interval_and_beyond_what_matters(value, stored, now, change, share):
    one = compare(known(value, stored), known(value + change, now), Rule("x", share=share))
    reach, least = math.hypot(stored, now), share * value
    if abs(abs(change) - max(reach, least)) < 1e-9 * value or abs(reach - least) < 1e-9 * value:
        return  # the rounding decides
    assert (one.verdict == "changed") == (abs(change) > max(reach, least))
    if one.verdict != "changed":
        assert one.verdict == ("unchanged" if reach <= least else "undecided")
    assert one.change == pytest.approx(change, abs=1e-9 * value)


@pytest.mark.parametrize(
    ("change", "half", "verdict"),
    [(0.0, 9.9, "unchanged"), (0.0, 10.1, "undecided"), (9.9, 9.0, "unchanged"), (10.1, 9.0, "changed"),
     (19.0, 20.0, "undecided"), (21.0, 20.0, "changed"), (-10.1, 9.0, "changed"), (-9.9, 12.0, "undecided")],
)  # fmt: skip
def test_on_either_side_of_each_bound(change, half, verdict):
    exact = known(100.0, 0.0)
    assert compare(exact, known(100.0 + change, half), Rule("x", amount=10.0)).verdict == verdict


@given(HALVES, HALVES, st.floats(-1e3, 1e3))
def test_there_and_back_is_judged_alike(stored, now, change):
    rule = Rule("x", amount=50.0)
    there = compare(known(100.0, stored), known(100.0 + change, now), rule)
    back = compare(known(100.0 + change, now), known(100.0, stored), rule)
    assert there.verdict == back.verdict


@given(HALVES, HALVES, st.floats(-1e3, 1e3), st.floats(1.0, 10.0))
def test_a_wider_interval_never_shows_more(stored, now, change, wider):
    rule = Rule("x", amount=50.0)
    narrow = compare(known(100.0, stored), known(100.0 + change, now), rule).verdict
    wide = compare(known(100.0, stored), known(100.0 + change, wider * now), rule).verdict
    assert wide != "changed" or narrow == "changed"
    assert wide != "unchanged" or narrow != "undecided"


def test_the_side_of_the_interval_that_faces_the_other_counts():
    rule = Rule("x", amount=1.0)
    up = Quantity(100.0, 99.9, 110.0)
    assert compare(up, known(105.0, 0.1), rule).verdict == "undecided"
    assert compare(up, known(95.0, 0.1), rule).verdict == "changed"
    open_above = Quantity(100.0, 99.0, None)
    assert compare(open_above, known(500.0, 0.1), rule).verdict == "undecided"
    assert compare(open_above, known(500.0, 0.1), rule).interval is None


def test_what_is_not_identified_is_not_compared():
    rule, unsure = Rule("x", share=0.1), known(1.0, 0.1, origin="not identifiable")
    assert compare(None, known(1.0, 0.1), rule).verdict == "not stored"
    assert compare(unsure, known(1.0, 0.1), rule).verdict == "not stored"
    assert compare(known(1.0, 0.1), unsure, rule).verdict == "not measured"
    assert compare(known(1.0, 0.1), None, rule).verdict == "not measured"


def test_an_interval_of_95_percent_is_wrong_as_often_as_that():
    chance, rule = np.random.default_rng(1), Rule("x", amount=1e-9)
    half = 1.96
    found = [
        compare(known(a, half), known(b, half), rule).verdict for a, b in 100.0 + chance.normal(size=(4000, 2))
    ]
    assert found.count("changed") / len(found) == pytest.approx(0.05, abs=0.01)


def test_every_rule_says_from_where_on_a_change_matters():
    assert all(rule.least(1.0) > 0 for rule in RULES.values())
    both = compare_all({"m": known(500.0, 1.0), "no_such": known(1.0, 0.1)}, {"Qn": known(1.0, 0.1)}, 21e6)
    assert {key: one.verdict for key, one in both.items()} == {"m": "not measured", "Qn": "not stored"}


def test_leakage_matters_by_its_part_of_the_valves_flow():
    then, now = {"Qn": known(4.5e-4, 1e-6), "Ctc": known(2.5e-13, 1e-15)}, {"Ctc": known(2.0e-13, 1e-15)}
    assert compare_all(then, now, 14e6)["Ctc"].verdict == "unchanged", "0.15 % of full opening"
    assert compare_all({**then, "Qn": known(4.5e-5, 1e-6)}, now, 14e6)["Ctc"].verdict == "changed", "1.5 %"
