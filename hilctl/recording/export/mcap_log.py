"""MCAP: the topics /samples, /events and /changes, JSON messages in the order of their times."""

from collections import deque
from pathlib import Path
from typing import Any

import msgspec
from mcap.writer import Writer

from hilctl.recording.export.about import About
from hilctl.recording.export.formats import Block

_TYPES = {"f8": "number", "i8": "integer"}


class Mcap:
    """Times are the wall clock's; on the virtual clock, the rig's own, and events stand where their tick is."""

    def __init__(self, path: Path, about: About) -> None:
        self._about = about
        self._names = [column.name for column in about.columns]
        self._file = path.open("wb")
        self._out = Writer(self._file)
        self._out.start(profile="", library="hilctl")
        properties = {
            c.name: {"type": _TYPES[c.kind], "description": f"{c.meaning} [{c.unit}]" if c.unit else c.meaning}
            for c in about.columns
        }
        self._samples = self._topic("/samples", {"type": "object", "properties": properties})
        self._events = self._topic("/events", {"type": "object"})
        self._changes = self._topic("/changes", {"type": "object"})
        self._out.add_metadata("hilctl", {"about": about.text})
        ticks = [(e["tick"], self._events, e) for e in about.events] + [
            (c["tick"], self._changes, c) for c in about.changes
        ]
        self._others: deque[tuple[int, int, dict[str, Any]]] = deque(sorted(ticks, key=lambda one: one[0]))
        self._begun = False
        self._encode = msgspec.json.Encoder().encode

    def _topic(self, name: str, schema: dict[str, Any]) -> int:
        number = self._out.register_schema(name.strip("/"), "jsonschema", msgspec.json.encode(schema))
        return int(self._out.register_channel(name, "json", number))

    def write(self, block: Block) -> None:
        """Adds rows, and what happened up to their last one."""
        times = self._about.wall_ns(block.time_ns).tolist()
        rows = zip(*(column.tolist() for column in block.columns.values()), strict=True)
        seconds = block.columns["time_s"].tolist()
        rate_hz = self._about.rate_hz
        if not self._begun:
            self._begun = True
            while self._others and self._others[0][0] < seconds[0] * rate_hz - 1.5:  # before what is exported
                self._others.popleft()
        for time_ns, second, row in zip(times, seconds, rows, strict=True):
            while self._others and self._others[0][0] <= second * rate_hz:
                self._say(*self._others.popleft()[1:], time_ns)
            self._say(self._samples, dict(zip(self._names, row, strict=True)), time_ns)

    def _say(self, channel: int, body: dict[str, Any], time_ns: int) -> None:
        self._out.add_message(channel, time_ns, self._encode(body), time_ns)

    def close(self) -> None:
        """Ends it with its index."""
        self._out.finish()  # type: ignore[no-untyped-call]
        self._file.close()

    def drop(self) -> None:
        """Closes it."""
        self._file.close()


def open_file(path: Path, about: About) -> Mcap:
    """A new file."""
    return Mcap(path, about)
