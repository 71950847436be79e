"""The inbox of a line or a connection: bytes that have come and are not understood yet, by compiled code.

`bus` is its row in a driver's memory, with `fd`, `have` (bytes in the inbox), `pending` and `errno`; `at` is where its
inbox begins in the memory.
"""

from typing import Any

from hilctl.rt.jit import jit
from hilctl.rt.libc import read_fd
from hilctl.signals import Status

INBOX = 2048  # bytes: longer than any message
NOTHING = -1  # no bytes any more, no whole answer yet
EAGAIN, EINTR, EIO, EPIPE = 11, 4, 5, 32
REBOOTED, DISARMED = -1, -2  # why a link that answers was given up: counter started over, watchdog changed
_CLOSED = Status.CLOSED.value
_MOST_PULLS = 64  # more than a terminal or a socket can hold


@jit()
def rt_hang_up(bus: Any, errno: int) -> int:
    """The connection is gone until the driver reconnects; the descriptor is the driver's to close."""
    bus.fd = -1
    bus.pending = -1
    bus.errno = errno
    return _CLOSED


@jit()
def rt_pull(state: Any, at: int, bus: Any) -> int:
    """Reads what has arrived into the inbox: how many bytes, or NOTHING when the connection is gone."""
    room = INBOX - bus.have
    if room == 0:
        return 0
    got = read_fd(int(bus.fd), state, at + bus.have, room)
    if got > 0:
        bus.have += got
        return int(got)
    if got in (-EAGAIN, -EINTR):
        return 0
    rt_hang_up(bus, EPIPE if got == 0 else -got)
    return NOTHING


@jit()
def rt_drop(state: Any, at: int, bus: Any, count: int) -> None:
    """Takes bytes from the head of the inbox."""
    left = max(bus.have - count, 0)
    for i in range(left):
        state[at + i] = state[at + count + i]
    bus.have = left


@jit()
def rt_drain(state: Any, at: int, bus: Any) -> int:
    """Throws away all that has arrived: how many bytes."""
    dropped = int(bus.have)
    bus.have = 0
    for _ in range(_MOST_PULLS):
        got = rt_pull(state, at, bus)
        if got <= 0:
            break
        dropped += got
        bus.have = 0
    return dropped
