"""The C library from compiled code, and the same operations in plain Python."""

import errno
import os
import select
import time

import numpy as np
import pytest

from hilctl.rt.atomics import exchange, load_acquire, store_release
from hilctl.rt.jit import jit
from hilctl.rt.libc import (
    EVENT_FD,
    POLLIN,
    POLLOUT,
    monotonic_ns,
    read_fd,
    sleep_until_ns,
    wait_event,
    wait_fd,
    write_fd,
)


def both(function):
    """Compiled, and as plain Python."""
    return [function, getattr(function, "plain", function)]


@jit()
def rt_now():
    return monotonic_ns()


@jit()
def rt_sleep(duration_ns):
    due_ns = monotonic_ns() + duration_ns
    outcome = sleep_until_ns(due_ns)
    return outcome, monotonic_ns() - due_ns


@jit()
def rt_words(words):
    store_release(words, 0, 5)
    old = exchange(words, 0, 6)
    return old, load_acquire(words, 0)


@jit()
def rt_event(fd, event):
    return wait_event(fd, event)


@pytest.mark.parametrize("now", both(rt_now))
def test_the_clock_is_the_systems_own(now):
    before = time.monotonic_ns()
    assert before <= now() <= time.monotonic_ns()


@pytest.mark.parametrize("sleep", both(rt_sleep))
def test_a_sleep_never_ends_before_its_instant_and_the_past_is_over_at_once(sleep):
    outcome, late_ns = sleep(2_000_000)
    assert outcome == 0
    assert late_ns >= 0
    assert sleep(-5_000_000_000)[0] == 0


@pytest.mark.parametrize("words", both(rt_words))
def test_words_are_stored_exchanged_and_loaded(words):
    assert words(np.zeros(4, np.int64)) == (5, 6)


@pytest.fixture
def pipe():
    ends = os.pipe2(os.O_NONBLOCK)
    yield ends
    for fd in ends:
        os.close(fd)


def test_bytes_pass_through_a_pipe_from_and_into_the_middle_of_an_array(pipe):
    reader, writer = pipe
    out, back = np.arange(16, dtype=np.uint8), np.zeros(16, np.uint8)
    assert write_fd(writer, out, 4, 5) == 5
    assert wait_fd(reader, POLLIN, 0) == POLLIN
    assert read_fd(reader, back, 2, 14) == 5
    assert back.tolist() == [0, 0, 4, 5, 6, 7, 8] + [0] * 9


def test_nothing_to_read_is_a_time_out_and_an_errno(pipe):
    reader, writer = pipe
    assert wait_fd(reader, POLLIN, 1_000_000) == 0
    assert read_fd(reader, np.zeros(4, np.uint8), 0, 4) == -errno.EAGAIN
    assert wait_fd(writer, POLLOUT, 0) == POLLOUT
    assert write_fd(99_999, np.zeros(4, np.uint8), 0, 4) == -errno.EBADF


@pytest.mark.parametrize("wait", both(rt_event))
def test_an_event_names_the_descriptor_on_which_it_came(pipe, wait):
    reader, writer = pipe
    with select.epoll() as poll:
        poll.register(reader, select.EPOLLIN | select.EPOLLET)
        for _ in range(2):  # each writing is one, though nothing is read
            event = np.zeros(4, np.uint32)
            os.write(writer, b"x")
            assert wait(poll.fileno(), event) == 1
            assert (event[0], event[EVENT_FD]) == (select.EPOLLIN, reader)
    assert wait(99_999, np.zeros(4, np.uint32)) == -1
