"""A serial line on this host: a pseudo-terminal, and a symbolic link by which a rig file finds it."""

import asyncio
import os
import termios
import tty
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.emulate.arrivals import arrivals
from hilctl.errors import HilctlError

_IN, _OUT = 4, 5  # of termios' attributes: the speeds
Heard = Callable[[bytes, int], None]  # what has come, and when: of the monotonic clock, in ns


class PtyLine:
    """The device's end. Hosts may come and go; what nobody takes is lost, for a device never waits."""

    def __init__(self, link: Path, received: Heard | None = None, baud: int = 0, *, dated: bool = False) -> None:
        self.link, self.received = link, received or (lambda _data, _came_ns: None)
        self._speed = getattr(termios, f"B{baud}", None)
        self._dated = dated  # what comes; else it comes when it is looked at
        self.name = ""
        self.dropped = 0
        self._master = self._slave = -1
        self.plug()

    def plug(self) -> None:
        """A new terminal, and the link on it."""
        if self._master >= 0:
            return
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        if self._speed is not None:
            attributes = termios.tcgetattr(self._slave)
            attributes[_IN] = attributes[_OUT] = self._speed
            termios.tcsetattr(self._slave, termios.TCSANOW, attributes)
        self.name = os.ttyname(self._slave)
        if os.path.lexists(self.link):
            if not self.link.is_symlink():
                raise HilctlError(f"{self.link} is there already, and no symbolic link: name another --link")
            self.link.unlink()
        self.link.parent.mkdir(parents=True, exist_ok=True)
        self.link.symlink_to(self.name)
        if self._dated:
            arrivals.watch(self._master)
        asyncio.get_running_loop().add_reader(self._master, self._read)

    def unplug(self) -> None:
        """A program that has it open sees it close."""
        if self._master < 0:
            return
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def close(self) -> None:
        """The end, and the link's."""
        self.unplug()
        if self.link.is_symlink() and str(self.link.readlink()) == self.name:
            self.link.unlink()

    @property
    def fits(self) -> bool:
        """Whether the host has left the speed as it was; true where the system knows no such speed."""
        try:
            return self._speed is None or termios.tcgetattr(self._master)[_OUT] == self._speed
        except (OSError, termios.error):
            return True

    def write(self, data: bytes) -> None:
        """What fits."""
        if self._master < 0 or not data:
            return
        try:
            put = os.write(self._master, data)
        except OSError:
            put = 0
        self.dropped += len(data) - put

    def _read(self) -> None:
        try:
            data = os.read(self._master, 4096)
        except OSError:
            return
        if data:
            self.received(data, arrivals.of(self._master))
