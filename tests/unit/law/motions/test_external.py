"""Positions that a client sends become a spline that passes by them, piece by piece, or are refused whole."""

import math
from copy import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hilctl.law.motions import MotionLimits, MotionRefused, Positions, plan
from hilctl.law.motions.external import BEHIND, TO_REST
from hilctl.law.reference import Kind, new_motion, new_point, rt_reference
from hilctl.law.reference.external import AT_REST, COUNT, ENDED, FIRST, RING

H = 0.01
WIDE = MotionLimits(x_min_m=-1, x_max_m=1, velocity_m_s=20, acceleration_m_s2=1000)
TIGHT = MotionLimits(x_min_m=-0.1, x_max_m=0.1, velocity_m_s=1, acceleration_m_s2=30)


def swell(hz: float, seconds: float = 3.0) -> np.ndarray:
    """A sine that rises from rest and falls to it."""
    t = np.arange(0.0, seconds + H / 2, H)
    s = np.clip(np.minimum(t, seconds - t), 0, 1)
    return 0.01 * np.sin(2 * math.pi * hz * t) * s**4 * (35 + s * (-84 + s * (70 - 20 * s)))


def evaluated(coefficients: np.ndarray, times_s: np.ndarray, start_m: float = 0.0) -> np.ndarray:
    knots, made = np.zeros(FIRST + RING), np.concatenate((np.full(AT_REST, start_m), coefficients))
    knots[FIRST : FIRST + len(made)], knots[COUNT], knots[ENDED] = made, len(made), 1.0
    motion, out = new_motion(), new_point()
    motion.kind, motion.external.interval_s = Kind.EXTERNAL, H
    found = np.zeros((len(times_s), 4))
    for row, t_s in zip(found, times_s, strict=True):
        rt_reference(motion, knots, t_s, out)
        row[:] = out.tolist()
    return found


@pytest.mark.parametrize(("hz", "off"), [(1.0, 2e-8), (5.0, 2e-5), (10.0, 1e-3)])
def test_it_passes_by_the_positions_as_many_intervals_later_as_is_said(hz: float, off: float) -> None:
    sent = swell(hz)
    positions = Positions(0.0, H)
    made = np.concatenate((positions.take(sent, WIDE, None), positions.rest(WIDE, None)))
    found = evaluated(made, (np.arange(len(sent)) + BEHIND) * H)
    assert np.abs(found[:, 0] - sent).max() < off * 0.01
    after = evaluated(made, np.array([(len(sent) + TO_REST) * H]))[0]
    assert after.tolist() == [pytest.approx(sent[-1], abs=1e-15), 0.0, 0.0, 0.0]


@given(st.lists(st.integers(0, 60), max_size=30), st.floats(-0.05, 0.05))
def test_the_pieces_in_which_it_comes_make_no_difference(sizes: list[int], start_m: float) -> None:
    sent = start_m + swell(2.0)
    whole, pieces, made, at = Positions(start_m, H), Positions(start_m, H), [], 0
    for size in [*sizes, len(sent)]:
        made.append(pieces.take(sent[at : at + size], WIDE, None))
        at = min(at + size, len(sent))
    together = whole.take(sent, WIDE, None)
    assert np.array_equal(np.concatenate(made), together)
    assert (pieces.count, whole.count) == (len(sent), len(sent))
    assert pieces.peaks.a_m_s2 == pytest.approx(whole.peaks.a_m_s2, rel=0.02)


@pytest.mark.parametrize("index", [0, 5, 14])
def test_what_passes_a_limit_is_refused_with_its_place_and_nothing_of_it_counts(index: int) -> None:
    positions = Positions(0.0, H)
    positions.take(np.zeros(100), TIGHT, None)
    before = copy(positions)
    sent = np.zeros(20)
    sent[index:] = 0.09
    with pytest.raises(MotionRefused) as refused:
        positions.take(sent, TIGHT, None)
    assert refused.value.quantity == "acceleration"
    assert 100 + index - 5 <= round(refused.value.t_s / H) <= 100 + index
    assert positions.count == before.count == 100
    # what follows is as if it had never been sent
    assert np.array_equal(positions.take(np.zeros(9), TIGHT, None), before.take(np.zeros(9), TIGHT, None))


def test_it_comes_to_rest_only_where_that_passes_no_limit() -> None:
    positions, gentle = Positions(0.0, H), replace(TIGHT, acceleration_m_s2=5.0)
    positions.take(swell(2.0)[:151], gentle, None)  # as fast as it gets
    with pytest.raises(MotionRefused, match="acceleration"):
        positions.rest(gentle, None)


def test_its_plan_rests_where_the_table_is_and_says_how_much_it_waits_for() -> None:
    made = plan("external", {"interval_s": H, "buffer_s": 0.2}, TIGHT, 0.02, 7)
    assert made.facts["least"] == 20
    assert made.points([0.0, 5.0])["x_m"].tolist() == [0.02, 0.02]
    assert math.isinf(made.duration_s)
    few = plan("external", {"interval_s": H, "buffer_s": 0.0}, TIGHT, 0.02, 7)
    assert few.facts["least"] == BEHIND + 1
