"""A person at a terminal: a real pseudo-terminal, and an emulator that says what is on its columns and lines."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Self

import pyte

from tests.system.service_parts import PATIENCE_S

BAR = (0x47, 0xB8)  # the dots of a bar from the bottom to the top, in the left and the right column of a character


class Terminal:
    """`hilctl` with these words, on a terminal of its own; it is ended with the block. `answer`: where its standard
    output goes instead."""

    def __init__(
        self, words: list[str], environment: dict[str, str], folder: Path, columns: int = 80, lines: int = 24,
        answer: IO[bytes] | None = None,
    ) -> None:  # fmt: skip
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self._ours, theirs = pty.openpty()
        self._size(columns, lines)
        own = {name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES")}
        command = [sys.executable, "-m", "hilctl", *words]
        self.seen = b""  # all that was ever written to it
        self.process = subprocess.Popen(command, env={"TERM": "xterm-256color", **own}, cwd=folder, stdin=theirs,
                                        stdout=answer or theirs, stderr=theirs, start_new_session=True)  # fmt: skip
        os.close(theirs)

    def _size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, columns: int, lines: int) -> None:
        """As when a window is dragged: what is on the screen is no longer what was drawn for it."""
        self.screen.resize(lines, columns)
        self.screen.reset()
        self._size(columns, lines)

    @property
    def lines(self) -> list[str]:
        """What is on the screen."""
        return [line.rstrip() for line in self.screen.display]

    def line(self, begin: str) -> str:
        """The line that begins so; empty where none does."""
        return next((line for line in self.lines if line.startswith(begin)), "")

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """What the condition gives once it is true of the screen."""
        deadline_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline_s:
            open = self._read()
            found = condition()
            if found:
                return found
            if not open:
                break
        raise AssertionError(f"{what} did not come; on the screen is\n" + "\n".join(self.lines))

    def _read(self) -> bool:
        """Takes in what was written, if anything was; whether the command still has the terminal."""
        if select.select([self._ours], [], [], 0.1)[0]:
            try:
                written = os.read(self._ours, 1 << 16)
            except OSError:
                return False
            self.seen += written
            self._stream.feed(written)
        return True

    def end(self) -> int:
        """The exit code, once the command has ended."""
        while self._read():
            pass
        return self.process.wait(PATIENCE_S)

    def interrupt(self) -> int:
        """Ctrl-C; the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._ours)


def has_bar(curve: str) -> bool:
    """Whether a curve reaches from the bottom to the top in one of its columns."""
    return any(0x2800 <= ord(c) < 0x2900 and any(ord(c) & bar == bar for bar in BAR) for c in curve)
