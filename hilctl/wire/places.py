"""Where a rig's service keeps its things, and how a client finds it.

State and cache outlast a run; the runtime directory (lock, access token, endpoints) is this user's alone. Under
systemd they are the unit's StateDirectory, CacheDirectory and RuntimeDirectory.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from hilctl.wire.errors import Code, Refused

ENDPOINTS = "endpoints.json"
LOCAL_KEY = "local.key"  # for programs of the user who runs a service that asks for keys
LOCK = "lock"


def _root(unit_variable: str, variable: str, fallback: Path) -> Path:
    unit = os.environ.get(unit_variable)
    if unit:
        return Path(unit.split(":")[0])
    return Path(os.environ.get(variable) or fallback) / "hilctl"


def state_root() -> Path:
    """What outlasts a run: recordings, black boxes."""
    return _root("STATE_DIRECTORY", "XDG_STATE_HOME", Path.home() / ".local" / "state")


def runtime_root() -> Path:
    """What ends with the session. Without XDG_RUNTIME_DIR, a folder of this user under the temporary one."""
    unit, session = os.environ.get("RUNTIME_DIRECTORY"), os.environ.get("XDG_RUNTIME_DIR")
    if unit or session:
        return _root("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", Path())
    return Path(tempfile.gettempdir()) / f"hilctl-{os.getuid()}"


def own_directory(path: Path) -> Path:
    """The directory, made for this user alone; refused where another user owns it."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.lstat().st_uid != os.getuid():
        raise PermissionError(f"{path} belongs to another user; set XDG_RUNTIME_DIR")
    path.chmod(0o700)
    return path


def running(root: Path | None = None) -> dict[str, dict[str, Any]]:
    """The services that say they run, by the name of their rig, whose process is alive."""
    found = {}
    for path in sorted((root or runtime_root()).glob(f"*/{ENDPOINTS}")):
        try:
            endpoints = json.loads(path.read_text())
            os.kill(int(endpoints["pid"]), 0)
        except (OSError, ValueError, KeyError, TypeError):
            continue
        found[path.parent.name] = endpoints | {"runtime": str(path.parent)}
    return found


def find(rig: str | None = None) -> dict[str, Any]:
    """The endpoints of the service of this rig, or of the only one that runs."""
    services = running()
    if rig is not None and rig in services:
        return services[rig]
    if rig is None and len(services) == 1:
        return next(iter(services.values()))
    if not services:
        raise Refused(Code.GONE, f"no service runs here (looked in {runtime_root()}); start one with `hilctl run RIG`")
    known = ", ".join(services)
    raise Refused(
        Code.GONE, f"no service of the rig {rig!r}; running: {known}" if rig else f"which rig? running: {known}"
    )
