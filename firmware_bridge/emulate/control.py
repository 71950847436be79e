"""The commands to an emulation: one command a line, on standard input and on a socket of this user's own.

Every command has one answer. On the socket an empty line ends it.
"""

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from hilctl.errors import HilctlError

_LONGEST_ANSWER_S = 5.0


class Control:
    """The socket, and standard input where there is one."""

    def __init__(self, obey: Callable[[str], str]) -> None:
        self._obey = obey
        self._server: asyncio.AbstractServer | None = None
        self._path: Path | None = None

    async def open(self, path: Path) -> None:
        """Begins to listen. A socket that somebody still listens on is left to him."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists():
            if _answers(path):
                raise HilctlError(f"{path}: another emulation listens there; end it, or name another --at")
            path.unlink()
        self._server = await asyncio.start_unix_server(self._serve, path)
        path.chmod(0o600)
        self._path = path

    async def read_input(self) -> None:
        """Obeys standard input, to its end; then goes on without."""
        if sys.stdin is None or sys.stdin.closed:
            return
        try:
            lines = asyncio.StreamReader()
            await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        except (ValueError, OSError):  # a file, or a terminal that another job has
            return
        while line := await lines.readline():
            if line.strip():
                print(self._obey(line.decode(errors="replace")), flush=True)

    async def _serve(self, lines: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        try:
            while line := await lines.readline():
                answers.write(self._obey(line.decode(errors="replace")).encode() + b"\n\n")
                await answers.drain()
        except (ConnectionError, ValueError, asyncio.CancelledError):
            pass  # the client has gone, or sent no line, or the emulation ends
        finally:
            answers.close()

    def close(self) -> None:
        """The end."""
        if self._server is not None:
            self._server.close()
        if self._path is not None and self._path.exists():
            self._path.unlink()


def tell(path: Path, text: str) -> str:
    """Says a line to a running emulation; its answer."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as to:
        to.settimeout(_LONGEST_ANSWER_S)
        try:
            to.connect(os.fspath(path))
            to.sendall(text.encode() + b"\n")
            told = b""
            while not told.endswith(b"\n\n"):
                piece = to.recv(65536)
                if not piece:
                    break
                told += piece
        except OSError as error:
            raise HilctlError(f"{path}: no emulation answers ({error.strerror or error}); start one with "
                              "`hilctl emulate`, or name its --at") from None
    return told.decode().rstrip("\n")


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as to:
        try:
            to.connect(os.fspath(path))
        except OSError:
            return False
        return True
