"""A device that does nothing but answer, as fast as plain Python can: `python -m hilctl.bench.exchange_device`.

Modbus: functions 3, 16 and 23 on registers that are all zero. Text: one answer to every line.
"""

import binascii
import ctypes
import os
import signal
import socket
import sys
import tty
from collections.abc import Callable

from pymodbus.framer import FramerRTU


def answer(function: int, request: bytes) -> bytes:
    """Function and data, for function and data."""
    if function == 16:
        return request[:5]
    count = 2 * int.from_bytes(request[3:5], "big")
    return bytes((function, count)) + bytes(count)


def length_rtu(head: bytes) -> int:
    """How long the request is that begins so; the least that must come where that cannot be said yet."""
    if len(head) < 2:
        return 8
    place = {16: 6, 23: 10}.get(head[1])
    if place is None:
        return 8
    return place + 1 + head[place] + 2 if len(head) > place else place + 1


def serve_tcp(tell: Callable[[str], None]) -> None:
    """One connection after another."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        tell(str(listener.getsockname()[1]))
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection:
                while request := connection.recv(512):
                    pdu = answer(request[7], request[7:])
                    length = (len(pdu) + 1).to_bytes(2, "big")
                    connection.sendall(request[:4] + length + request[6:7] + pdu)


def serve_rtu(tell: Callable[[str], None]) -> None:
    """The other end of a pseudo-terminal."""
    master, slave = os.openpty()
    tty.setraw(slave)
    tell(os.ttyname(slave))
    held = b""
    while True:
        held += os.read(master, 512)
        if len(held) >= length_rtu(held) and len(held) >= 8:
            frame = held[:1] + answer(held[1], held[1:])
            held = b""
            os.write(master, frame + FramerRTU.compute_CRC(frame).to_bytes(2, "big"))


TEXT_ANSWER = b" -12.3456,  +1.5000, 10.2500,  9.7500,+0.1250,00*"


def serve_text(tell: Callable[[str], None]) -> None:
    """The other end of a pseudo-terminal."""
    master, slave = os.openpty()
    tty.setraw(slave)
    tell(os.ttyname(slave))
    answered = TEXT_ANSWER + f"{binascii.crc_hqx(TEXT_ANSWER, 0xFFFF):04X}\r".encode()
    while True:
        if os.read(master, 512).endswith(b"\r"):
            os.write(master, answered)


if __name__ == "__main__":
    serve = {"tcp": serve_tcp, "rtu": serve_rtu, "text": serve_text}[sys.argv[1]]
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # it dies with its parent
    serve(lambda place: print(place, flush=True))
