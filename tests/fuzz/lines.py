"""What comes over lines: frames of the firmware, answers of Modbus devices, and of devices that speak text.

The compiled codecs run as plain Python, where an index beyond its array is an error; a negative one is caught by what
they must leave alone. After every input a good exchange must work: nothing hostile may put a driver off.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from firmware_bridge.described.inbox import NOTHING
from firmware_bridge.firmware.build import build
from firmware_bridge.modbus.record import RTU, TCP
from firmware_bridge.serial_frame.frames import FrameError, Splitter, seal
from firmware_bridge.serial_frame.messages import SCHEMA, VERSION, Type, command, read_answer
from hilctl.signals import Status
from tests.fuzz.target import Take, Target, came_through
from tests.unit.modbus.modbus_talk import Talk
from tests.unit.serial_frame.bench import Bench
from tests.unit.serial_frame.unsealing import unsealed_alike
from tests.unit.serial_text.text_talk import BINARY, LINES, POLLED, desk_of


def _frames() -> list[bytes]:
    bodies = [command(Type.HELLO, 1, 7, VERSION, SCHEMA), command(Type.CYCLIC, 2, 7, -5, 3), command(Type.RESET, 3, 7),
              command(Type.ARM, 4, 7, 12345, 10_000), command(Type.DISARM, 5, 7)]  # fmt: skip
    return [seal(body) for body in bodies] + [b"".join(map(seal, bodies))]


@contextmanager
def _splitting() -> Iterator[Take]:
    splitter = Splitter()

    def take(data: bytes) -> bool:
        came = False
        for body in splitter.feed(data + b"\0"):
            came = True
            came_through(FrameError, lambda body=body: read_answer(body))
        assert len(splitter._part) <= 97
        unsealed_alike(data[:400])
        return came

    yield take


@contextmanager
def _device() -> Iterator[Take]:
    """The firmware with address and undefined-behaviour sanitizers. Whatever it hears, unarmed it stays at null."""
    with Bench(build("bench", sanitized=True)) as bench:
        bench.tell("free")

        def take(data: bytes) -> bool:
            answered = False
            for frame in re.findall(rb"[^\0]{1,400}\0?|\0", data[:4000]):  # the bench has room for one answer at a time
                answered = bool(bench.receive(frame)) or answered
            bench.tick()
            seen = bench.seen()
            assert seen["valve"] == 0 and not seen["enable"], seen
            return answered

        yield take
    assert bench.process.returncode == 0, "a sanitizer found something"


def _answers(kind: int) -> list[bytes]:
    made = []
    for function in (3, 4, 23):
        with Talk(kind, function, 5, read=(10, 3)) as talk:
            talk.send()
            made += [talk.answer([1, 2, 0xFFFF]), talk.answer([], exception=2), talk.answer([1, 2, 3], unit=6)]
    return made


@contextmanager
def _asking(kind: int) -> Iterator[Take]:
    """A driver's request, and what comes as its answer. A link that has hung up is opened again, as the driver does."""
    with Talk(kind, 3, 5, read=(10, 3)) as talk:

        def take(data: bytes) -> bool:
            _open_again(talk)
            talk.bus.transaction = 0  # as for those that it begins with
            assert talk.send() == Status.OK
            talk.hear(data[:4000] or b"\0")
            found = _ended(talk)
            assert 0 <= talk.bus.have <= len(talk.state)
            return found == Status.OK

        yield take
        for _ in range(int(talk.own.lost_after) + 2):
            _open_again(talk)
            assert talk.send() == Status.OK
            talk.hear(talk.answer([7, 8, 9]))
            if _ended(talk) == Status.OK:
                break
        assert talk.taken() == [7, 8, 9], "after all that a good answer is not taken"


def _open_again(talk: Talk) -> None:
    talk.bus.quiet_until_ns = 0
    if talk.bus.fd < 0:
        talk.__exit__()
        talk.bus.have = talk.bus.expired_in_a_row = 0
        talk.__enter__()


def _ended(talk: Talk) -> int:
    """What the request came to; nobody waits longer for it."""
    found = talk.receive()
    assert found == NOTHING or found in set(Status), found
    found = Status.TIMEOUT.value if found == NOTHING else found
    if talk.bus.fd >= 0:
        talk.finish(found)
    return found


def _texts() -> list[bytes]:
    numbers = {"displacement": -12.5, "pressure_a": 100.25, "pressure_b": 99.5, "status": 161}
    return [desk_of(POLLED).answer("ask", numbers), desk_of(LINES).answer("sample", {"displacement": 3.25}),
            desk_of(BINARY).answer("sample", {"displacement": -70_000, "device_tick": 65535})]  # fmt: skip


@contextmanager
def _texting() -> Iterator[Take]:
    desks = [(desk_of(POLLED), "ask"), (desk_of(LINES), "sample"), (desk_of(BINARY), "sample")]

    def take(data: bytes) -> bool:
        came = False
        for desk, message in desks:
            count = desk.read(message, data[:400])
            assert count <= len(data[:400])
            came = came or count > 0
            if count > 0:
                assert all(np.isfinite(value) for value in desk.numbers(message).values())
        return came

    yield take


TARGETS = (
    Target("frames", "frames of the firmware's line, in Python and compiled", _frames, _splitting, 300_000),
    Target("device", "whatever the firmware hears", _frames, _device, 30_000),
    Target("modbus-tcp", "answers of a Modbus device over TCP", lambda: _answers(TCP), lambda: _asking(TCP), 200_000),
    Target("modbus-rtu", "answers of a Modbus device on a line", lambda: _answers(RTU), lambda: _asking(RTU), 200_000),
    Target("text", "answers of devices that speak text, or bytes of their own", _texts, _texting, 200_000),
)  # fmt: skip
