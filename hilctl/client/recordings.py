"""The client's part for recordings."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hilctl.client.asker import Asker
from hilctl.client.download import Progress, download, unheard


class Recordings(Asker):
    """Makes, lists and copies recordings."""

    @contextmanager
    def record(self, name: str = "") -> Iterator[str]:
        """Records while the block runs; gives the file's path."""
        path = str(self.ask("record", action="start", name=name)["path"])
        try:
            yield path
        finally:
            self.ask("record", action="stop", timeout_s=60.0)

    def recordings(self) -> list[dict[str, Any]]:
        """The files in the rig's recording folder, the newest first."""
        found: list[dict[str, Any]] = self.ask("recordings")["recordings"]
        return found

    def delete(self, name: str) -> int:
        """Removes a recording from the rig's disk; how many bytes it had."""
        return int(self.ask("delete", name=name, timeout_s=60.0)["bytes"])

    def download(self, name: str, path: str | Path, progress: Progress = unheard) -> Path:
        """Copies a recording from the rig's disk, whole or not at all."""
        return download(self, name, Path(path), progress=progress)
