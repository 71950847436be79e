"""Rings, mailbox and board from the loop's side, one operation at a time, in both forms."""

import numpy as np
import pytest

from hilctl.loop.board import rt_post
from hilctl.loop.mailbox import FRESH, mail_put, rt_mail_take, rt_mail_waits
from hilctl.loop.ring import LOST, READ, WRITTEN, rt_claim, rt_done, rt_lose, rt_publish, rt_waiting

BASE, SLOTS = 32, 8
pytestmark = pytest.mark.usefixtures("forms")


def ring(written=0, lost=0, read=0):
    words = np.full(64, 5000, np.int64)
    words[BASE + WRITTEN], words[BASE + LOST], words[BASE + READ] = written, lost, read
    return words


def other_words(words):
    """What is none of this ring's."""
    return [int(word) for k, word in enumerate(words) if k - BASE not in (WRITTEN, LOST, READ)]


@pytest.mark.parametrize(
    ("written", "read", "slot"), [(0, 0, 0), (7, 0, 7), (8, 0, -1), (8, 1, 0), (29, 22, 5), (29, 21, -1), (29, 20, -1)]
)
def test_the_slot_to_fill_is_the_next_one_round_unless_the_ring_is_full(written, read, slot):
    words = ring(written, 3, read)
    before = words.copy()
    assert rt_claim(words, BASE, SLOTS) == slot
    assert (words == before).all()


def test_each_side_counts_on_in_its_own_word():
    words = ring(30, 3, 26)
    assert rt_waiting(words, BASE) == 4
    rt_publish(words, BASE)
    assert rt_waiting(words, BASE) == 5
    rt_lose(words, BASE)
    rt_done(words, BASE, 2)
    assert rt_waiting(words, BASE) == 3
    assert (words[BASE + WRITTEN], words[BASE + LOST], words[BASE + READ]) == (31, 4, 28)
    assert set(other_words(words)) == {5000}


def test_a_letter_waits_until_it_is_taken_and_the_slots_change_hands():
    words = np.array([9, 1, 9], np.int64)
    assert not rt_mail_waits(words, 1)
    assert mail_put(words, 1, 0) == 1
    assert rt_mail_waits(words, 1)
    assert rt_mail_take(words, 1, 2) == 0
    assert not rt_mail_waits(words, 1)
    assert words.tolist() == [9, 2, 9]
    words[1] = 3 | FRESH
    assert rt_mail_take(words, 1, 0) == 3, "all of the index, without the mark"


def test_a_post_counts_one_record_more():
    words = np.array([9, 41, 9], np.int64)
    rt_post(words, 1)
    assert words.tolist() == [9, 42, 9]
