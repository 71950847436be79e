"""A board with a Cortex-M in QEMU: the line is a pseudo-terminal, the witness QEMU's standard input and output."""

import os
import re
import select
import shutil
import socket
import tty
from pathlib import Path

from firmware_bridge.firmware.board import Board, read_report

_SEED_AT = 0x2000_0004  # boards/metal/metal.h: metal_kept.seed
_LINE = re.compile(r"redirected to (\S+) \(label line\)")


def emulator() -> str | None:
    """QEMU for these boards, if there is one."""
    return shutil.which("qemu-system-arm")


class EmulatedBoard(Board):
    """An image in QEMU. Its boot ids begin at the seed, which stands for a chip's random numbers."""

    def __init__(self, image: Path, machine: str, *, seed: int | None = None) -> None:
        found = emulator()
        if found is None:
            raise FileNotFoundError("qemu-system-arm: install it (Debian: qemu-system-arm)")
        drawn = int.from_bytes(os.urandom(4), "little") if seed is None else seed
        self._key, theirs = socket.socketpair()
        options = {
            "-machine": [machine.replace("_", "-")],
            "-kernel": [str(image)],
            "-display": ["none"],
            "-mon": ["chardev=key"],
            "-device": [f"loader,addr={_SEED_AT},data={drawn},data-len=4"],
            "-chardev": ["pty,id=line", "stdio,id=witness,signal=off", f"socket,id=key,fd={theirs.fileno()}"],
            "-serial": ["chardev:line", "chardev:witness"],
        }
        words = (word for key, values in options.items() for value in values for word in (key, value))
        with theirs:
            super().__init__([*_ends_with_us(), found, *words], ends=(theirs.fileno(),))
        self._kept_open = -1
        said = _LINE.search(self._from.readline())
        if said is None:
            self.close()
            raise ValueError("QEMU does not tell the line's terminal")
        self.port = said[1]
        # As on the native board: hosts may come and go. QEMU by itself would look only once a second for one.
        self._kept_open = os.open(self.port, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._kept_open)
        self.booted()

    def booted(self, wait_s: float = 20.0) -> dict[str, int]:
        """What it tells when it has come up, waited for. TimeoutError when it does not."""
        if not select.select([self._from], [], [], wait_s)[0]:
            raise TimeoutError(f"the board has not come up within {wait_s:g} s")
        return read_report(self._from.readline())

    def press_reset(self) -> dict[str, int]:
        """The chip's reset input: memory stays, the watchdog's note of what happened does not. What it tells then."""
        self._key.sendall(b"system_reset\n")
        return self.booted()

    def close(self) -> int:
        """Ends it."""
        self.process.kill()
        self._key.close()
        if self._kept_open >= 0:
            os.close(self._kept_open)
            self._kept_open = -1
        super().close()
        return 0


def _ends_with_us() -> list[str]:
    """QEMU does not end with its standard input."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []
