"""The results so far: one object of plain values, complete at every moment.

A report and a program read it: a commissioning that ends early leaves its results up to then.
"""

import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.client.save import write_whole
from hilctl.errors import HilctlError
from hilctl.params.finite import finite

if TYPE_CHECKING:
    from hilctl.client import Client

Tell = Callable[[str], None]


class CommissionFailed(HilctlError):
    """A part of the work could not be done. The message says which, what is wrong, and what to check."""


class Notes:
    """The object, and the times of its stages."""

    def __init__(self, rig: "Client", folder: Path, tell: Tell) -> None:
        self.rig, self.folder, self.tell = rig, folder, tell
        self._begun_s, self._tick, self._rate_hz = time.monotonic(), _tick(rig), float(rig.hello["rate_hz"])
        self.stage = ""
        self.told: dict[str, Any] = {
            "rig": str(rig.hello["rig"]), "rate_hz": float(rig.hello["rate_hz"]),
            "date": datetime.now(UTC).isoformat(timespec="seconds"), "author": _author(),
            "clock": str(rig.hello["clock"]), "twin": bool(rig.hello["twin"]), "run": str(rig.hello["run"]),
            "folder": str(folder),
            "versions": _versions(), "complete": False, "failed": None, "warnings": [], "not_identified": [],
            "stages": [], "losses": [], "rig_seconds": 0.0, "wall_seconds": 0.0,
        }  # fmt: skip

    def __setitem__(self, key: str, value: Any) -> None:
        self.told[key] = value

    def __getitem__(self, key: str) -> Any:
        return self.told[key]

    def warn(self, text: str) -> None:
        """Something that the reader must know; listed once."""
        if text not in self.told["warnings"]:
            self.told["warnings"].append(text)

    def losses(self, leg: str, notes: Sequence[str]) -> None:
        """What was lost of a leg, and how often it was driven."""
        self.told["losses"] += [{"leg": leg, "text": note} for note in notes]

    @contextmanager
    def stages(self, name: str) -> Iterator[None]:
        """A part of the work, with its rig time and its elapsed time."""
        self.stage = name
        self.tell(name)
        begun_s, tick = time.monotonic(), _tick(self.rig)
        try:
            yield
        finally:
            # A service that has ended gives no time; the exception says why it ended.
            rig_s = (_tick(self.rig, tick) - tick) / self._rate_hz
            wall_s = time.monotonic() - begun_s
            self.told["stages"].append({"name": name, "rig_seconds": rig_s, "wall_seconds": wall_s})
            self.told["rig_seconds"] = (_tick(self.rig, self._tick) - self._tick) / self._rate_hz
            self.told["wall_seconds"] = time.monotonic() - self._begun_s

    def write(self, path: Path) -> Path:
        """As a JSON file, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(finite(self.told), indent=1, ensure_ascii=False) + "\n")
        return path


def _tick(rig: "Client", otherwise: int = 0) -> int:
    from hilctl.client import NoReply, Refused

    try:
        return int(rig.status()["tick"])
    except (NoReply, Refused):
        return otherwise


def _author() -> str:
    return f"{os.environ.get('USER') or os.environ.get('LOGNAME') or 'somebody'}@{platform.node()}"


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in ("hilctl", "numpy", "numba", "scipy"):
        found[name] = importlib.metadata.version(name)
    return found
