"""What the process of a job says to its service besides its output: how far it is, and what it has measured.

Lines of JSON through a pipe. A service that does not read never makes the job wait: progress is then left out, points
wait until there is room, the newest of too many.
"""

import json
import os
from collections import deque
from typing import Any

from hilctl.wire.ops_jobs import LONGEST_REPORT, MEASURED


class Reports:
    """Into this pipe."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._points: deque[dict[str, Any]] = deque(maxlen=MEASURED)

    def progress(self, now: dict[str, Any]) -> None:
        """How far it is."""
        self.flush()
        self._write(now)

    def measured(self, point: dict[str, Any]) -> None:
        """One point more."""
        self._points.append(point)
        self.flush()

    def flush(self) -> None:
        """The points that wait, as far as there is room."""
        while self._points and self._write({"measured": self._points[0]}):
            self._points.popleft()

    def _write(self, value: dict[str, Any]) -> bool:
        """Whether it needs no further try. A line is short enough that the pipe takes it whole, or not at all."""
        line = json.dumps(value).encode() + b"\n"
        try:
            if len(line) <= LONGEST_REPORT:
                os.write(self._descriptor, line)
        except BlockingIOError:
            return False
        except BrokenPipeError:
            pass  # the service has ended, and ends us
        return True
