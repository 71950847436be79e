"""The results so far: one value, valid at every moment.

A report and a program read it: a commissioning that ends early leaves its results up to then.
"""

import importlib.metadata
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hilctl.client.save import write_whole
from hilctl.errors import HilctlError
from hilctl.experiment.measured import report
from hilctl.results.commissioned import Commissioned, Loss, Missing, Stage
from hilctl.results.stored import as_json

if TYPE_CHECKING:
    from hilctl.client import Client

Tell = Callable[[str], None]
FILE = "commission.json"


class CommissionFailed(HilctlError):
    """A part of the work could not be done. The message says which, what is wrong, and what to check."""


class Notes:
    """The result, and the times of its stages."""

    def __init__(self, rig: "Client", folder: Path, tell: Tell, earlier: Commissioned | None = None) -> None:
        self.rig, self.folder, self.tell = rig, folder, tell
        self._begun_s, self._tick, self._rate_hz = time.monotonic(), _tick(rig), float(rig.hello["rate_hz"])
        self._missed = 0  # how often something could not be done
        self.stage, self.share = "", 0.0  # where the work is: a stage, and the share of it that is done
        self.result = earlier or Commissioned(
            rig=str(rig.hello["rig"]), rate_hz=self._rate_hz, date=datetime.now(UTC).isoformat(timespec="seconds"),
            author=_author(), clock=str(rig.hello["clock"]), twin=bool(rig.hello["twin"]), run=str(rig.hello["run"]),
            folder=str(folder), versions=_versions(),
        )  # fmt: skip
        self._earlier_s = (self.result.rig_seconds, self.result.wall_seconds)

    def warn(self, text: str) -> None:
        """Something that the reader must know; listed once."""
        if text not in self.result.warnings:
            self.result.warnings.append(text)

    def miss(self, part: str, reason: str, consequence: str, remedy: str) -> None:
        """A part that is not done, or not whole; a warning, too."""
        self._missed += 1
        self.result.missing.setdefault(part, Missing(reason, remedy))
        self.warn(f"{reason}. {consequence[0].upper()}{consequence[1:]}; `{remedy}` measures it alone")

    def forget_missing(self, part: str) -> None:
        """A part is measured: what was said of its absence no longer holds."""
        gone = self.result.missing.pop(part, None)
        if gone:
            self.result.warnings = [text for text in self.result.warnings if not text.startswith(gone.reason)]

    def losses(self, leg: str, notes: Sequence[str]) -> None:
        """What was lost of a leg, and how often it was driven."""
        others = [one for one in self.result.losses if one.leg != leg]
        self.result.losses = [*others, *(Loss(leg, note) for note in notes)]

    def say(self, text: str, share: float) -> None:
        """What is done now, at this share of the stage."""
        self.share = share
        self.tell(text)

    @contextmanager
    def stages(self, name: str) -> Iterator[None]:
        """A part of the work, with its rig time and its elapsed time."""
        self.stage, self.share = name, 0.0
        self.tell(name)
        begun_s, tick, missed = time.monotonic(), _tick(self.rig), self._missed
        complete = False
        try:
            yield
            complete = self._missed == missed
        finally:
            # A service that has ended gives no time; the exception says why it ended.
            rig_s = (_tick(self.rig, tick) - tick) / self._rate_hz
            self.result.stages.append(Stage(name, rig_s, time.monotonic() - begun_s))
            before_s, waited_s = self._earlier_s
            report("part", part=name, complete=complete, rig_s=rig_s)
            self.result.rig_seconds = before_s + (_tick(self.rig, self._tick) - self._tick) / self._rate_hz
            self.result.wall_seconds = waited_s + time.monotonic() - self._begun_s

    def write(self, path: Path) -> Path:
        """As a JSON file, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, as_json(self.result).decode())
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
