"""Starting the core's process, as early as one likes.

The core needs a fraction of a second to load its compiled code. It can do that while the service still reads its rig
file: `spawn` at once, `Link.start(..., core=spawned)` when the configuration is known. Imports the standard library
only.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Spawned(NamedTuple):
    """A core that loads, and the socket by which it gets its configuration."""

    process: "subprocess.Popen[bytes]"
    socket: socket.socket


def spawn(environment: Mapping[str, str] | None = None) -> Spawned:
    """Starts `python -m hilctl.loop`, in a session of its own: a Ctrl-C at the terminal reaches us, and we end it.

    `environment` is laid over ours.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.set_inheritable(False)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "hilctl.loop", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={**_environment(), **(environment or {})},
        )
    return Spawned(process, ours)


def _environment() -> dict[str, str]:
    """Ours, with the packages found where we found them: a checkout need not be installed."""
    house = str(Path(__file__).resolve().parents[2])
    path = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": f"{house}{os.pathsep}{path}" if path else house}
