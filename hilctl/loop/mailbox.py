"""The mailbox: the newest of something whole, from one writer to one reader, neither of whom ever waits.

Three slots. The writer owns one, the reader owns one, and the middle one is nobody's: a word holds its index, with a
mark while it is fresh. To put is to fill one's slot and swap it for the middle; to take is the same swap. Swaps are
single instructions, so a slot never has two owners, and a writer at full speed cannot starve the reader, as it would
with a sequence lock.
"""

from typing import Any

from hilctl.rt.atomics import exchange, load_acquire
from hilctl.rt.jit import jit

FRESH = 4
SLOT = 3
WRITER_FIRST, MIDDLE_FIRST, READER_FIRST = 0, 1, 2  # who owns which slot at the start


@jit(lambda: "int64(int64[::1], int64, int64)", cached=True)
def mail_put(words: Any, mail: int, back: int) -> int:
    """Writer: hands over slot `back`, filled; returns the slot to fill next."""
    return int(exchange(words, mail, back | FRESH) & SLOT)


@jit()
def rt_mail_waits(words: Any, mail: int) -> bool:
    """Reader: something newer than slot `front` lies there."""
    return bool(load_acquire(words, mail) & FRESH)


@jit()
def rt_mail_take(words: Any, mail: int, front: int) -> int:
    """Reader: gives slot `front` back and returns the slot that holds the newest."""
    return int(exchange(words, mail, front) & SLOT)
