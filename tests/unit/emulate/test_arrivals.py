"""When bytes came on a line, though nobody looked."""

import os
import socket
import time

import pytest

from firmware_bridge.emulate.arrivals import Arrivals, DatedSocket, arrivals
from hilctl.rt.jit import PLAIN

TOO_OLD_NS = 5_000_000  # a date of then counts no more
compiled = pytest.mark.skipif(PLAIN, reason="the thread that dates is compiled code")


@pytest.fixture
def line():
    ends = os.openpty()
    yield ends
    for fd in ends:
        os.close(fd)


def dated(arrivals, fd):
    """Waits until the thread has dated what came."""
    while not arrivals.newest(fd):
        pass


@compiled
def test_what_comes_is_dated_when_it_comes_however_late_one_looks(line):
    arrivals = Arrivals()
    arrivals.begin()
    arrivals.watch(line[0])
    counted = 0
    while counted < 3:
        before_ns = time.monotonic_ns()
        os.write(line[1], b"abc")
        dated(arrivals, line[0])
        by_ns = time.monotonic_ns()
        while time.monotonic_ns() < by_ns + 1_000_000:
            pass
        came_ns = arrivals.of(line[0])
        os.read(line[0], 100)
        if time.monotonic_ns() < before_ns + TOO_OLD_NS:  # a busy host may have taken the processor away for so long
            assert before_ns <= came_ns <= by_ns
            counted += 1


@compiled
def test_a_date_counts_once_and_not_for_what_comes_later(line):
    arrivals = Arrivals()
    arrivals.begin()
    arrivals.watch(line[0])
    os.write(line[1], b"abc")
    dated(arrivals, line[0])
    came_ns = arrivals.of(line[0])
    now_ns = time.monotonic_ns()
    assert came_ns < now_ns <= arrivals.of(line[0])


def test_without_the_thread_everything_comes_when_it_is_looked_at(line):
    arrivals = Arrivals()
    arrivals.watch(line[0])
    os.write(line[1], b"abc")
    now_ns = time.monotonic_ns()
    assert now_ns <= arrivals.of(line[0]) <= time.monotonic_ns()


@pytest.fixture
def connection():
    with DatedSocket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        with socket.create_connection(listening.getsockname()) as ours:
            theirs, _ = listening.accept()
            with theirs:
                yield ours, theirs


def test_what_comes_on_a_socket_has_the_systems_date(connection):
    ours, theirs = connection
    counted = dated = 0
    while dated < 8 and counted < 100:  # the first may come before the system has begun to date
        before_ns = time.monotonic_ns()
        ours.sendall(b"abc")
        by_ns = time.monotonic_ns()
        while time.monotonic_ns() < by_ns + 1_000_000:
            pass
        assert theirs.recv(10) == b"abc"
        came_ns = arrivals.of(theirs.fileno())
        counted += 1
        # One that is dated as it is read comes a millisecond after it was sent; the system's is of another clock, and a
        # busy host carries some bytes late, or takes the processor away while the two clocks are read.
        dated += before_ns - 50_000 <= came_ns <= by_ns + 500_000
    assert dated == 8
