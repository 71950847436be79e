"""The core process: the loop on a real-time thread, and a main thread that watches over it.

The main thread loads the compiled code, takes its configuration and the shared memory from the service, opens the
driver and starts the loop, and with it the thread that keeps the link to the device (keeper.py). From then on it only
waits: for the pipe to close (the service is dead), for SIGTERM, or for the loop to end. The loop itself watches the
service's heartbeat. Each of these ends the run in the same way: the motion is decelerated, the valve ramped to null,
everything disabled, and then this process ends.
"""

import logging
import math
import os
import pickle
import select
import signal
import socket
import time
from pathlib import Path
from typing import Any

from hilctl.loop.options import DRIVER_FAILED, ENDED, MISMATCH, SERVICE_GONE, CoreOptions, Start
from hilctl.loop.voice import Voice
from hilctl.signals import Trip
from hilctl.trips import TRIP_TEXTS

log = logging.getLogger("hilctl.loop")

_FIRST_LOOK_S, _LOOK_S = 0.001, 0.1
_LONGEST_END_S = 2.0  # beyond hurry_s: after that an exchange that never returns is given up
_START_BYTES = 1 << 20


def main(arguments: list[str]) -> int:
    """The whole life of a core."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a terminal that closes: the service ends the core in order
    signal.signal(signal.SIGTERM, lambda *_: os._exit(ENDED))  # nothing is armed yet
    pipe = socket.socket(fileno=int(arguments[0]))
    voice = Voice(pipe)

    from hilctl.loop.running import LoopThread, load_loop

    load_loop(voice)
    message, fds, _, _ = socket.recv_fds(pipe, _START_BYTES, 2)
    if not message or not fds or _closed(pipe):
        return ENDED  # the service ended before there was anything to do
    start = Start(*pickle.loads(message))

    from hilctl.loop.memory import LayoutMismatch, open_checked

    try:
        memory = open_checked(fds[0], start.run)
    except LayoutMismatch as mismatch:
        voice.say(f"{mismatch}: core and service are of different versions: restart the service")
        return MISMATCH
    stop, thread = _Stop(), LoopThread(memory, start, voice)
    if not thread.open():
        return DRIVER_FAILED
    thread.start()
    _watch(thread, pipe, stop, voice, start.options)
    code = thread.close()
    if code == SERVICE_GONE and len(fds) > 1 and memory.loop.status.trip != 0:
        _save(fds[1], memory, start)
    return code


def _save(fd: int, memory: Any, start: Start) -> None:
    """What the service would have written of this trip."""
    from hilctl.loop.box import save

    options = start.options
    try:
        path = save(fd, memory, Path(options.box_folder), start.run, options.box_rows)
    except OSError as error:
        log.error("the black box cannot be saved: %s", error)
    else:
        log.warning("the black box is in %s: the next start of the service packs it", path)


def _closed(pipe: socket.socket) -> bool:
    """Whether the service's end of the pipe is gone."""
    poll = select.poll()
    poll.register(pipe.fileno(), select.POLLHUP)
    return bool(poll.poll(0))


def _heard(pipe: socket.socket) -> bytes:
    """What the service says; nothing where it is gone, also when it went without reading what was sent to it."""
    try:
        return pipe.recv(4096)
    except ConnectionError:
        return b""


class _Stop:
    """SIGTERM, as something that can be waited for."""

    def __init__(self) -> None:
        self.fd, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, lambda *_: None)


def _watch(thread: Any, pipe: socket.socket, stop: _Stop, voice: Voice, options: CoreOptions) -> None:
    """Until the loop has ended."""
    poll = select.poll()
    for fd in (pipe.fileno(), stop.fd, thread.ended_fd):
        poll.register(fd, select.POLLIN | select.POLLHUP)
    running = told = False
    wait_s, give_up_s = _FIRST_LOOK_S, math.inf
    while True:
        ready = {fd for fd, _ in poll.poll(wait_s * 1000)}
        if not running and thread.ticks > 0:
            running, wait_s = True, _LOOK_S
            voice.state("running")
        if stop.fd in ready:
            os.read(stop.fd, 64)
            thread.end(Trip.SHUTDOWN)
        if pipe.fileno() in ready and not _heard(pipe):
            poll.unregister(pipe.fileno())
            thread.end(Trip.SERVICE_LOST)
        if thread.ending and not told:
            told, give_up_s = True, time.monotonic() + options.hurry_s + _LONGEST_END_S
            text = TRIP_TEXTS[Trip(thread.ending)].meaning
            voice.state("ending")
            level = logging.INFO if thread.ending == Trip.SHUTDOWN else logging.WARNING
            voice.say(f"{text}: stopping the motion, then null, then off", level)
        if thread.ended_fd in ready:
            return
        if time.monotonic() > give_up_s:
            voice.say("the loop does not come to its end: the driver's exchange does not return")
            return
