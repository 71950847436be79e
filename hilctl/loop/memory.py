"""The shared memory itself: made and sealed by the service, opened and checked by the core."""

import fcntl
import mmap
import os
from typing import Any

import numpy as np

from hilctl.errors import HilctlError
from hilctl.loop import layout
from hilctl.loop.layout import FREE, HEARTBEAT, HELD, LAYOUT, MAGIC, MAIL
from hilctl.loop.mailbox import MIDDLE_FIRST, READER_FIRST
from hilctl.loop.options import SECOND_NS, CoreOptions
from hilctl.rt.libc import monotonic_ns


class LayoutMismatch(HilctlError):
    """The memory is not what this code expects: core and service are of different versions."""


class Memory:
    """The regions of layout.py over one mapping. `words` are read and written from Python as int64."""

    def __init__(self, fd: int, size: int) -> None:
        self.fd = fd
        self.map = mmap.mmap(fd, size)
        self.bytes: Any = np.frombuffer(self.map, np.uint8)
        self.words = memoryview(self.map)[layout.words.at : layout.words.end].cast("q")
        self.header: Any = layout.header.of(self.bytes)[0]
        self.options: Any = layout.options.of(self.bytes)[0]
        self.realtime: Any = layout.realtime.of(self.bytes)[0]
        self.loop: Any = layout.loop.of(self.bytes)[0]
        self.settings: Any = layout.settings.of(self.bytes)
        self.statuses: Any = layout.statuses.of(self.bytes)
        self.requests: Any = layout.requests.of(self.bytes)
        self.answers: Any = layout.answers.of(self.bytes)
        self.snapshot: Any = layout.snapshot.of(self.bytes)[0]
        self.knots: Any = layout.knots.of(self.bytes)
        self.intakes: Any = layout.intakes.of(self.bytes)
        self.rows: Any = layout.rows(int(self.header.row_slots)).of(self.bytes)
        self.readings: Any = layout.given(int(self.header.row_slots)).of(self.bytes)

    def close(self) -> None:
        """Gives the descriptor back; the mapping goes with the last array over it."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def make(settings: Any, options: CoreOptions, run: int) -> Memory:
    """New memory of sealed size: no name, no permissions, gone with its last holder."""
    size = layout.size_of(options.rows)
    fd = os.memfd_create("hilctl", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    header: Any = np.zeros(1, layout.HEADER)
    header[0] = (MAGIC, LAYOUT, run, size, options.rows)
    os.pwrite(fd, header.tobytes(), layout.header.at)
    memory = Memory(fd, size)
    memory.words[HELD] = FREE
    memory.words[MAIL] = MIDDLE_FIRST
    memory.words[HEARTBEAT] = monotonic_ns()
    memory.settings[READER_FIRST] = settings
    memory.loop.row_slots = options.rows
    _write(options, memory.options)
    return memory


def _write(options: CoreOptions, record: Any) -> None:
    period_ns = options.period_ns
    record.period_ns = period_ns
    record.virtual = options.clock == "virtual"
    record.spin_ns = min(int(options.spin_us * 1000), period_ns // 2)
    record.exchange_ns = int(options.exchange_share * period_ns)
    record.service_timeout_ns = int(options.service_timeout_s * SECOND_NS)
    record.hurry_ticks = max(1, int(options.hurry_s * options.rate_hz))
    record.hold_rows = options.hold_rows or options.rows
    record.lost_periods = max(1, round(options.lost_s * options.rate_hz)) if options.reconnect else 0


def open_checked(fd: int, run: int) -> Memory:
    """The memory behind a descriptor, if it is this run's and laid out as this code expects."""
    size = os.fstat(fd).st_size
    width = layout.HEADER.itemsize
    header: Any = np.frombuffer(os.pread(fd, width, layout.header.at).ljust(width, b"\0"), layout.HEADER)[0]
    if header.magic != MAGIC:
        raise LayoutMismatch(f"the shared memory begins with {int(header.magic):#x}, not {MAGIC:#x}")
    if header.layout != LAYOUT:
        raise LayoutMismatch(f"the shared memory is laid out as {int(header.layout):x}, this core expects {LAYOUT:x}")
    if header.run != run:
        raise LayoutMismatch(f"the shared memory belongs to run {int(header.run):x}, not {run:x}")
    seals = fcntl.fcntl(fd, fcntl.F_GET_SEALS)
    if header.total != size or not seals & fcntl.F_SEAL_SHRINK:
        raise LayoutMismatch(f"the shared memory has {size} bytes, its header says {int(header.total)}, sealed")
    return Memory(fd, size)
