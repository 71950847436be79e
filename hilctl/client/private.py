"""A private service: the twin on free ports in a runtime directory of its own; it ends with its parent process."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from hilctl.access.token import VARIABLE, own_token, token_path
from hilctl.errors import HilctlError
from hilctl.wire import places

_START_S = 600.0  # a cold compiler on a busy machine; a service that ends by itself is reported at once
_END_S = 30.0
_LOOK_S = 0.02
# A processor that is busy elsewhere, or a client that computes, ends no run in which no time passes meanwhile.
_PATIENT = {"service.timeout_s": 10.0, "service.lease_timeout_s": 30.0}


class Private(NamedTuple):
    """A running private service."""

    commands: str
    telemetry: str
    scope: str
    pid: int
    folder: Path  # its runtime and state directories
    recordings: Path
    log: Path
    process: "subprocess.Popen[bytes]"


@contextmanager
def private_service(
    rig: str | Path,
    *,
    clock: str = "virtual",
    twin: bool = True,
    changes: Mapping[str, Any] | None = None,
    recordings: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Private]:
    """Starts a service of this rig, waits until its core runs, and ends it in order.

    On the virtual clock it is patient with silence, unless `changes` say otherwise.
    """
    if find_spec("hilctl.service") is None:
        raise HilctlError("the client alone is installed here, and a private service is the whole program; "
                          "install hilctl instead of hilctl-client")  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="hilctl-private-") as name:
        folder = Path(name)
        kept = Path(recordings) if recordings is not None else folder / "recordings"
        ports = {f"service.{port}_port": 0 for port in ("commands", "telemetry", "scope")}
        settings = {**ports, **(_PATIENT if clock == "virtual" else {}), **(changes or {})}
        command = [
            sys.executable,
            "-m",
            "hilctl.service",
            str(rig),
            "--clock",
            clock,
            "--die-with-parent",
            "--recordings",
            str(kept),
            *(["--twin"] if twin else []),
        ]
        for key, value in settings.items():
            command += ["--set", f"{key}={json.dumps(value)}"]
        own_token(token_path())
        log = folder / "service.log"
        process = start(command, log, _environment(folder, environment))
        try:
            yield _await(process, folder, kept, log)
        finally:
            _end(process)


def start(command: list[str], log: Path, environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """A process of its own, without input, whose output goes to the log."""
    with log.open("wb") as output:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)


def _environment(folder: Path, given: Mapping[str, str] | None) -> dict[str, str]:
    house = str(Path(__file__).resolve().parents[2])
    path = os.environ.get("PYTHONPATH", "")
    out = {
        **os.environ,
        "XDG_RUNTIME_DIR": str(folder),
        "XDG_STATE_HOME": str(folder),
        VARIABLE: str(token_path()),  # that of our own user, so that every program of ours may come in
        "PYTHONPATH": f"{house}{os.pathsep}{path}" if path else house,
        **(given or {}),
    }
    for name in ("RUNTIME_DIRECTORY", "STATE_DIRECTORY", "NOTIFY_SOCKET"):
        out.pop(name, None)
    return out


def _await(process: "subprocess.Popen[bytes]", folder: Path, recordings: Path, log: Path) -> Private:
    deadline_s = time.monotonic() + _START_S
    while time.monotonic() < deadline_s:
        for found in places.running(folder / "hilctl").values():
            return Private(
                found["commands"], found["telemetry"], found["scope"], found["pid"], folder, recordings, log, process
            )
        if process.poll() is not None:
            break
        time.sleep(_LOOK_S)
    raise HilctlError(f"the private service did not come up:\n{log.read_text(errors='replace')[-4000:]}")


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
