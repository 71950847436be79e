"""A proxy that makes a link slow: every byte is late, and now and then a segment is held back, as by a retransmission.

TCP keeps the order, so what follows a segment that is held back waits with it.
"""

import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue

_SEGMENT = 1400  # bytes
_LOOK_S = 0.2


class SlowLink:
    """Listens on loopback, and passes everything on; each way takes `delay_s`."""

    def __init__(self, endpoint: str, delay_s: float, held_share: float, held_s: float, seed: int) -> None:
        host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
        self._to, self._delay_s = (host, int(port)), delay_s
        self._held_share, self._held_s = held_share, held_s
        self._random = random.Random(seed)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(_LOOK_S)
        self._open: list[socket.socket] = []
        self._ended = threading.Event()
        self.cut = threading.Event()  # while set, no byte passes and nobody is refused: a cable that is pulled
        self.held = 0  # segments
        self.endpoint = f"tcp://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                near, _ = self._listening.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            try:
                far = socket.create_connection(self._to)
            except OSError:
                near.close()
                continue
            for end in (near, far):
                end.settimeout(None)
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._open.append(end)
            for source, sink in ((near, far), (far, near)):
                segments: Queue[tuple[float, bytes]] = Queue(maxsize=4096)
                threading.Thread(target=self._take, args=(source, segments), daemon=True).start()
                threading.Thread(target=self._give, args=(segments, sink), daemon=True).start()

    def _take(self, source: socket.socket, segments: "Queue[tuple[float, bytes]]") -> None:
        due_s = 0.0
        while True:
            try:
                data = source.recv(_SEGMENT)
            except OSError:
                data = b""
            held = bool(data) and self._random.random() < self._held_share
            self.held += held
            due_s = max(due_s, time.monotonic() + self._delay_s + (self._held_s if held else 0.0))
            segments.put((due_s, data))
            if not data:
                return

    def _give(self, segments: "Queue[tuple[float, bytes]]", sink: socket.socket) -> None:
        while True:
            due_s, data = segments.get()
            time.sleep(max(0.0, due_s - time.monotonic()))
            while self.cut.is_set() and not self._ended.wait(_LOOK_S / 10):
                pass
            try:
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    return
                sink.sendall(data)
            except OSError:
                return

    def close(self) -> None:
        """Ends every connection."""
        self._ended.set()
        self._listening.close()
        for end in self._open:
            end.close()


@contextmanager
def slow_link(
    endpoint: str, *, delay_s: float = 0.02, held_share: float = 0.01, held_s: float = 0.2, seed: int = 1
) -> Iterator[SlowLink]:
    """A link with this delay each way, of which this share of segments is held back for so long."""
    link = SlowLink(endpoint, delay_s, held_share, held_s, seed)
    try:
        yield link
    finally:
        link.close()


