"""One service a rig: a lock that ends with its process, and the file that tells where the service is."""

import fcntl
import json
import os
from pathlib import Path
from typing import Any, TextIO

from hilctl.access.files import write_secret
from hilctl.errors import HilctlError
from hilctl.wire import places


class Lock:
    """Held until the process ends."""

    def __init__(self, runtime: Path) -> None:
        self.runtime = runtime
        self._file: TextIO = open(runtime / places.LOCK, "a+")  # noqa: SIM115  (held, not left)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read().strip() or "unknown"
            self._file.close()
            told = f"a service of this rig runs already: process {holder} ({runtime})"
            raise HilctlError(told, remedy="`hilctl shutdown` ends it") from None
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def announce(self, endpoints: dict[str, Any]) -> None:
        """Tells clients where the service is."""
        write_secret(self.runtime / places.ENDPOINTS, json.dumps({"pid": os.getpid(), **endpoints}, indent=1))

    def release(self) -> None:
        """Takes the files away and gives the lock back."""
        for name in (places.ENDPOINTS, places.LOCAL_KEY):
            (self.runtime / name).unlink(missing_ok=True)
        self._file.truncate(0)
        self._file.close()
