"""In which order what HDF5 writes reaches the kernel, and where needed the disk.

HDF5 writes by address. Cut between two such writes, an index may point to a part that is not there yet, or a part may
have given its entries away before anything points to where they went: then samples that were safe before are lost.
That is so where a node of an index is split in two, every 64 chunks of 1024 rows. So what goes over something is kept
back until the flush is over, and then written behind all that is new: first the end of the file, then nodes from the
root down, and last those that have fewer entries than they had. A power cut loses any part of what was not synced, so
around such a split it is synced: first what is new, then what points to it.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

PAGE = 4096  # bytes; a disk has all of one as it was written, or none
NODE = 2096  # bytes of a node: with its place a multiple of a page, it is never on the disk by half
_NODE = b"TREE"  # signature, kind, level, and how many entries it has in two bytes
_HEAD, _LEVEL = 8, 5
_NO_NODE = -1  # as a level: after all nodes but those that have shrunk


class Kept(NamedTuple):
    """A write that waits."""

    at: int
    data: bytes


class Order:
    """The writes of one flush that go over something, until it is settled."""

    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        self._read = read
        self.kept: list[Kept] = []

    def keep(self, at: int, data: memoryview) -> None:
        """This write waits."""
        self.kept.append(Kept(at, bytes(data)))

    def over(self, at: int, view: memoryview) -> None:
        """What was read from the file, with what waits over it."""
        for kept in self.kept:
            low, high = max(at, kept.at), min(at + len(view), kept.at + len(kept.data))
            if low < high:
                view[low - at : high - at] = kept.data[low - kept.at : high - kept.at]

    def phases(self) -> Iterator[list[Kept]]:
        """What is written in this order. Where there is more than one, each is on the disk before the next."""
        kept, self.kept = self.kept, []
        unseen: list[Kept] = []
        over, shrunk, split = [], [], False
        for one in kept:
            was, now = self._read(one.at, _HEAD), one.data[:_HEAD]
            if one.at == 0:  # how long the file is
                unseen.insert(0, one)
            elif not now.startswith(_NODE):
                over.append((_NO_NODE, one))
            elif not was.startswith(_NODE):
                unseen.append(one)
                split = True
            elif was[_LEVEL] != now[_LEVEL]:  # the root, of which all entries are elsewhere now
                over.append((now[_LEVEL], one))
                split = True
            elif _entries(now) < _entries(was):
                shrunk.append(one)
                split = True
            elif now[_LEVEL] == 0:  # its new entries count once the head says so
                unseen.append(Kept(one.at + _HEAD, one.data[_HEAD:]))
                over.append((0, Kept(one.at, now)))
            else:
                over.append((now[_LEVEL], one))
        ordered = [one for _, one in sorted(over, key=lambda pair: -pair[0])]
        yield from (unseen, ordered, shrunk) if split else (unseen + ordered,)


def _entries(node: bytes) -> int:
    return int.from_bytes(node[6:_HEAD], "little")
