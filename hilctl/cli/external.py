"""`hilctl track external`: positions from a file, or from another program as it writes them, a line each."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from hilctl.cli import connect
from hilctl.cli.files import source_file
from hilctl.cli.motion import follow
from hilctl.errors import WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client, Motion
    from hilctl.client.external import External

_AHEAD_S = 5.0  # at the most: what is sent cannot be taken back
_PIECE = 65_536  # bytes


def options(parser: argparse.ArgumentParser) -> None:
    """Where the positions come from."""
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE",
        help="positions in metres, one a line; not given, or -: standard input, as it comes",
    )  # fmt: skip


def tracked(given: argparse.Namespace, parameters: dict[str, Any]) -> int:
    """Sends all there is, and waits for the end. Whoever ends it before stops the table in order."""
    from hilctl.client.external import External

    started: list[External] = []

    def start() -> "Motion":
        started.append(External(rig, **parameters))
        return started[0].motion

    given.wait = True
    with _opened(given.file) as source, connect.attended(given, "console") as rig:
        return follow(rig, start, given, lambda: _send(rig, started[0], source, given.file))


def _send(rig: "Client", reference: "External", source: IO[bytes], name: str) -> None:
    for positions in _positions(source.fileno(), name):
        while reference.fed.ahead_s > _AHEAD_S:
            rig.pass_time(_AHEAD_S / 2)
        reference.feed(positions)
    reference.feed([], last=True)


@contextmanager
def _opened(file: str) -> Iterator[IO[bytes]]:
    if file == "-":
        yield sys.stdin.buffer
        return
    source_file("FILE", Path(file))
    with Path(file).open("rb") as source:
        yield source


def _positions(source: int, name: str) -> Iterator[list[float]]:
    """What has come, whenever something has."""
    rest, line = b"", 0
    while True:
        piece = os.read(source, _PIECE)
        *lines, rest = (rest + piece).split(b"\n") if piece else (rest, b"")
        positions: list[float] = []
        for text in lines:
            line += 1
            if not text.strip():
                continue
            try:
                positions.append(float(text))
            except ValueError:
                said = text[:40].decode(errors="replace")
                raise WrongUse(f"{name}, line {line}: {said!r} is no number; one position in metres a line") from None
        if positions:
            yield positions
        if not piece:
            return
