"""The serial port outside the tick: questions with their answers. Whatever goes wrong is a DriverError."""

import os
import time

from firmware_bridge.driver import DriverError
from firmware_bridge.serial_frame.frames import FrameError, Splitter, seal
from firmware_bridge.serial_frame.messages import Message, Type, command, read_answer
from firmware_bridge.serial_port import GONE, opened, read_within, tried


class NoAnswer(DriverError):
    """Nothing that answers the question came in time."""


class Line:
    """A port, and one session on it."""

    def __init__(self, port: str, baud: int) -> None:
        self.session, self.sequence = int.from_bytes(os.urandom(4), "little") | 1, 0
        self.splitter = Splitter()
        self._name, self._baud = port, baud
        self._port = tried(port, opened, port, baud)
        self.fd: int = self._port.fileno()

    def ask(self, kind: Type, *values: int, wait_s: float = 0.1) -> Message:
        """Says something once; the answer to it. NoAnswer when none comes in time."""
        self.sequence = (self.sequence + 1) & 0xFFFF
        tried(self._name, os.write, self.fd, seal(command(kind, self.sequence, self.session, *values)))
        give_up_s = time.monotonic() + wait_s
        while (left_s := give_up_s - time.monotonic()) > 0:
            for body in self.splitter.feed(tried(self._name, read_within, self.fd, left_s)):
                answer = self._ours(body)
                if answer is not None:
                    return answer
        raise NoAnswer(f"{self._name}: no answer to {kind.name} within {wait_s:g} s")

    def _ours(self, body: bytes) -> Message | None:
        try:
            answer = read_answer(body)
        except FrameError:
            return None
        return answer if (answer.session, answer.sequence) == (self.session, self.sequence) else None

    def hello(self, version: int, schema: int, wait_s: float) -> Message:
        """The device's identity; it may still be starting, or be in the hands of a host that has just ended."""
        give_up_s = time.monotonic() + wait_s
        why: DriverError = NoAnswer("")
        while time.monotonic() < give_up_s:
            try:
                answer = self.ask(Type.HELLO, version, schema)
            except NoAnswer as silence:
                why = silence
                continue
            if answer.type == Type.HELLO:
                return answer
            why = DriverError(f"{self._name}: another host drives the device; end that one first")
            time.sleep(0.02)
        raise self._silence(wait_s) if isinstance(why, NoAnswer) else why

    def _silence(self, wait_s: float) -> DriverError:
        heard = self.splitter
        if heard.bytes == 0:
            return NoAnswer(
                f"{self._name}: no answer within {wait_s:g} s; check its supply, the cable and driver.port, and that "
                "no other program reads this port"
            )
        return NoAnswer(
            f"{self._name}: {heard.bytes} bytes came within {wait_s:g} s, but no answer to HELLO, and {heard.dropped} "
            f"of the pieces were no frames; check driver.baud = {self._baud}, and that this is the firmware's port"
        )

    def close(self) -> None:
        """Gives the port back."""
        try:
            self._port.close()
        except GONE:
            pass  # it has gone by itself
