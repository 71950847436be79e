"""The secret of a console lease, on the client's own disk: commands typed one by one are one holder by it."""

import hashlib
from pathlib import Path

from hilctl.access.files import read_secret, write_secret
from hilctl.errors import HilctlError
from hilctl.wire import places


def _path(run: str) -> Path:
    return places.runtime_root() / "leases" / hashlib.sha256(run.encode()).hexdigest()[:16]


def secret_of(run: str) -> str:
    """That of the console lease of this run of a service; empty where this user has none."""
    path = _path(run)
    try:
        return read_secret(path, "the lease's secret").strip() if path.exists() else ""
    except HilctlError:
        return ""


def keep_secret(run: str, secret: str) -> None:
    """Kept for the next command; an empty one is forgotten."""
    path = _path(run)
    if secret:
        places.own_directory(places.runtime_root())
        places.own_directory(path.parent)
        write_secret(path, secret + "\n")
    else:
        path.unlink(missing_ok=True)
