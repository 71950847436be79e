"""Whether this host stood still: what decides if a test on the real clock that failed is run again.

A loop or a device whose processor is taken away for longer than it waits has to trip, and then a test of something else
fails. A process on each processor, which takes no part in the test, sleeps, sends itself a byte over a line, and sees
by how much too long that took: a byte on a serial line or a pseudo-terminal is carried by threads of the kernel, which
wait behind whatever is busy, whatever priority its sender and its receiver have.
"""

import mmap
import os
import subprocess
import sys
import time
import tty

_NAP_S = 0.01
LONG_S = 0.040  # less than any loop or device of a test waits before it makes itself safe
QUIET_S, QUIET_TRIES = 2.0, 15  # twice, and thrice a test, within the time that a test has
_WORD = 8  # bytes a processor: its longest stall in ns


class Watch:
    """The watchers; they end with this process at the latest."""

    def __init__(self) -> None:
        processors = sorted(os.sched_getaffinity(0))
        fd = os.memfd_create("stalls")
        os.ftruncate(fd, _WORD * len(processors))
        self._told = memoryview(mmap.mmap(fd, 0)).cast("q")
        self.watchers = [
            subprocess.Popen([sys.executable, "-ISs", __file__, *map(str, (fd, slot, one, os.getpid()))], pass_fds=[fd])
            for slot, one in enumerate(processors)
        ]
        os.close(fd)

    def begin(self) -> None:
        """Forgets what was before."""
        for slot in range(len(self._told)):
            self._told[slot] = 0

    def all_watch(self) -> bool:
        """Whether each has slept since `begin`."""
        return all(self._told)

    def longest_s(self) -> float:
        """Since `begin`, of all processors."""
        return max(self._told) / 1e9

    def wait_quiet(self) -> None:
        """Until nothing stood still for a while; no longer than for a while either."""
        for _ in range(QUIET_TRIES):
            self.begin()
            time.sleep(QUIET_S)
            if self.longest_s() < LONG_S:
                return

    def end(self) -> None:
        """No more is seen."""
        for watcher in self.watchers:
            watcher.kill()
            watcher.wait()


class Line:
    """A pseudo-terminal."""

    def __init__(self) -> None:
        self._ends = os.openpty()
        for end in self._ends:
            tty.setraw(end)

    def carry(self) -> None:
        """A byte from one end to the other."""
        near, far = self._ends
        os.write(near, b"x")
        os.read(far, 1)


def watch(fd: int, slot: int, processor: int, parent: int) -> None:
    """What each of the processes does."""
    os.sched_setaffinity(0, [processor])
    told, line = memoryview(mmap.mmap(fd, 0)).cast("q"), Line()
    due_ns = time.monotonic_ns()
    while os.getppid() == parent:
        time.sleep(_NAP_S)
        line.carry()
        now_ns = time.monotonic_ns()
        told[slot] = max(told[slot], now_ns - due_ns - round(1e9 * _NAP_S))
        due_ns = now_ns


if __name__ == "__main__":
    watch(*map(int, sys.argv[1:]))
