"""A device of a table on a pseudo-terminal: it answers as its template says, or otherwise on purpose."""

import os
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from firmware_bridge.serial_text.desk import Desk
from tests.unit.serial_text.text_talk import desk_of

Answer = Callable[[bytes], bytes]


@contextmanager
def port(serve: Callable[[int, threading.Event], None]) -> Iterator[str]:
    """A pseudo-terminal whose other end is served by a thread."""
    master, slave = os.openpty()
    tty.setraw(slave)
    over = threading.Event()
    thread = threading.Thread(target=serve, args=(master, over), daemon=True)
    thread.start()
    try:
        yield os.ttyname(slave)
    finally:
        over.set()
        os.close(slave)
        thread.join(5.0)
        os.close(master)


def answering(table: dict[str, Any], numbers: dict[str, float], *, spoil: Answer = lambda data: data,
              heard: list[bytes] | None = None) -> Callable[[int, threading.Event], None]:
    """Answers every request of the table, by itself built; `spoil` is what the line makes of it."""
    desk = desk_of(table)

    def serve(master: int, over: threading.Event) -> None:
        held = b""
        while not over.is_set():
            try:
                held += os.read(master, 4096)
            except OSError:
                return
            while held:
                told, taken = _first(desk, held)
                if told is None:
                    if taken:
                        break
                    held = held[1:]
                    continue
                if heard is not None:
                    heard.append(held[:taken])
                request, held = held[:taken], held[taken:]
                fields = desk.tables.described.messages[told].answer.names
                if fields or desk.tables.described.messages[told].own.answer:
                    kept = {name: desk.number(told, name, "request")
                            for name in desk.tables.described.messages[told].request.names}  # fmt: skip
                    made = desk.answer(told, {name: (kept | numbers).get(name, 0.0) for name in fields})
                    os.write(master, spoil(made) if spoil.__code__.co_argcount == 1 else spoil(request, made))

    return serve


def _first(desk: Desk, held: bytes) -> tuple[str | None, int]:
    more = False
    for name, told in desk.tables.described.messages.items():
        if told.own.request:
            taken = desk.read(name, held, "request")
            if taken > 0:
                return name, taken
            more = more or taken == -1
    return None, int(more)


def streaming(pieces: Callable[[int], bytes], period_s: float = 0.002) -> Callable[[int, threading.Event], None]:
    """Sends by itself."""

    def serve(master: int, over: threading.Event) -> None:
        k = 0
        while not over.wait(period_s):
            k += 1
            os.set_blocking(master, False)
            try:
                os.write(master, pieces(k))
            except (BlockingIOError, OSError):
                time.sleep(period_s)

    return serve
