"""The process of a job, as the service sees it: what it prints, how far it says it is, how it ended.

Its order (where the service is, what it shows there, its words) goes through its standard input, and nowhere else. It
has a session of its own: a Ctrl-C at the service's terminal reaches the service, which ends it in order.
"""

import json
import math
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeGuard

from hilctl.wire.ops_jobs import LONGEST_REPORT, MEASURED

LINES = 200  # of output that are kept
_LONGEST = 400  # characters of one
_WHOLE = 1 << 63  # what a message can carry
_AT_ONCE = 1 << 16  # bytes of a pipe in one look
_NOT_FOR_JOBS = ("NOTIFY_SOCKET", "HILCTL_KEY", "HILCTL_TOKEN")


class _Pipe:
    """Lines that a process writes; what it has not finished waits, up to the length of a line."""

    def __init__(self, descriptor: int, longest: int = _LONGEST) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor, self._rest, self._longest = descriptor, b"", longest

    def lines(self) -> list[str]:
        """Those that have come."""
        try:
            came = os.read(self._descriptor, _AT_ONCE)
        except BlockingIOError:
            return []
        *whole, self._rest = (self._rest + came).split(b"\n")
        self._rest = self._rest[: 4 * self._longest]
        return [_plain(line, self._longest) for line in whole]

    def close(self) -> list[str]:
        """The last ones."""
        found = []
        while came := self.lines():
            found += came
        os.close(self._descriptor)
        return found + ([_plain(self._rest, self._longest)] if self._rest else [])


def _plain(line: bytes, longest: int) -> str:
    text = line.decode(errors="replace").rstrip()[:longest]
    return "".join(c if c.isprintable() else " " for c in text)


class Worker:
    """A process that has been started."""

    def __init__(self, order: Mapping[str, Any], folder: Path) -> None:
        said, says = os.pipe()
        told, tells = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "hilctl.cli.job_process"], stdin=subprocess.PIPE, stdout=says, stderr=says,
                pass_fds=[tells], start_new_session=True, cwd=folder, env=_environment(),
            )  # fmt: skip
        finally:
            os.close(says)
            os.close(tells)
        self.lines: deque[str] = deque(maxlen=LINES)
        self.count = 0  # of all lines that it has printed
        self.progress: dict[str, Any] = {}
        self.measured: deque[dict[str, Any]] = deque(maxlen=MEASURED)
        self.points = 0  # of all that it has measured
        self._output, self._reports = _Pipe(said), _Pipe(told, LONGEST_REPORT)
        assert self._process.stdin is not None
        with self._process.stdin as orders, suppress(BrokenPipeError):  # it may be dead already
            orders.write(json.dumps({**order, "progress": tells}).encode())

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def look(self) -> int | None:
        """Takes in what it says; its exit code, once it has ended."""
        code = self._process.poll()
        self._take(self._output.lines(), self._reports.lines())
        if code is not None:
            self._take(self._output.close(), self._reports.close())
        return code

    def _take(self, lines: list[str], reports: list[str]) -> None:
        self.lines.extend(lines)
        self.count += len(lines)
        for said in map(_report, reports):
            point = said.get("measured")
            if _is_point(point):
                self.measured.append({**point, "number": self.points})
                self.points += 1
            elif said and "measured" not in said:
                self.progress = said

    def end(self) -> None:
        """Asks it to end in order."""
        self._process.terminate()

    def kill(self) -> None:
        """Ends it and what it has started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


def _report(line: str) -> dict[str, Any]:
    """What a line says; empty where it says nothing."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _is_point(point: Any) -> TypeGuard[dict[str, Any]]:
    """Numbers and words by their names, so that every client can read them."""
    return isinstance(point, dict) and all(
        isinstance(value, str)
        or (isinstance(value, int) and -_WHOLE <= value < _WHOLE)
        or (isinstance(value, float) and math.isfinite(value))
        for value in point.values()
    )


def _environment() -> dict[str, str]:
    """Ours, with the packages found where we found them: a checkout need not be installed."""
    house, path = str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")
    kept = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_JOBS}
    return {**kept, "PYTHONPATH": f"{house}{os.pathsep}{path}" if path else house}
