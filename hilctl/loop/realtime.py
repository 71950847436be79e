"""What makes a process fit for real time, in one place, and what of it was granted.

    SCHED_FIFO            the loop's thread runs before everything ordinary (RLIMIT_RTPRIO or CAP_SYS_NICE)
    mlockall              memory that was touched once stays in memory (RLIMIT_MEMLOCK or CAP_IPC_LOCK)
    affinity              the loop stays on one processor, if so wished
    cpu_dma_latency       processors do not sleep so deeply that waking takes long (root)
    timer slack           an ordinary thread's sleep is not stretched either
    garbage collector     everything from the start is frozen, never looked through: no collection ever runs
    signals               none is delivered to the loop's thread

Memory is locked as it is touched (MCL_ONFAULT): to read in the whole of the compiler, which the loop never uses,
would double the time to the first tick. What the loop uses is touched before: the shared memory here, the rest by the
first ticks.
"""

import ctypes
import gc
import mmap
import os
import signal
import struct
from typing import Any

from hilctl.rt.priority import prefer

MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT = 1, 2, 4  # <bits/mman.h>
MADV_POPULATE_WRITE = 23  # Linux 5.14
PR_SET_NAME, PR_SET_TIMERSLACK = 15, 29  # <linux/prctl.h>
_libc = ctypes.CDLL(None, use_errno=True)


def keep_off(cpu: int) -> None:
    """Leaves the loop's processor to the loop, where this process may run on others."""
    others = os.sched_getaffinity(0) - {cpu}
    if cpu >= 0 and others:
        os.sched_setaffinity(0, others)


class Host:
    """What this process asked the host for. `text` is empty, or says once and plainly what is missing."""

    def __init__(self) -> None:
        self.fifo = self.locked = self.awake = False
        self.priority, self.cpu = 0, -1
        self._latency_fd = -1

    def prepare_process(self, memory: mmap.mmap) -> None:
        """Before the loop's thread starts. `memory` is what the loop works on."""
        gc.freeze()
        gc.disable()
        self.locked = _libc.mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0
        _touch(memory)
        try:
            self._latency_fd = no_deep_sleep()
            self.awake = True
        except OSError:
            self.awake = False

    def prepare_thread(self, priority: int, cpu: int) -> None:
        """On the loop's thread, before it enters the loop."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        _libc.prctl(PR_SET_NAME, b"hilctl-loop", 0, 0, 0)
        exact_sleeps()
        if cpu >= 0:
            try:
                os.sched_setaffinity(0, {cpu})
                self.cpu = cpu
            except OSError:
                self.cpu = -1
        if priority > 0 and prefer(priority):
            self.fifo, self.priority = True, priority

    def text(self, priority: int, cpu: int) -> str:
        """What was wanted and not granted; empty when nothing."""
        missing = []
        if priority > 0 and not self.fifo:
            missing.append(f"real-time priority {priority}")
        if not self.locked:
            missing.append("locked memory")
        if cpu >= 0 and self.cpu != cpu:
            missing.append(f"processor {cpu} of its own")
        if not missing:
            return ""
        return f"running without {', '.join(missing)}: ticks will be late when the host is busy; see deploy/README.md"

    def write(self, record: Any) -> None:
        """Into the shared memory, for the service."""
        record.fifo, record.priority, record.locked = self.fifo, self.priority, self.locked
        record.cpu, record.awake = self.cpu, self.awake

    def close(self) -> None:
        """The processors may sleep again."""
        if self._latency_fd >= 0:
            os.close(self._latency_fd)
            self._latency_fd = -1


def _touch(memory: mmap.mmap) -> None:
    """Brings every page of the shared memory in, for writing, and changes nothing."""
    try:
        memory.madvise(MADV_POPULATE_WRITE)
    except (OSError, ValueError):
        for at in range(0, len(memory), mmap.PAGESIZE):
            memory[at]


def no_deep_sleep() -> int:
    """No processor of this host sleeps deeply as long as this descriptor is open. OSError where that is not allowed."""
    descriptor = os.open("/dev/cpu_dma_latency", os.O_WRONLY | os.O_CLOEXEC)
    os.write(descriptor, struct.pack("i", 0))
    return descriptor


def exact_sleeps(wished: bool = True) -> None:
    """This thread's sleeps end when they are due; or, as an ordinary thread's, when it suits the kernel."""
    _libc.prctl(PR_SET_TIMERSLACK, 1 if wished else 0, 0, 0, 0)  # 0: what it began with


def name_process(name: str) -> None:
    """What `ps` and `top` show."""
    _libc.prctl(PR_SET_NAME, name.encode()[:15], 0, 0, 0)
