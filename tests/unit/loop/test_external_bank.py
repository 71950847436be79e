"""The bank of an external reference, from the service's side."""

import numpy as np
import pytest

from hilctl.law.reference.external import (
    AT_REST,
    DRY,
    FIRST,
    HEAD,
    HERE,
    RING,
    SENT,
    SENT_ACCELERATION,
    SENT_END,
    SENT_SPEED,
)
from hilctl.law.reference.wave import KNOTS
from hilctl.loop.external import Bank


@pytest.fixture
def knots():
    made = np.zeros(KNOTS)
    made[SENT] = AT_REST
    return made


def test_what_is_written_follows_what_was_and_turns_at_the_rings_end(knots):
    bank, some = Bank(knots), np.arange(1.0, 8.0)
    knots[SENT] = knots[HEAD] = RING - 3
    bank.write(some, 0.5, 2.0)
    assert knots[SENT] == RING + 4
    assert knots[FIRST + RING - 3 : FIRST + RING].tolist() == [1.0, 2.0, 3.0]
    assert knots[FIRST : FIRST + 4].tolist() == [4.0, 5.0, 6.0, 7.0]
    assert not knots[FIRST + RING :].any()
    assert (knots[SENT_SPEED], knots[SENT_ACCELERATION]) == (0.5, 2.0)


@pytest.mark.parametrize(("count", "head", "ahead"), [(5, 0, 0), (6, 0, 1), (20, 3.5, 11.5), (20, 15, 0), (20, 99, 0)])
def test_how_far_the_head_can_go(knots, count, head, ahead):
    knots[SENT], knots[HEAD] = count, head
    assert Bank(knots).ahead == ahead


def test_there_is_room_for_what_the_head_has_left_behind(knots):
    bank = Bank(knots)
    room = bank.room
    bank.write(np.ones(room), 0.0, 0.0)
    assert bank.room == 0
    knots[HEAD] = 100.0
    assert bank.room == 100
    assert room + AT_REST < RING


def test_what_the_loop_says_and_what_it_is_told(knots):
    bank = Bank(knots)
    assert not bank.dry
    knots[HERE], knots[DRY] = -4.5, 1.0
    assert bank.here == -4.5
    assert bank.dry
    bank.end()
    assert knots[SENT_END] == 1.0
