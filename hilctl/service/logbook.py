"""The newest lines of the log in memory, for clients that do not see the service's standard error."""

import logging
from collections import deque
from typing import Any, NamedTuple

KEPT = 2048
PAGE = 256
_LONGEST = 500  # characters of a line
LOGGER = "hilctl"


class Line(NamedTuple):
    """One."""

    number: int
    time_ns: int  # wall clock
    level: str
    logger: str
    text: str


class Logbook(logging.Handler):
    """Keeps lines, whichever thread writes them."""

    def __init__(self, kept: int = KEPT) -> None:
        super().__init__(logging.DEBUG)
        self._lines: deque[Line] = deque(maxlen=kept)
        self.next = 0

    def open(self) -> None:
        """Every line of the program's loggers from here on."""
        logging.getLogger(LOGGER).addHandler(self)

    def close(self) -> None:
        """No line from here on."""
        logging.getLogger(LOGGER).removeHandler(self)
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        """A line; logging holds a lock of ours."""
        try:
            text = record.getMessage()
            if record.exc_info and record.exc_info[1] is not None:
                text += f": {record.exc_info[1]!r}"
        except Exception:  # a line that cannot be made is the business of its author, as everywhere in logging
            self.handleError(record)
            return
        plain = "".join(c if c.isprintable() else " " for c in text[:_LONGEST])
        level = "error" if record.levelno > logging.ERROR else record.levelname.lower()
        self._lines.append(Line(self.next, int(record.created * 1e9), level, record.name, plain))
        self.next += 1

    def say(self, logger: str, text: str) -> None:
        """A line that another process has written."""
        self.handle(logging.LogRecord(logger, logging.WARNING, "", 0, "%s", (text,), None))

    def newest(self, count: int) -> list[dict[str, Any]]:
        """The newest lines."""
        return list(self.page(max(0, self.next - min(count, PAGE)), "debug", 0)["lines"])

    def page(self, first: int, level: str, since_ns: int) -> dict[str, Any]:
        """Lines from this number on, of this level and above; where to go on; how many are kept no longer."""
        levels = logging.getLevelNamesMapping()
        self.acquire()
        kept, end = list(self._lines), self.next
        self.release()
        oldest = kept[0].number if kept else end
        found: list[dict[str, Any]] = []
        for line in kept[max(0, first - oldest) :]:
            if levels[line.level.upper()] >= levels[level.upper()] and line.time_ns >= since_ns:
                if len(found) == PAGE:
                    end = line.number
                    break
                found.append(line._asdict())
        return {"lines": found, "next": max(end, first), "lost": max(0, oldest - first)}

