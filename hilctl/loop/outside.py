"""The shared words from plain Python: how the service reads and writes what the loop writes and reads.

Reading or writing one aligned word is a single instruction of the interpreter's C code. On x86-64 these are ordered as
needed already; elsewhere a compiled fence orders them.
"""

import operator
import platform
from collections.abc import Callable
from typing import Any

from hilctl.loop.ring import LOST, READ, WRITTEN
from hilctl.rt.atomics import fence
from hilctl.rt.jit import jit

ORDERED = platform.machine() in ("x86_64", "AMD64")


@jit(lambda: "int64()", cached=True)
def full_fence() -> int:
    """A fence in both directions, for Python."""
    return fence()


def order() -> None:
    """What was read and written before is over before what follows."""
    if not ORDERED:
        full_fence()


def load_and_fence(words: Any, index: int) -> int:
    """The word, and then a fence."""
    value = int(words[index])
    full_fence()
    return value


def fence_and_store(words: Any, index: int, value: int) -> None:
    """A fence, and then the word."""
    full_fence()
    words[index] = value


# The word of a memoryview; what its writer wrote before is visible afterwards.
load: Callable[[Any, int], int] = operator.getitem if ORDERED else load_and_fence
# Writes the word after everything that was written before.
store: Callable[[Any, int, int], None] = operator.setitem if ORDERED else fence_and_store


class Reader:
    """The reader's end of a ring (ring.py), of one table of slots, or of several side by side."""

    def __init__(self, words: Any, ring: int, *slots: Any) -> None:
        self._words, self._ring, self._slots, self._size = words, ring, slots, len(slots[0])
        self.read = int(words[ring + READ])

    @property
    def waiting(self) -> int:
        """How many records wait."""
        return load(self._words, self._ring + WRITTEN) - self.read

    @property
    def lost(self) -> int:
        """How many records found no place."""
        return int(self._words[self._ring + LOST])

    @property
    def told(self) -> int:
        """How many records there ever were, with those that found no place."""
        return int(self._words[self._ring + WRITTEN] + self._words[self._ring + LOST])

    def peek(self, first: int) -> list[Any]:
        """The records from number `first` on, which is none before `read`, as they lie in the ring, in one part or in
        two where it turns. They stay there."""
        count = load(self._words, self._ring + WRITTEN) - first
        if count <= 0:
            return []
        slots, at = self._slots[0], first % self._size
        over = at + count - self._size
        return [slots[at : at + count]] if over <= 0 else [slots[at:], slots[:over]]

    def pour(self, limit: int, into: Callable[..., None]) -> int:
        """Gives `into` the oldest waiting records, in order, at most `limit`, as they lie in the ring: in one part, or
        in two where the ring turns. Their slots are free afterwards. Returns how many."""
        count = min(load(self._words, self._ring + WRITTEN) - self.read, limit)
        if count <= 0:
            return 0
        first = self.read % self._size
        over = first + count - self._size
        into(*[slots[first : first + count] for slots in self._slots])  # no further than to their end
        if over > 0:
            into(*[slots[:over] for slots in self._slots])
        self.read += count
        store(self._words, self._ring + READ, self.read)
        return count

    def take(self, limit: int) -> Any:
        """Copies of the oldest waiting records, in order, at most `limit`; of the first table."""
        import numpy as np

        out = bytearray()
        # As plain bytes: numpy copies records field by field, ten times slower.
        self.pour(limit, lambda slots, *_: out.extend(slots.view("u1").data.cast("B")))
        return np.frombuffer(out, self._slots[0].dtype)


class Writer:
    """The writer's end of a ring."""

    def __init__(self, words: Any, ring: int, slots: Any) -> None:
        self._words, self._ring, self._slots = words, ring, slots
        self.written = int(words[ring + WRITTEN])

    def put(self, record: Any) -> bool:
        """Hands the record over, or says that there is no room."""
        if self.written - load(self._words, self._ring + READ) >= len(self._slots):
            return False
        self._slots[self.written % len(self._slots)] = record
        self.written += 1
        store(self._words, self._ring + WRITTEN, self.written)
        return True
