"""What a check says, and what the checks look at."""

import os
from pathlib import Path
from typing import Literal, NamedTuple

from hilctl.law.limits import Late
from hilctl.loop.settings import Loop
from hilctl.recording.settings import Recording

Verdict = Literal["good", "better", "bad", "unknown"]
_LOOP, _LATE, _RECORDING = Loop(), Late(), Recording()


class Write(NamedTuple):
    """A setting that `--fix` may write: it lasts until the next start of the host, and takes nothing from anybody."""

    path: str
    value: str

    @property
    def command(self) -> str:
        """The same for a shell."""
        return f"echo {self.value} > {self.path}"


class Finding(NamedTuple):
    """One property of the host. `bad` makes it unfit; `better`: fit, but worth changing; `unknown`: not reported."""

    what: str
    verdict: Verdict
    found: str
    wanted: str
    how: str = ""
    writes: tuple[Write, ...] = ()


class Wish(NamedTuple):
    """What this rig asks of the host: its [loop], [limits.late], [recording], and the devices of its driver."""

    rate_hz: float = _LOOP.rate_hz
    priority: int = _LOOP.priority
    cpu: int = _LOOP.cpu
    spin_us: float = _LOOP.spin_us
    time_to_live_s: float = _LOOP.time_to_live_s
    exchange_share: float = _LOOP.exchange_share
    exchange_s: float = 0.0  # of a tick, on the slowest line of the driver; 0: not known
    late_ticks: int = _LATE.ticks
    late_share: float = _LATE.share
    late_action: str = _LATE.action
    rejoin_s: float = _LATE.rejoin_s
    preview_ticks: float = 0.0  # stalls up to here the reference bridges
    rig: str = ""
    driver: str = ""  # empty where it is simulated: it has no device
    ports: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    folder: str = ""  # of the recordings
    flush_hz: float = _RECORDING.flush_hz
    queue_s: float = _RECORDING.queue_s
    free_mb: float = _RECORDING.free_mb

    @property
    def period_us(self) -> float:
        """One tick."""
        return 1e6 / self.rate_hz


class Tree:
    """The files in which Linux reports its settings; below another root in the tests."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    def text(self, path: str) -> str | None:
        """What a file holds; None where it is missing or not for this user."""
        try:
            return self._place(path).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return None

    def number(self, path: str) -> int | None:
        """A file that holds one whole number."""
        text = self.text(path)
        try:
            return int(text) if text is not None else None
        except ValueError:
            return None

    def texts(self, pattern: str) -> dict[str, str]:
        """The readable files of a pattern, by their paths."""
        found = {}
        for path in sorted(self.root.glob(pattern.lstrip("/"))):
            name = f"/{path.relative_to(self.root)}"
            text = self.text(name)
            if text is not None:
                found[name] = text
        return found

    def chosen(self, path: str, marks: str = "[]") -> str | None:
        """The active choice, where a file lists all with the active one in brackets."""
        text = self.text(path)
        if text is None or marks[0] not in text:
            return None
        return text.partition(marks[0])[2].partition(marks[1])[0]

    def active(self, path: str) -> str | None:
        """What a setting is now, as it would be written."""
        return self.chosen(path) or self.text(path)

    def target(self, path: str) -> str | None:
        """Where a link leads; the path itself where it is none; None where nothing is."""
        real = os.path.realpath(self._place(path))
        if not os.path.lexists(real):
            return None
        return f"/{os.path.relpath(real, os.path.realpath(self.root))}"

    def write(self, change: Write) -> None:
        """Writes a setting. OSError where the kernel refuses it."""
        descriptor = os.open(self._place(change.path), os.O_WRONLY | os.O_TRUNC)  # never makes a file
        try:
            os.write(descriptor, f"{change.value}\n".encode())
        finally:
            os.close(descriptor)

    def _place(self, path: str) -> Path:
        return self.root / path.lstrip("/")


def processors(text: str) -> set[int]:
    """The kernel's way to list processors: `0-2,5`."""
    found: set[int] = set()
    for part in text.split(","):
        low, _, high = part.strip().partition("-")
        if low.isdigit():
            found |= set(range(int(low), int(high or low) + 1))
    return found


def listed(cpus: set[int]) -> str:
    """The same way back."""
    parts: list[list[int]] = []
    for cpu in sorted(cpus):
        if parts and parts[-1][-1] == cpu - 1:
            parts[-1].append(cpu)
        else:
            parts.append([cpu])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts) or "none"
