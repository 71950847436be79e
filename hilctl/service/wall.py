"""The wall clock beside the samples' monotonic one: how far apart they are, and how certain that is.

Both are slewed alike, so their offset only changes when the wall clock is stepped (by hand, by NTP, after a suspend).
Every offset is kept with the monotonic instant from which on it holds: a sample keeps the wall time of its own day.
"""

import ctypes
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

STEP_NS = 1_000_000  # what differs by less is no step, and goes into the uncertainty
KEPT = 32  # steps
_READINGS = 5
_MAX_ERROR_AT, _NTP_BYTES = 16, 256  # of libc's `struct ntptimeval`, which has no room for more than its kernel's
_UNSYNCHRONIZED = 5  # TIME_ERROR

Reading = tuple[int, int, int]  # monotonic before, wall, monotonic after


def read_clocks() -> Reading:
    """The wall clock between two looks at the monotonic one."""
    return time.monotonic_ns(), time.time_ns(), time.monotonic_ns()


class Offset(NamedTuple):
    """What is added to a monotonic time from `since_ns` on."""

    offset_ns: int
    uncertainty_ns: int
    since_ns: int


class Host(NamedTuple):
    """What the host says of its wall clock against the world's."""

    synchronized: bool | None = None  # None: it says nothing
    error_ns: int | None = None


class Wall:
    """The offsets of this run, the newest last."""

    def __init__(self, read: Callable[[], Reading] = read_clocks) -> None:
        self._read = read
        self.offsets: deque[Offset] = deque([self._measured()._replace(since_ns=0)], maxlen=KEPT)
        self.host = host_clock()

    @property
    def now(self) -> Offset:
        """The newest."""
        return self.offsets[-1]

    def look(self) -> int:
        """Measures again; by how much the wall clock was stepped since, 0 if it was not."""
        was, new = self.now, self._measured()
        self.host = host_clock()
        moved_ns = new.offset_ns - was.offset_ns
        if abs(moved_ns) > STEP_NS + new.uncertainty_ns:
            self.offsets.append(new)
            return moved_ns
        if new.uncertainty_ns < STEP_NS:  # a reading that was interrupted says nothing of the clock
            widest_ns = max(was.uncertainty_ns, abs(moved_ns) + new.uncertainty_ns)
            self.offsets[-1] = was._replace(uncertainty_ns=widest_ns)
        return 0

    def plain(self) -> dict[str, Any]:
        """As sent on the wire: the newest offset, those before it, and the host's own account."""
        return {
            **self.now._asdict(),
            "before": [offset._asdict() for offset in list(self.offsets)[:-1]],
            **self.host._asdict(),
        }

    def _measured(self) -> Offset:
        before, wall, after = min((self._read() for _ in range(_READINGS)), key=lambda r: r[2] - r[0])
        half = (after - before + 1) // 2
        return Offset(wall - before - half, half + 1, after)


@cache
def _ntp_gettime() -> Callable[..., int] | None:
    """libc's function, where it has one."""
    try:
        return ctypes.CDLL(None).ntp_gettime
    except (AttributeError, OSError):
        return None


def host_clock() -> Host:
    """Whether NTP or PTP keeps this host's clock, and how far off it may be."""
    ask = _ntp_gettime()
    if ask is None:
        return Host()
    told = (ctypes.c_long * (_NTP_BYTES // ctypes.sizeof(ctypes.c_long)))()
    state = ask(ctypes.byref(told))
    if state < 0:
        return Host()
    error_us = told[_MAX_ERROR_AT // ctypes.sizeof(ctypes.c_long)]
    return Host(False) if state == _UNSYNCHRONIZED else Host(True, 1000 * error_us)
