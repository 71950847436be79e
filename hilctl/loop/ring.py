"""A ring with one writer and one reader: samples, requests and answers pass through one each.

Two counters that only grow, each written by one side: how many slots were written, how many were read. The writer
fills a slot before it releases its counter, the reader is done with a slot before it releases its own; so a slot
never belongs to both, and nothing is torn, repeated or out of order. When the ring is full the writer drops what is
newest and counts it.

The three words of a ring, from its base: written and lost on the writer's cache lines, read on the reader's.
"""

from typing import Any

from hilctl.rt.atomics import load_acquire, store_release
from hilctl.rt.jit import jit

WRITTEN = 0
LOST = 1
READ = 16


@jit()
def rt_claim(words: Any, ring: int, slots: int) -> int:
    """Writer: the slot to fill next, or -1 when the ring is full. `slots` is a power of two."""
    written = words[ring + WRITTEN]
    if written - load_acquire(words, ring + READ) >= slots:
        return -1
    return int(written & (slots - 1))


@jit()
def rt_publish(words: Any, ring: int) -> None:
    """Writer: the claimed slot is whole."""
    store_release(words, ring + WRITTEN, words[ring + WRITTEN] + 1)


@jit()
def rt_lose(words: Any, ring: int) -> None:
    """Writer: something found no place."""
    store_release(words, ring + LOST, words[ring + LOST] + 1)


@jit()
def rt_waiting(words: Any, ring: int) -> int:
    """Reader: how many slots wait to be read, from number `words[ring + READ]` on."""
    return int(load_acquire(words, ring + WRITTEN) - words[ring + READ])


@jit()
def rt_done(words: Any, ring: int, count: int) -> None:
    """Reader: so many slots have been copied and may be filled again."""
    store_release(words, ring + READ, words[ring + READ] + count)
