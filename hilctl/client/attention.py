"""The client's part for what asks for a person: alarms, and the service's log."""

import time
from collections.abc import Iterator
from typing import Any, Literal

from hilctl.client.asker import Asker

_FOLLOW_S = 5.0  # a follower asks again this often

Level = Literal["debug", "info", "warning", "error"]


class Attention(Asker):
    """Lists and acknowledges alarms, reads the log."""

    def alarms(self, *, acknowledged: bool = False) -> list[dict[str, Any]]:
        """Alarms that nobody has acknowledged, the oldest first; with `acknowledged` the others as well."""
        found: list[dict[str, Any]] = self.ask("alarms", acknowledged=acknowledged)["alarms"]
        return found

    def acknowledge(self, number: int, comment: str = "", *, before: bool = False) -> list[int]:
        """Says that this alarm was seen, and `before` all that were raised before it; their numbers."""
        seen: list[int] = self.ask("acknowledge", number=number, comment=comment, before=before)["acknowledged"]
        return seen

    def log(self, level: Level = "info", *, first: int = 0, since_ns: int = 0) -> list[dict[str, Any]]:
        """Lines of the service's log, as far as they are kept."""
        found: list[dict[str, Any]] = []
        while page := self._log(level, first, since_ns, 0.0)["lines"]:
            found += page
            first = page[-1]["number"] + 1
        return found

    def follow_log(self, level: Level = "info", *, first: int = 0, since_ns: int = 0) -> Iterator[dict[str, Any]]:
        """The same, and then each line as it comes."""
        while True:
            page = self._log(level, first, since_ns, _FOLLOW_S)
            if first and page["lost"]:
                text = f"{page['lost']} lines came faster than they were read"
                yield {"number": first, "time_ns": time.time_ns(), "level": "warning", "logger": __name__, "text": text}
            yield from page["lines"]
            first = page["next"]

    def _log(self, level: str, first: int, since_ns: int, wait_s: float) -> dict[str, Any]:
        return self.ask("log", first=first, level=level, since_ns=since_ns, wait_s=wait_s, timeout_s=wait_s + 10.0)
