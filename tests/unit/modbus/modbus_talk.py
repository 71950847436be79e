"""One request and its answers, without a device: a driver's memory with a socket pair, and pymodbus' encoders."""

import socket
from typing import Any, Self

import numpy as np
from pymodbus.framer import FramerRTU, FramerSocket
from pymodbus.pdu import DecodePDU, ExceptionResponse
from pymodbus.pdu.register_message import (
    ReadHoldingRegistersResponse,
    ReadInputRegistersResponse,
    ReadWriteMultipleRegistersResponse,
    WriteMultipleRegistersResponse,
)

from firmware_bridge.modbus import frames, wire
from firmware_bridge.modbus.record import HEAD, INBOX_AT, OUTBOX_AT, RTU, SIZE, head
from hilctl.rt.jit import exchange_type, jit, record_type
from hilctl.rt.libc import monotonic_ns
from hilctl.rt.records import as_record

_FAR_NS = 2**62


def _signature() -> Any:
    number = record_type(np.dtype(np.int64))
    return exchange_type(number, number)


@jit(_signature, cached=True)
def rt_ask(state: Any, function: int, limit_ns: int) -> int:
    """A compiled step on bus 0 and request 0: 0 sends, 1 receives, 2 + status finishes."""
    own = as_record(state, HEAD)
    bus = own.bus[0]
    if function == 0:
        return wire.rt_send(state, own, 0, bus, 0, limit_ns)
    if function == 1:
        return wire.rt_receive(state, own, 0, bus, limit_ns)
    wire.rt_finish(state, own, 0, bus, function - 2)
    return 0


class Talk:
    """Bus 0 with one request."""

    def __init__(self, kind: int, function: int, unit: int, read: Any = (0, 0), write: Any = (0, ())) -> None:
        self.state = np.zeros(SIZE, np.uint8)
        self.own, self.kind, self.words = head(self.state), kind, list(write[1])
        self.bus, self.asked = self.own.bus[0], self.own.request[0]
        self.own["reading"]["request"] = self.own["output"]["request"] = -1
        self.own.buses, self.own.answer_ns, self.own.lost_after = 1, 10**9, 3
        self.bus.kind, self.bus.fd, self.bus.fast = kind, -1, 1
        self.bus.pending = self.bus.earlier = -1
        self.asked.unit, self.asked.function = unit, function
        self.asked.read_at, self.asked.read_count = read
        self.asked.write_at, self.asked.write_count = write[0], len(self.words)
        self.near: socket.socket | None = None
        self.far: socket.socket | None = None

    def __enter__(self) -> Self:
        self.near, self.far = socket.socketpair()
        self.near.setblocking(False)
        self.bus.fd = self.near.fileno()
        return self

    def __exit__(self, *_: object) -> None:
        for end in (self.near, self.far):
            if end is not None:
                end.close()

    def request(self, transaction: int) -> bytes:
        """The frame, built step by step as the tick builds it."""
        at = OUTBOX_AT
        begin = at + (1 if self.kind == RTU else frames.HEADER)
        a = self.asked
        data = frames.rt_request(self.state, begin, a.function, a.read_at, a.read_count, a.write_at, a.write_count)
        for k, word in enumerate(self.words):
            frames.rt_put16(self.state, data + 2 * k, word)
        count = data + 2 * len(self.words) - begin
        if self.kind == RTU:
            length = frames.rt_frame_rtu(self.state, at, a.unit, count)
        else:
            length = frames.rt_frame_tcp(self.state, at, transaction, a.unit, count)
        return self.state[at : at + length].tobytes()

    def send(self, limit_ns: int = _FAR_NS) -> int:
        """Sends, and takes the request off the line."""
        status = int(rt_ask(self.state, 0, limit_ns))
        if status == 0 and self.far is not None:
            self.far.recv(4096)
        return status

    def receive(self, wait_ns: int = 0) -> int:
        """Looks for the answer."""
        return int(rt_ask(self.state, 1, int(monotonic_ns()) + wait_ns))

    def finish(self, found: int) -> None:
        """The request is over."""
        rt_ask(self.state, 2 + found, 0)

    def answer(
        self, words: list[int], *, exception: int = 0, unit: int | None = None, transaction: int | None = None
    ) -> bytes:
        """A device's answer, by pymodbus."""
        a = self.asked
        unit = int(a.unit) if unit is None else unit
        function = int(a.function)
        pdu: Any
        if exception:
            pdu = ExceptionResponse(function, exception, device_id=unit)
        elif function == 16:
            pdu = WriteMultipleRegistersResponse(address=int(a.write_at), count=int(a.write_count), dev_id=unit)
        else:
            message = {3: ReadHoldingRegistersResponse, 4: ReadInputRegistersResponse,
                       23: ReadWriteMultipleRegistersResponse}[function]
            pdu = message(registers=words, dev_id=unit)
        pdu.transaction_id = int(self.bus.transaction) if transaction is None else transaction
        framer = (FramerRTU if self.kind == RTU else FramerSocket)(DecodePDU(False))
        return bytes(framer.buildFrame(pdu))

    def hear(self, data: bytes) -> None:
        """Bytes arrive."""
        assert self.far is not None
        self.far.sendall(data)

    def taken(self) -> list[int]:
        """The registers of the answer in the inbox."""
        at = INBOX_AT + (1 if self.kind == RTU else frames.HEADER) + 2
        count = int(self.asked.read_count)
        return [int(word) for word in np.frombuffer(self.state[at : at + 2 * count].tobytes(), ">u2")]


