"""What the service tells systemd: that it is ready, that it lives, that it ends.

The signs of life come from the service's own loop, never from a thread beside it: a loop that hangs falls silent, and
after `WatchdogSec` systemd ends the unit. Without systemd, nothing is sent.
"""

import os
import time

_SHARE = 0.5  # of the watchdog's time: as sd_watchdog_enabled(3) advises


def keep_alive_s() -> float:
    """How often systemd wants a sign of life from this process; 0: it wants none."""
    told, owner = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    if not told.isdecimal() or owner not in ("", str(os.getpid())):
        return 0.0
    return _SHARE * 1e-6 * int(told)


class Systemd:
    """The notification socket, if systemd gave one. Not even a full one makes the loop wait."""

    def __init__(self) -> None:
        self._notifier = None
        self._every_s = self._due_s = 0.0
        if os.environ.get("NOTIFY_SOCKET"):
            import sdnotify

            self._notifier = sdnotify.SystemdNotifier()
            if self._notifier.socket is not None:
                self._notifier.socket.setblocking(False)
            self._every_s = keep_alive_s()

    def ready(self) -> None:
        """The loop runs, and requests are answered."""
        self._tell("READY=1")

    def stopping(self) -> None:
        """The service ends in order."""
        self._tell("STOPPING=1")

    def alive(self) -> None:
        """One round of the loop is over."""
        if self._every_s and (now_s := time.monotonic()) >= self._due_s:
            self._due_s = now_s + self._every_s
            self._tell("WATCHDOG=1")

    def close(self) -> None:
        """Gives the socket back."""
        if self._notifier is not None and self._notifier.socket is not None:
            self._notifier.socket.close()
        self._notifier = None

    def _tell(self, message: str) -> None:
        if self._notifier is not None:
            self._notifier.notify(message)
