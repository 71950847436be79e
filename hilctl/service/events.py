"""What happened, numbered: kept for `events`, sent as telemetry, written to the recording and to the log."""

import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from hilctl.recording.layout import Event

log = logging.getLogger(__name__)

KEPT = 4096
_LOUD = frozenset(
    (
        "trip",
        "core_gone",
        "recording_failed",
        "black_box_failed",
        "recording_continued",
        "journal_failed",
        "alarms_failed",
        "lease_lost",
        "clock_step",
        "warning",
        "link_lost",
        "link_failed",
    )
)


class Events:
    """The newest events."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=KEPT)
        self._hear: list[Callable[[Event], None]] = []
        self.next = 0

    def listen(self, hear: Callable[[Event], None]) -> None:
        """`hear` is given every event from here on."""
        self._hear.append(hear)

    def tell(self, kind: str, tick: int, **body: Any) -> None:
        """Something happened."""
        event = Event(self.next, kind, tick, time.time_ns(), body)
        self.next += 1
        self._events.append(event)
        level = logging.WARNING if kind in _LOUD else logging.INFO
        log.log(level, "%s at tick %d: %s", kind, tick, body)
        for hear in self._hear:
            hear(event)

    def since(self, number: int) -> list[Event]:
        """Events from this number on, as far as they are kept."""
        return [event for event in self._events if event.number >= number]
