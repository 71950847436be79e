"""A board as an object: its line, and its witness. Here a process on this PC; in QEMU: emulated.py."""

import subprocess
import types
from pathlib import Path
from typing import Self


class Board:
    """A running board. It ends with this object, and with the process that made it."""

    def __init__(self, program: Path | list[str], *, has_line: bool = False, ends: tuple[int, ...] = ()) -> None:
        self.process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, pass_fds=ends
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._to, self._from = self.process.stdin, self.process.stdout
        self.port = self._from.readline().strip() if has_line else ""

    def ask(self, command: str) -> str:
        """One line to the witness, and its answer."""
        self._to.write(command + "\n")
        self._to.flush()
        return self._from.readline().strip()

    def tell(self, command: str) -> None:
        """A command that must be obeyed. ValueError when it is not."""
        if (said := self.ask(command)) != "ok":
            raise ValueError(f"{command!r}: {said!r}")

    def seen(self) -> dict[str, int]:
        """All that the device is."""
        return read_report(self.ask("?"))

    def close(self) -> int:
        """Ends it; its exit code."""
        try:
            self._to.close()
        except BrokenPipeError:
            pass  # it has ended already
        code = self.process.wait(10)
        self._from.close()
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: types.TracebackType | None) -> None:
        self.close()


def read_report(report: str) -> dict[str, int]:
    """The witness's answer to "?"."""
    return {name: int(value) for name, _, value in (pair.partition("=") for pair in report.split())}
