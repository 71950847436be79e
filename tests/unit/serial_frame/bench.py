"""The firmware on a bench without time, and a host that says one thing after the other."""

from firmware_bridge.firmware.board import Board
from firmware_bridge.firmware.emulated import EmulatedBoard
from firmware_bridge.serial_frame.frames import Splitter, seal
from firmware_bridge.serial_frame.messages import SCHEMA, VERSION, Type, command, read_answer

SESSION = 0x1A2B3C4D


class Bench(Board):
    """A device, and a host that says one thing after the other."""

    session, sequence = SESSION, -1

    def receive(self, frames: bytes) -> bytes:
        said = self.ask("rx " + frames.hex())
        return b"" if said == "-" else bytes.fromhex(said)

    def tick(self, count: int = 1) -> None:
        self.tell(f"tick {count}")

    def answers(self, frames: bytes) -> list:
        return [read_answer(body) for body in Splitter().feed(self.receive(frames))]

    def say(self, kind, *values, sequence=None, session=None):
        """The one answer to a command."""
        self.sequence = self.sequence + 1 if sequence is None else sequence
        body = command(kind, self.sequence, self.session if session is None else session, *values)
        (answer,) = self.answers(seal(body))
        return answer

    def armed(self, time_to_live_us: int = 10_000) -> "Bench":
        self.say(Type.HELLO, VERSION, SCHEMA)
        assert self.say(Type.ARM, self.seen()["boot"], time_to_live_us).type == Type.ARM
        return self

    def running(self, valve: int = 0, outputs: int = 5, **how) -> "Bench":
        self.armed(**how)
        self.say(Type.CYCLIC, valve, outputs)
        self.tick()
        return self


class EmulatedBench(Bench, EmulatedBoard):
    """The same in QEMU."""
