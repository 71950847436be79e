"""What comes to an emulated Modbus device, however it is cut and whenever it comes, is answered in its order."""

import asyncio
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymodbus.framer.rtu import FramerRTU

from firmware_bridge.emulate.line_faults import LineFaults
from firmware_bridge.emulate.modbus_device import Datastore
from firmware_bridge.emulate.modbus_server import RtuServer, TcpServer
from firmware_bridge.modbus.budget import character_bits, gap_s
from firmware_bridge.modbus.settings import Device


class Registers:
    """A device whose registers hold their own addresses."""

    def __init__(self) -> None:
        self.line, self.came_ns, self.spent_us = LineFaults(), 0, deque[float]()

    def asked(self) -> int:
        """No exception."""
        return 0

    def read(self, _name: str, addresses: range) -> list[int]:
        """As asked."""
        return list(addresses)


class Taken(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.data = b""

    def write(self, data: Any) -> None:
        """At once."""
        self.data += data

    def get_write_buffer_size(self) -> int:
        """Nothing waits."""
        return 0


async def _idle(turns: int) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)


@given(st.integers(1, 6), st.lists(st.integers(0, 72), max_size=5), st.data())
def test_over_tcp_requests_are_answered_in_their_order_though_more_come_before_one_had_its_turn(count, cuts, data):
    asked = b"".join(bytes.fromhex(f"{n:04x}00000006 01 03 {n:04x} 0001") for n in range(1, count + 1))
    at = sorted({0, *(min(cut, len(asked)) for cut in cuts), len(asked)})
    turns = data.draw(st.lists(st.integers(0, 4), min_size=len(at), max_size=len(at)))  # between the pieces

    async def answered() -> bytes:
        device: Any = Registers()
        server = TcpServer(device, Datastore(device, {1: "amplifier"}), "127.0.0.1", 0)
        handler, taken = server.callback_new_connection(), Taken()
        handler.connection_made(taken)
        for begins, ends, wait in zip(at, at[1:], turns, strict=False):
            asyncio.get_running_loop().call_soon(handler.data_received, asked[begins:ends])
            await _idle(wait)
        await _idle(6 * count + 6)
        return taken.data

    expected = b"".join(bytes.fromhex(f"{n:04x}00000005 01 03 02 {n:04x}") for n in range(1, count + 1))
    assert asyncio.run(answered()) == expected


def test_on_a_line_an_answer_begins_when_its_request_was_through_however_late_it_is_handled(monkeypatch):
    settings = Device(transport="rtu", baud=115_200, unit=1)
    request = bytes.fromhex("010300070001")
    request += FramerRTU.compute_CRC(request).to_bytes(2, "big")

    async def asked(late_s: float) -> tuple[float, float]:
        """When the answer was through, and when it had to be."""
        device: Any = Registers()
        loop, written = asyncio.get_running_loop(), list[bytes]()
        line: Any = SimpleNamespace(name="line", write=written.append)
        RtuServer(device, Datastore(device, {1: "amplifier"}), line, settings)
        planned_s: list[float] = []
        plan = loop.call_at
        monkeypatch.setattr(loop, "call_at", lambda when_s, *rest: (planned_s.append(when_s), plan(when_s, *rest))[1])
        heard_s = loop.time() - late_s
        line.received(request, round(1e9 * heard_s))
        while not written:
            await asyncio.sleep(0)
        return planned_s[-1], heard_s + gap_s(settings) + (len(request) + len(written[0])) * character_s

    character_s = character_bits(settings) / settings.baud
    through_s, due_s = asyncio.run(asked(0.5))
    assert through_s == pytest.approx(due_s, abs=1e-6)
