"""`hilctl emulate text`: a rig file's serial devices on pseudo-terminals, which take the time that a line takes."""

import asyncio
import time
from pathlib import Path

from firmware_bridge.emulate.amplifier import Amplifier
from firmware_bridge.emulate.pty_line import PtyLine
from firmware_bridge.emulate.text_device import TextDevice
from firmware_bridge.serial_text.budget import Line, character_bits
from firmware_bridge.serial_text.settings import Described, Told
from hilctl.errors import HilctlError

_NOISE_S, _NOISE_BYTES = 0.005, 16
_MOST_HELD = 512  # bytes of requests that are none


class Text(TextDevice):
    """The devices on their lines."""

    def __init__(self, described: Described, amplifier: Amplifier) -> None:
        super().__init__(described, amplifier)
        self._lines: list[_Line] = []

    async def begin(self, link: Path | None) -> list[str]:
        """Serves every line: at the link, and beside it; without one where the rig file says. Where."""
        for k, line in enumerate(self.desk.tables.lines):
            place = Path(line.port) if link is None else link if k == 0 else link.with_name(f"{link.name}-{k + 1}")
            if link is None and line.port.startswith("/dev/"):
                raise HilctlError(f"{line.port} belongs to this host's devices: name another place by --link, and open "
                                  "the rig with that one as port")  # fmt: skip
            self._lines.append(_Line(self, line, place))
        return [str(line.pty.link) for line in self._lines]

    def do_unplug(self, seconds: float) -> None:
        """Gone for a while."""
        for line in self._lines:
            line.pty.unplug()
        self.do_reboot()
        for line in self._lines:
            self.later(seconds, line.pty.plug)

    def do_babble(self, seconds: float) -> None:
        """Noise."""
        for line in self._lines:
            line.babble(time.monotonic() + seconds)

    def end(self) -> None:
        """Takes the lines away."""
        for line in self._lines:
            line.end()


class _Line:
    """One line: requests in, answers out, when their characters have passed."""

    def __init__(self, device: TextDevice, line: Line, place: Path) -> None:
        self._device, self._loop = device, asyncio.get_running_loop()
        own = device.described.devices[line.devices[0]]
        self._character_s = character_bits(own) / own.baud
        self._asked = [told for told in device.described.messages.values()
                       if told.own.device in line.devices and told.own.request]  # fmt: skip
        self._held, self._free_s = b"", 0.0
        self.pty = PtyLine(place, self._received, own.baud)
        self._streaming = [asyncio.ensure_future(self._stream(told)) for told in line.streams]

    def end(self) -> None:
        """The end of it."""
        for task in self._streaming:
            task.cancel()
        self.pty.close()

    def _received(self, data: bytes, came_ns: int) -> None:
        """Bytes are there when their characters have passed; at another speed they are others."""
        if self._device.echoes:
            self.pty.write(data)
        if not self.pty.fits:
            return
        self._free_s = max(1e-9 * came_ns, self._free_s) + len(data) * self._character_s
        self._loop.call_at(self._free_s, self._hear, data, round(1e9 * self._free_s))

    def _hear(self, data: bytes, due_ns: int) -> None:
        begun_ns = time.perf_counter_ns()
        self._held += data
        while self._held:
            told, taken = self._first()
            if told is None:
                if taken:
                    return  # more of it may come
                self._held = self._held[1:]
                continue
            self._held = self._held[taken:]
            if self._device.line.hears(time.monotonic()):
                self._answer(told, due_ns)
        self._device.spent_us.append((time.perf_counter_ns() - begun_ns) / 1e3)

    def _first(self) -> tuple[Told | None, int]:
        """The request that begins what is held, and its bytes; None and whether one may."""
        may = False
        for told in self._asked:
            taken = self._device.desk.read(told.name, self._held, "request")
            if taken > 0:
                return told, taken
            may = may or taken == -1
        return None, int(may and len(self._held) < _MOST_HELD)

    def _answer(self, told: Told, came_ns: int) -> None:
        data = self._device.heard(told, came_ns)
        if data:
            self._send(told, data, told.device.answer_s)

    def _send(self, told: Told, data: bytes, after_s: float) -> None:
        for piece in self._device.line.outgoing(data, time.monotonic(), self._device.address_at(told)):
            late_s = after_s + piece.delay_s + len(piece.data) * self._character_s
            self._loop.call_later(late_s, self._put, piece.data)

    def _put(self, data: bytes) -> None:
        if self.pty.fits:
            self.pty.write(data)
        else:
            self.pty.write(self._device.line.noise(len(data)))

    async def _stream(self, told: Told) -> None:
        """What it sends by itself, at its own pace."""
        due_s = self._loop.time()
        while True:
            due_s = max(due_s + told.own.period_s, self._loop.time() - told.own.period_s)
            await asyncio.sleep(due_s - self._loop.time())
            self._device.advance()
            self._send(told, self._device.said(told), 0.0)

    def babble(self, until_s: float) -> None:
        """Noise until then."""
        if time.monotonic() < until_s:
            self.pty.write(self._device.line.noise(_NOISE_BYTES))
            self._loop.call_later(_NOISE_S, self.babble, until_s)
