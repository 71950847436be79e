"""What is told of overlap, play and null, and what of it the controller takes: from both sides of every bound."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from hilctl.identify.plant.estimate_flow import WORDS, Fitted
from hilctl.identify.plant.judge_valve import (
    HYSTERESIS,
    NONE,
    NULL,
    OVERLAPS,
    ROUNDING,
    THRESHOLD,
    slew_note,
    valve_changes,
    valve_notes,
    valve_told,
)
from hilctl.identify.plant.model_flow import sides
from hilctl.machine import Machine
from hilctl.params import check
from hilctl.results.quantity import unsure
from tests.unit.identify.plant.plant_parts import BELIEVED

MACHINE = {key.removeprefix("machine."): value for key, value in BELIEVED.items() if key.startswith("machine.")}
KEYS = (*OVERLAPS, HYSTERESIS, NULL)


def found(
    mean: float, play: float = 0.0, null: float = 0.0, sd: float = 1e-5, at: int = 0, threshold: float = 0.0,
    rounding: float = 0.002,
) -> Fitted:
    """A fit that says this of the valve; `play`: half of the hysteresis."""
    value = dict.fromkeys(WORDS, 1.0) | {"dead_band": mean, "play": play, "null": null, "rounding": rounding}
    value["threshold"] = threshold
    nothing = dict.fromkeys(WORDS, 0)
    return Fitted(value, dict.fromkeys(WORDS, sd), nothing | {"dead_band": at}, np.eye(len(WORDS)), 1.0, (1.0,), {}, ())


def told(fitted: Fitted, **declared: float) -> Any:
    return valve_told(fitted, {**BELIEVED, **{f"machine.{key}": value for key, value in declared.items()}})


def test_overlap_hysteresis_and_null_are_told_with_intervals_and_set():
    made = told(found(0.03, 0.0025, -0.012), dead_band=0.024, hysteresis=0.004)
    assert all(made[key].identified and made[key].low < made[key].value < made[key].high for key in KEYS)
    assert made.keys() >= {THRESHOLD, ROUNDING}
    assert [made[key].before for key in (*OVERLAPS, HYSTERESIS, NULL)] == [0.024, 0.024, 0.004, 0.0]
    assert valve_changes(made) == {
        "machine.dead_band": 0.0, "machine.overlap_a": 0.03, "machine.overlap_b": 0.03, "machine.hysteresis": 0.005,
        "machine.edge_rounding": 0.002, "law.valve.null_bias": 0.012,
    }  # fmt: skip


def test_sides_that_differ_stay_as_far_apart_as_declared_and_this_is_said():
    made = told(found(0.03), overlap_a=0.035, overlap_b=0.015)
    assert [made[key].value for key in OVERLAPS] == pytest.approx([0.04, 0.02])
    assert any("differ by 0.02 as the rig file says" in note for note in valve_notes(made))


def test_an_overlap_of_one_side_alone_is_not_set():
    made = told(found(0.03), overlap_a=0.035, overlap_b=0.015)
    made |= unsure({OVERLAPS[0]: made[OVERLAPS[0]]})
    assert not any(key.startswith(("machine.overlap", "machine.dead_band")) for key in valve_changes(made))


@given(mean=some.floats(0, 0.2), a=some.floats(0, 0.2), b=some.floats(0, 0.2))
def test_both_edges_are_where_mean_and_null_put_them_unless_one_would_be_negative(mean, a, b):
    facts = {"machine.dead_band": 0.0, "machine.overlap_a": a, "machine.overlap_b": b}
    up, down = sides(mean, facts)
    assert min(up, down) >= 0.0
    if min(up, down) > 0.0:
        assert (up + down, up - down) == (pytest.approx(2 * mean), pytest.approx(a - b))


@given(mean=some.floats(0, 0.1), play=some.floats(0, 0.02), null=some.floats(-0.05, 0.05),
       a=some.floats(0, 0.1), b=some.floats(0, 0.1), both=some.booleans())
def test_what_is_set_is_a_rig_file_that_is_valid(mean, play, null, a, b, both):
    declared = {"dead_band": a} if both else {"overlap_a": a, "overlap_b": b}
    changes = valve_changes(told(found(mean, play, null), **declared))
    changed = {key.removeprefix("machine."): value for key, value in changes.items() if key.startswith("machine.")}
    machine = check(Machine, {**MACHINE, **declared, **changed})
    assert not list(machine.inconsistencies("machine"))


def test_what_may_be_none_is_set_to_none_and_said_and_left_alone_where_it_is_none_already():
    least = NONE[OVERLAPS[0]]
    made = told(found(least), dead_band=0.02)
    assert valve_changes(made)["machine.overlap_a"] == 0.0
    assert any("overlap_a = 0.001 may be as little as none" in note for note in valve_notes(made))
    assert not set(OVERLAPS) & set(valve_changes(told(found(least))))
    assert valve_changes(told(found(1.2 * least)))["machine.overlap_a"] == pytest.approx(1.2 * least)


def test_an_interval_too_wide_or_an_upper_bound_is_not_identified_and_not_set():
    wide, bound = told(found(0.03, sd=1.1e-3), dead_band=0.02), told(found(0.2, at=1), dead_band=0.02)
    for made in (wide, bound):
        assert not any(made[key].identified for key in OVERLAPS)
        assert not {"machine.dead_band", *OVERLAPS} & set(valve_changes(made))
    assert told(found(0.03, sd=0.9e-3))[OVERLAPS[0]].identified
    assert told(found(0.0, at=-1))[OVERLAPS[0]].identified


def test_a_spool_that_is_asked_for_less_than_its_greatest_speed_shows_no_limit_of_it():
    facts = {"machine.slew_per_s": 250.0}
    assert slew_note(249.0, facts).startswith("machine.slew_per_s = 250 stays as the rig file says")
    assert "at most 31 openings/s" in slew_note(31.2, facts)
    assert "more than machine.slew_per_s = 250: check it" in slew_note(251.0, facts)


@pytest.mark.parametrize(("threshold", "before", "set_to"),
                         [(0.002, 0.0, 0.002), (0.002, 0.001, 0.002), (2e-4, 0.001, 0.0), (2e-4, 0.0, None)])
def test_a_threshold_is_set_where_there_is_one_so_that_the_valve_is_dithered(threshold, before, set_to):
    made = told(found(0.01, threshold=threshold), threshold=before)
    assert made[THRESHOLD].identified and made[THRESHOLD].low <= threshold <= made[THRESHOLD].high
    assert valve_changes(made).get(THRESHOLD) == set_to


def test_a_threshold_beside_a_hysteresis_is_known_less_well_and_beside_a_wide_one_not_at_all():
    half = [made.high - made.value for made in (told(found(0.01, play=play, threshold=0.002))[THRESHOLD]
                                                for play in (0.0, 0.0015, 0.004))]  # fmt: skip
    assert half == sorted(half) and half[1] > 5e-4
    wide = told(found(0.01, play=0.004, threshold=0.002))
    assert not wide[THRESHOLD].identified and THRESHOLD not in valve_changes(wide)


@pytest.mark.parametrize(("mean", "known"), [(0.0, False), (0.0009, False), (0.005, True)])
def test_rounded_edges_are_set_as_they_were_found_where_there_is_an_overlap(mean, known):
    made = told(found(mean))
    assert made[ROUNDING].identified == known and made[ROUNDING].value == 0.002
    assert valve_changes(made).get(ROUNDING) == (0.002 if known else None)


def test_rounded_edges_of_too_wide_an_interval_stay_as_declared():
    made = told(found(0.005, sd=1.2e-3), edge_rounding=0.001)
    assert not made[ROUNDING].identified and made[ROUNDING].before == 0.001
    assert ROUNDING not in valve_changes(made)


@pytest.mark.parametrize(("before", "set_to"), [(0.003, 0.0), (0.0, None)])
def test_edges_that_may_be_sharp_are_set_sharp_and_that_is_said(before, set_to):
    made = told(found(0.02, rounding=7e-4), edge_rounding=before)
    assert made[ROUNDING].identified and made[ROUNDING].low == 0.0
    assert valve_changes(made).get(ROUNDING) == set_to
    assert any("edge_rounding = 0.0007 may be as little as none" in note for note in valve_notes(made))
