"""Messages outside the tick, by the compiled code of the tick: built and read. For the driver and emulated devices.

A desk is a driver's memory with the tables of a rig file in it.
"""

from typing import Any

import numpy as np

from firmware_bridge.described.inbox import INBOX
from firmware_bridge.described.signals import OUTPUTS, READINGS
from firmware_bridge.serial_text.fill import Tables, fill
from firmware_bridge.serial_text.record import DESK_AT, HEAD, SIZE, head
from firmware_bridge.serial_text.rt_codec import rt_build, rt_read
from firmware_bridge.serial_text.settings import SENT, Described
from firmware_bridge.serial_text.wire import rt_number_outputs
from hilctl.rt.jit import exchange_type, jit, record_type
from hilctl.rt.records import as_record

_BUILD, _READ = 0, 2  # of a request; of an answer one more


def _signature() -> Any:
    number = record_type(np.dtype(np.int64))
    return exchange_type(number, number)


@jit(_signature, cached=True)
def rt_desk(state: Any, asked: int, have: int) -> int:
    """Of message asked // 4: builds or reads its request or its answer on the desk."""
    own = as_record(state, HEAD)
    row = own.request[asked // 4]
    what = asked % 4
    if what == 0:
        rt_number_outputs(own, asked // 4)
        return rt_build(state, own, row.request, DESK_AT)
    if what == 1:
        return rt_build(state, own, row.answer, DESK_AT)
    return rt_read(state, own, row.request if what == _READ else row.answer, DESK_AT, have)


class Desk:
    """The messages of a rig file, by name."""

    def __init__(self, described: Described, state: Any = None) -> None:
        self.tables = Tables(described)
        self.state = np.zeros(SIZE, np.uint8) if state is None else state
        self.clear()

    def clear(self, found: dict[int, float] | None = None) -> None:
        """Writes the tables again; everything else is as at the beginning."""
        fill(self.state, self.tables, found)

    def request(self, name: str, values: dict[str, float] | None = None) -> bytes:
        """A request with these outputs; what is not named is null."""
        own = head(self.state)
        own.wanted[:] = 0.0
        for output, value in (values or {}).items():
            own.wanted[SENT.index(output)] = value
        return self._built(4 * self.tables.messages[name])

    def answer(self, name: str, numbers: dict[str, float]) -> bytes:
        """An answer with these numbers in its fields."""
        own = head(self.state)
        for field, number in numbers.items():
            own.held[self.tables.fields[name, "answer", field]] = number
        return self._built(4 * self.tables.messages[name] + 1)

    def read(self, name: str, data: bytes, part: str = "answer") -> int:
        """How many bytes of the data the message takes that begins there, or why it takes none (rt_codec.rt_read)."""
        data = data[:INBOX]
        self.state[DESK_AT : DESK_AT + len(data)] = np.frombuffer(data, np.uint8)
        asked = 4 * self.tables.messages[name] + _READ + (part == "answer")
        return int(rt_desk(self.state, asked, len(data)))

    def number(self, name: str, field: str, part: str = "answer") -> float:
        """What a field held last."""
        return float(head(self.state).held[self.tables.fields[name, part, field]])

    def numbers(self, name: str, part: str = "answer") -> dict[str, float]:
        """Every field of a message."""
        told = self.tables.described.messages[name]
        return {field: self.number(name, field, part) for field in getattr(told, part).names}

    def value(self, name: str, number: float) -> float:
        """What a reading's number means, in SI units."""
        place = self.place(name)
        if place.mask and np.isfinite(number):
            number = float(int(number) & int(place.mask) != 0)
        return float(place.scale * number + place.offset)

    def place(self, name: str) -> Any:
        """The row of a reading."""
        return head(self.state).reading[READINGS.index(name)]

    def output(self, name: str, number: float) -> float:
        """What an output's number means."""
        row = head(self.state).output[SENT.index(name)]
        return float(row.scale * number + row.offset) if name in OUTPUTS else float(row.scale * number)

    def _built(self, asked: int) -> bytes:
        count = int(rt_desk(self.state, asked, 0))
        return self.state[DESK_AT : DESK_AT + count].tobytes()

