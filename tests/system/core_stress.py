"""Writers at full speed for the stress tests, in a thread or as a process.

    python -m tests.system.core_stress JOB FD COUNT

Every record carries its number in every word, so that a reader can tell a torn one. The memory is one array of words:
the control words of a ring, a mailbox and a board, then their slots.
"""

import mmap
import os
import sys
from typing import Any

import numpy as np

from hilctl.loop.board import rt_post
from hilctl.loop.mailbox import MIDDLE_FIRST, READER_FIRST, WRITER_FIRST, mail_put, rt_mail_take, rt_mail_waits
from hilctl.loop.ring import READ, WRITTEN, rt_claim, rt_done, rt_lose, rt_publish, rt_waiting
from hilctl.rt.atomics import load_acquire, store_release
from hilctl.rt.jit import jit

RING, MAIL, BOARD, GO, STOP, SEEN = 0, 32, 48, 64, 80, 96
SLOTS_AT = 128
WIDTH = 57  # words of a sample
SLOTS = 256
SET_WIDTH = 175  # words of a parameter set
BOARD_SLOTS = 16
WORDS = SLOTS_AT + SLOTS * WIDTH
ROW = np.dtype([("words", np.int64, (WIDTH,))])

_WRITER = "int64(int64[::1], int64, int64)"


def memory(fd: int) -> Any:
    """The words behind a descriptor."""
    words: Any = np.frombuffer(mmap.mmap(fd, WORDS * 8), np.int64)
    return words


def new_memory() -> tuple[int, Any]:
    """Fresh words, and the descriptor that another process needs."""
    fd = os.memfd_create("stress")
    os.ftruncate(fd, WORDS * 8)
    words = memory(fd)
    words[MAIL] = MIDDLE_FIRST
    return fd, words


def rows_of(words: Any) -> Any:
    """The ring's slots, as records."""
    return words[SLOTS_AT:].view(ROW)


@jit()
def rt_fill(words: Any, at: int, width: int, number: int) -> None:
    """One record, from its first word to its last."""
    for k in range(width):
        words[at + k] = number


@jit()
def rt_torn(words: Any, at: int, width: int) -> bool:
    """Whether the words of a record differ."""
    number, torn = words[at], False
    for k in range(width):
        torn = torn or words[at + k] != number
    return torn


@jit()
def rt_wait_to_go(words: Any) -> None:
    """Both sides are there."""
    while load_acquire(words, GO) == 0:
        pass


@jit(lambda: _WRITER, cached=True)
def write_rows(words: Any, count: int, drops: int) -> int:
    """The ring as the loop uses it: a full one is waited for, or, with `drops`, makes the row be lost and counted."""
    rt_wait_to_go(words)
    number = 0
    while number < count:
        slot = rt_claim(words, RING, SLOTS)
        if slot < 0:
            if drops != 0:
                rt_lose(words, RING)
                number += 1
            continue
        rt_fill(words, SLOTS_AT + slot * WIDTH, WIDTH, number)
        rt_publish(words, RING)
        number += 1
    store_release(words, STOP, 1)
    return number


@jit()
def rt_enough(words: Any, number: int, count: int, seen: int) -> bool:
    """A writer's end: all was written, and the reader saw what it was to see, however rarely both run at once."""
    return number >= count and load_acquire(words, SEEN) >= seen


@jit(lambda: _WRITER, cached=True)
def write_rows_unprotected(words: Any, count: int, seen: int) -> int:
    """The control: a writer that does not look whether its reader is done with a slot."""
    rt_wait_to_go(words)
    number = 0
    while not rt_enough(words, number, count, seen):
        rt_fill(words, SLOTS_AT + (number & (SLOTS - 1)) * WIDTH, WIDTH, number)
        number += 1
        store_release(words, RING + WRITTEN, number)
    store_release(words, STOP, number)
    return number


@jit(lambda: _WRITER, cached=True)
def write_sets(words: Any, count: int, seen: int) -> int:
    """The mailbox: parameter sets as fast as they can be written."""
    rt_wait_to_go(words)
    back, number = WRITER_FIRST, 0
    while not rt_enough(words, number, count, seen):
        number += 1
        rt_fill(words, SLOTS_AT + back * SET_WIDTH, SET_WIDTH, number)
        back = mail_put(words, MAIL, back)
    store_release(words, STOP, number)
    return number


@jit(lambda: _WRITER, cached=True)
def write_sets_unprotected(words: Any, count: int, seen: int) -> int:
    """The control: one slot for both."""
    rt_wait_to_go(words)
    number = 0
    while not rt_enough(words, number, count, seen):
        number += 1
        rt_fill(words, SLOTS_AT + READER_FIRST * SET_WIDTH, SET_WIDTH, number)
        store_release(words, MAIL, number)
    store_release(words, STOP, number)
    return number


@jit(lambda: "int64(int64[::1], int64[::1], int64)", cached=True)
def read_sets(words: Any, counts: Any, protected: int) -> int:
    """Takes sets until the writer stops. `counts`: taken, torn, older than one before, the last taken."""
    front, last = READER_FIRST, 0
    words[GO] = 1
    while True:
        stopping = load_acquire(words, STOP)
        if protected != 0:
            fresh = rt_mail_waits(words, MAIL)
            if fresh:
                front = rt_mail_take(words, MAIL, front)
        else:
            fresh = load_acquire(words, MAIL) != last
        if fresh:
            at = SLOTS_AT + front * SET_WIDTH
            counts[0] += 1
            counts[1] += 1 if rt_torn(words, at, SET_WIDTH) else 0
            counts[2] += 1 if words[at] < last else 0
            last = words[at]
            store_release(words, SEEN, counts[0] if protected != 0 else counts[1])
        elif stopping != 0:
            counts[3] = last
            return 0


@jit(lambda: "int64(int64[::1], int64[::1], int64)", cached=True)
def read_requests(words: Any, counts: Any, _: int) -> int:
    """Takes records as the loop takes requests. `counts`: taken, torn, out of order, the last taken."""
    words[GO] = 1
    counts[3] = -1
    while True:
        stopping = load_acquire(words, STOP)
        waiting = rt_waiting(words, RING)
        for _ in range(waiting):
            at = SLOTS_AT + (words[RING + READ] & (SLOTS - 1)) * WIDTH
            counts[0] += 1
            counts[1] += 1 if rt_torn(words, at, WIDTH) else 0
            counts[2] += 1 if words[at] != counts[3] + 1 else 0
            counts[3] = words[at]
            rt_done(words, RING, 1)
        if stopping != 0 and waiting == 0:
            return 0


@jit(lambda: _WRITER, cached=True)
def write_statuses(words: Any, count: int, spins: int) -> int:
    """The board: a status, then the rest of a tick."""
    rt_wait_to_go(words)
    for number in range(1, count + 1):
        rt_fill(words, SLOTS_AT + (words[BOARD] % BOARD_SLOTS) * WIDTH, WIDTH, number)
        rt_post(words, BOARD)
        for _ in range(spins):
            load_acquire(words, GO)
    store_release(words, STOP, 1)
    return count


if __name__ == "__main__":
    globals()[sys.argv[1]](memory(int(sys.argv[2])), int(sys.argv[3]), int(sys.argv[4]))
