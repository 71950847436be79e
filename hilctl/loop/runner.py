"""What runs the loop, as the service holds it: a process, or a thread of its own."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
from typing import Any, Protocol

from hilctl.loop.spawn import Spawned

_MESSAGE_BYTES = 65536


class Runner(Protocol):
    """Whatever runs the loop: a process, or a thread of this one."""

    def poll(self) -> int | None:
        """The exit code, None while it runs."""

    def end(self) -> None:
        """Asks for an orderly end."""

    def wait(self, timeout_s: float) -> int | None:
        """The exit code, None when it still runs after that time."""

    def kill(self) -> None:
        """Ends it at once."""

    @property
    def voice(self) -> int:
        """A descriptor that is readable while something it has said waits, and after its end; -1: there is none."""

    def said(self) -> list[dict[str, Any]]:
        """What it has said since the last call."""

    def close(self) -> None:
        """Lets go of it."""


class CoreProcess:
    """The core as a process of its own."""

    def __init__(self, core: Spawned) -> None:
        self._process, self._socket = core.process, core.socket
        self._socket.setblocking(False)
        self._waiting = select.poll()  # a third of what a reading that finds nothing takes
        self._waiting.register(self._socket, select.POLLIN)
        self._over, self._fd = select.poll(), -1  # likewise, of asking for an exit code
        with contextlib.suppress(OSError):  # a kernel before 5.3
            self._fd = os.pidfd_open(self._process.pid)
            self._over.register(self._fd, select.POLLIN)

    def send(self, message: bytes, *fds: int) -> None:
        """The configuration, with the memory's descriptor, and that of the black box."""
        socket.send_fds(self._socket, [message], fds)

    def poll(self) -> int | None:
        """See Runner."""
        runs = self._fd >= 0 and not self._over.poll(0)
        return None if runs else self._process.poll()

    def end(self) -> None:
        """See Runner."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def wait(self, timeout_s: float) -> int | None:
        """See Runner."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """See Runner."""
        self._process.kill()

    @property
    def voice(self) -> int:
        """See Runner."""
        return self._socket.fileno()

    def said(self) -> list[dict[str, Any]]:
        """See Runner."""
        out: list[dict[str, Any]] = []
        while self._socket.fileno() >= 0 and self._waiting.poll(0):
            try:
                message = self._socket.recv(_MESSAGE_BYTES)
            except OSError:
                break
            if not message:
                break
            out.append(json.loads(message))
        return out

    def close(self) -> None:
        """See Runner."""
        self._socket.close()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
