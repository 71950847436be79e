"""SIGTERM and SIGHUP end a command as Ctrl-C does: what it has begun is brought to an end in order.

Once: while that is done, a further one changes nothing. After a kill the service does it, when the beats of the lease
stop. SIGHUP stays ignored where it was (nohup).
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Ended(KeyboardInterrupt):
    """A signal ended the command."""


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """While a command runs; signals belong to the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) == signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> None:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise Ended(f"ended by {signal.Signals(number).name}")

    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
