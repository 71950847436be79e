"""Both sides of a line, each alone: the firmware on a bench without time, sanitized and in QEMU; and the exchange."""

import os
import random
import select
import threading
import tty
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.driver import COMMAND, READINGS
from firmware_bridge.firmware.build import HERE, build, compiler, cross_compiler
from firmware_bridge.firmware.emulated import emulator
from firmware_bridge.serial_frame.exchange import rt_serial_exchange
from firmware_bridge.serial_frame.frames import Splitter, seal
from firmware_bridge.serial_frame.messages import (
    ANSWER,
    ANSWERS,
    COMMANDS,
    HEAD,
    State,
    Type,
)
from firmware_bridge.serial_frame.state import new_state, record
from hilctl.signals import INPUTS
from tests.unit.serial_frame.bench import SESSION, Bench, EmulatedBench

VALUES = (-5_000_000, 2_000_000, 30_000_000, -1, 10_500, -250, 4000)  # of all readings
SCALES = (1e-9, 1e-6, 0.1, 0.1, 2000.0, 1e-4, 0.01)


SOURCES = Path(os.environ.get("HILCTL_FIRMWARE", HERE))  # the mutants' own


@pytest.fixture
def native_bench():
    if compiler() is None:
        pytest.skip("needs a C compiler")
    with Bench(build("bench", sanitized=True, sources_in=SOURCES)) as made:
        yield made
    assert made.process.returncode == 0, "a sanitizer found something"


@pytest.fixture(scope="module")
def machine():
    """One Cortex-M for a file's tests, whose time stands still. An emulator that waits takes a tenth of a processor."""
    if cross_compiler() is None or emulator() is None:
        pytest.skip("needs arm-none-eabi-gcc and qemu-system-arm")
    with EmulatedBench(build("lm3s6965evb"), "lm3s6965evb") as made:
        made.tell("line still 1")
        yield made


@pytest.fixture
def qemu_bench(machine):
    machine.tell("fresh")
    machine.session, machine.sequence = SESSION, -1
    return machine


@pytest.fixture(params=["native", "qemu"] if SOURCES == HERE else ["native"])
def bench(request):
    return request.getfixturevalue(f"{request.param}_bench")


@pytest.fixture
def noise():
    return random.Random(1)


class Far:
    """The far end of the line, and the exchange on its near end."""

    def __init__(self) -> None:
        self.master, self.near = os.openpty()
        tty.setraw(self.near)
        os.set_blocking(self.near, False)
        os.set_blocking(self.master, False)
        self.state = new_state()
        self.own = record(self.state)
        self.own.fd, self.own.session, self.own.scale[:] = self.near, SESSION, SCALES
        self.own.timeout_ns, self.own.tick_ns, self.own.sequence = 20_000_000, 500_000, 65_533
        self.own.inputs = (1 << len(INPUTS)) - 1
        self.own.device_state, self.own.boot, self.own.time_to_live_us = State.ARMED, 77, 10_000
        self.splitter, self.heard = Splitter(), []
        self.tick, self.readings = 0, np.zeros(1, READINGS)[0]
        self.command = np.zeros(1, COMMAND)[0]

    def next(self, ahead: int = 1) -> int:
        return int(self.own.sequence + ahead) & 0xFFFF

    def readings_frame(
        self, *, sequence=None, session=SESSION, state=State.RUNNING, trip=0, flags=0, tick=None, lost=0
    ) -> bytes:
        self.tick += 1
        number = self.next() if sequence is None else sequence
        head = HEAD.pack(Type.CYCLIC + ANSWER, state | trip << 4, number, session)
        ticks = self.tick if tick is None else tick
        return seal(head + ANSWERS[Type.CYCLIC].pack(*VALUES, flags, lost, ticks & 0xFFFFFFFF))

    def put(self, line: bytes) -> None:
        os.write(self.master, line)

    def exchange(self, valve=0.0, enable=0, supply=0, deadline_ns=2**62) -> int:
        self.command.valve, self.command.enable, self.command.supply = valve, enable, supply
        self.command.deadline_ns = deadline_ns
        return int(rt_serial_exchange(self.state, self.command, self.readings))

    def answered(self, enable=1, **what) -> int:
        """An exchange whose answer is there before it begins: a busy kernel carries it late."""
        self.put(self.readings_frame(**what))
        assert select.select([self.near], [], [], 30)[0], "nothing arrived"
        return self.exchange(enable=enable)

    def asked(self, line: bytes) -> int:
        """An exchange that is answered with this once its command has come: what lay there before is thrown away."""
        wanted = self.next()

        def reply() -> None:
            while self.heard[-1:] == [] or self.heard[-1][1] != wanted:
                self._hear()
            self.put(line)

        patience_ns, self.own.timeout_ns = int(self.own.timeout_ns), 30_000_000_000
        thread = threading.Thread(target=reply)
        thread.start()
        try:
            return self.exchange(enable=1)
        finally:
            thread.join()
            self.own.timeout_ns = patience_ns

    def _hear(self) -> None:
        assert select.select([self.master], [], [], 30)[0], "nothing was sent"
        for body in self.splitter.feed(os.read(self.master, 4096)):
            kind, zero, sequence, session = HEAD.unpack_from(body)
            assert (zero, session) == (0, SESSION)
            self.heard.append((kind, sequence, COMMANDS[Type(kind)].unpack_from(body, HEAD.size)))

    def said(self, count: int) -> list[tuple]:
        """The next frames that the exchange has sent: type, sequence, values."""
        while len(self.heard) < count:
            self._hear()
        out, self.heard = self.heard[:count], self.heard[count:]
        return out

    def close(self) -> None:
        for fd in (self.master, self.near):
            try:
                os.close(fd)
            except OSError:
                pass  # the test has


@pytest.fixture
def far():
    made = Far()
    yield made
    made.close()
