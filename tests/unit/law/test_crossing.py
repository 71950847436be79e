"""The spool's way across its overlap: its shape, where it begins, and that its sums stay exact."""

import math

import numpy as np
import pytest

from hilctl.law.crossing import (
    EARLY,
    EARLY_JUMP,
    EARLY_STUCK,
    FINE,
    MEANS,
    crossing_record,
    rt_crossing_early_s,
    rt_crossing_start,
    rt_crossing_step,
)
from hilctl.law.edges import rt_side
from hilctl.law.feed import CROSS_EARLY
from tests.forms import filled
from tests.unit.law.given import machine

H, RING, ROOM = 1e-4, 256, 100
LAG_S, LAG_S2 = 2.7e-3, 2.4e-6
SHARP = machine(overlap_a=0.03, overlap_b=0.03)
pytestmark = pytest.mark.usefixtures("forms")


def started(base_s=3e-3, room=ROOM, opening=0.0):
    c = filled(crossing_record(RING))
    rt_crossing_start(base_s, room, H, opening, SHARP, c)
    return c


def along(openings, c, first=0, m=SHARP):
    """The side, and its command, at the grid points at which both are known."""
    for g, opening in enumerate(openings, first):
        rt_crossing_step(g, opening, LAG_S, LAG_S2, H, m, c)
    late = MEANS * (c.width - 1) // 2
    at = np.arange(first, first + len(openings) - late - 1)
    return c.side[at & (RING - 1)], c.command[at & (RING - 1)]


def spread(values, width):
    for _ in range(MEANS):
        values = np.convolve(values, np.ones(width) / width, "valid")
    return values


@pytest.mark.parametrize("base_s", [0.0, 8e-4, 3e-3])
def test_the_side_is_the_sign_of_the_opening_through_four_running_means_without_delay(base_s):
    c = started(base_s, opening=-0.01)
    openings = np.concatenate([np.full(60, -0.01), np.full(100, 0.02), np.full(60, -0.3)])
    side, _ = along(openings, c)
    cell = np.sign(openings)
    cell[60] = round(FINE * 0.01 / 0.03) / FINE  # from -0.01 to 0.02
    cell[160] = round(FINE * -0.28 / 0.32) / FINE
    late = MEANS * (c.width - 1) // 2
    padded = np.concatenate([np.full(2 * late + 2, -1.0), cell, np.full(late, np.nan)])
    wanted = spread(padded, c.width)[2 + late :]
    assert side == pytest.approx(wanted[: len(side)], abs=1e-15)
    middle = 60 + (late % 2) / 2
    assert np.interp(0.0, side[30:100], np.arange(30, 100)) == pytest.approx(middle, abs=0.6)


def test_its_command_makes_up_for_the_valves_lag():
    c = started(opening=-1.0)
    side, command = along(np.where(np.arange(160) < 80, -1.0, 1.0), c)
    slope, bend = np.gradient(side, H), np.zeros(len(side))
    bend[1:-1] = np.diff(side, 2) / H**2
    wanted = side + LAG_S * slope + LAG_S2 * bend
    assert command[40:115] == pytest.approx(wanted[40:115], abs=1e-9)
    assert np.max(command) > 2.0


def test_where_the_opening_is_nothing_the_spool_is_in_the_middle():
    side, command = along(np.zeros(80), started())
    assert not side.any()
    assert not command.any()


@pytest.mark.parametrize(("opening", "side"), [(0.2, 1.0), (-1e-9, -1.0), (0.0, 0.0)])
def test_it_starts_as_if_it_had_always_been_on_that_side(opening, side):
    c = started(opening=opening)
    assert (c.side == side).all()
    assert (c.command == side).all()
    assert (along(np.full(100, opening), c)[0] == side).all()


def test_its_sums_stay_exact_over_any_number_of_changes():
    chance = np.random.default_rng(5)
    c = started(6e-3)
    along(chance.normal(size=5000) * (chance.random(5000) < 0.7), c)
    assert c.sums[0] == c.means[0, : c.width].sum()
    assert c.sums[MEANS - 1] == c.means[MEANS - 1, : c.width].sum()
    side, _ = along(np.full(200, 1.0), c, first=5000)
    assert side[-1] == 1.0


def test_an_opening_that_is_not_a_number_has_no_side_and_is_forgotten():
    c = started(1e-3)
    side, _ = along([0.1, math.nan, *[0.1] * 60], c)
    assert np.isfinite(side).all()
    assert side[-1] == 1.0


def test_it_is_cut_short_where_less_is_known_ahead():
    assert started(3e-3, room=ROOM).width == 8
    assert [started(3e-3, room=room).width for room in (0, 9, 14, 23)] == [1, 1, 3, 8]
    assert started(1.0, room=400).width == 64


def test_it_begins_early_by_a_share_of_its_time_and_earlier_where_the_table_sticks_longer():
    assert rt_crossing_early_s(0.0, 1e4, 4e-3) == pytest.approx(EARLY * 4e-3)
    at = [rt_crossing_early_s(6000.0, taken, 4e-3) / 4e-3 for taken in (0.0, 3000.0, 6000.0, 9000.0)]
    wanted = [EARLY_JUMP + EARLY_STUCK, EARLY_JUMP + EARLY_STUCK * math.sqrt(0.5), EARLY_JUMP, EARLY_JUMP]
    assert at == pytest.approx(wanted)
    assert max(at) <= CROSS_EARLY


def test_behind_rounded_edges_it_goes_on_beyond_the_crossing_as_the_opening_grows():
    m = machine(overlap_a=0.02, overlap_b=0.04, edge_rounding=0.01)
    openings = np.linspace(-0.02, 0.02, 201)
    side, _ = along(openings, started(0.0, opening=-0.02), m=m)
    wanted = [rt_side(opening, 0.03, 0.01) for opening in openings]
    assert side[1:] == pytest.approx((np.array(wanted[1:]) + wanted[:-1])[: len(side) - 1] / 2, abs=0.01)
    sharp, _ = along(openings, started(0.0, opening=-0.02))
    assert np.abs(side[75:125]).max() < 0.9 < np.abs(sharp[75:125]).max()
