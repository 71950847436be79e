"""The status board: the newest of a few records, from the loop to its readers, which only read memory.

The loop writes record n into slot n modulo the number of slots and releases the count. A reader copies the newest and
reads the count again: only if the writer has come round to that slot meanwhile is the copy torn; then it is repeated.
With sixteen slots the reader has fifteen ticks for one copy.
"""

from typing import Any

from hilctl.loop.outside import load, order
from hilctl.rt.atomics import store_release
from hilctl.rt.jit import jit

_TRIES = 100


@jit()
def rt_post(words: Any, board: int) -> None:
    """Writer: the slot `words[board] modulo slots` is whole."""
    store_release(words, board, words[board] + 1)


def newest(words: Any, board: int, records: Any) -> Any | None:
    """Reader: a copy of the newest record, or None before the first, and when the writer outran every try."""
    slots = len(records)
    for _ in range(_TRIES):
        count = load(words, board)
        if count == 0:
            return None
        copy = records[(count - 1) % slots : (count - 1) % slots + 1].copy()
        order()  # the count is read again after the whole copy
        if load(words, board) - count < slots - 1:
            return copy[0]
    return None
