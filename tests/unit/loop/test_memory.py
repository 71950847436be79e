"""Making, sealing and checking the shared memory."""

import fcntl
import os

import numpy as np
import pytest

from hilctl.law.settings import SETTINGS
from hilctl.loop import layout
from hilctl.loop.memory import LayoutMismatch, make, open_checked
from hilctl.loop.options import CoreOptions

RUN = 0x1234


@pytest.fixture
def memory():
    made = make(np.zeros(1, SETTINGS)[0], CoreOptions(rate_hz=500.0, spin_us=5000.0), RUN)
    yield made
    made.close()


def test_its_size_can_never_change(memory):
    for size in (0, layout.size_of(4096) + 4096):
        with pytest.raises(PermissionError):
            os.ftruncate(memory.fd, size)
    with pytest.raises(PermissionError):
        fcntl.fcntl(memory.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)


def test_the_core_sees_what_the_service_wrote(memory):
    seen = open_checked(os.dup(memory.fd), RUN)
    memory.words[layout.HEARTBEAT] = 42
    memory.options.hold_rows = 7
    assert seen.words[layout.HEARTBEAT] == 42
    assert seen.options.hold_rows == 7
    assert len(seen.rows) == 4096
    seen.close()


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [("magic", 1, "begins with"), ("layout", 99, "laid out"), ("run", 5, "run 5"), ("total", 4096, "bytes")],
)
def test_a_header_that_differs_is_refused_saying_how(memory, field, value, says):
    setattr(memory.header, field, value)
    with pytest.raises(LayoutMismatch, match=says):
        open_checked(memory.fd, RUN)


def test_memory_that_could_still_shrink_is_refused(memory):
    fd = os.memfd_create("unsealed", os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, layout.size_of(4096))
    os.pwrite(fd, memory.header.tobytes(), 0)
    with pytest.raises(LayoutMismatch, match="sealed"):
        open_checked(fd, RUN)
    os.close(fd)


def test_a_spin_is_cut_to_half_a_period(memory):
    assert memory.options.spin_ns == memory.options.period_ns // 2 == 1_000_000
