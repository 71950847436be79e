"""systemd's watchdog: fed while the service's own loop turns, and by nothing else."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.system.cli_parts import FREE_PORTS, RIG, Shell
from tests.system.service_parts import until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

# A service whose main thread hangs at SIGUSR1; its other threads, and its core, run on.
HANGS = """
import signal, sys, threading
signal.signal(signal.SIGUSR1, lambda *_: threading.Event().wait())
from hilctl.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def gone(pid: int) -> bool:
    """It ended, whether or not its parent has noticed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_loop_that_hangs_feeds_the_watchdog_no_longer_and_the_core_ends_in_order(tmp_path):
    shell = Shell(tmp_path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.setblocking(False)

        def heard() -> str:
            try:
                return listener.recv(100).decode()
            except BlockingIOError:
                return ""

        shell.environment |= {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "200000"}
        words = [sys.executable, "-c", HANGS, "run", RIG, "--twin", "--set", *FREE_PORTS]
        log = tmp_path / "run.log"
        with log.open("w") as output:
            process = subprocess.Popen(words, env=shell.environment, cwd=tmp_path, stdout=output, stderr=output)
        try:
            until(lambda: heard() == "READY=1", "READY=1")
            for _ in range(3):
                until(lambda: heard() == "WATCHDOG=1", "a sign of life")
            (core,) = children(process.pid)
            process.send_signal(signal.SIGUSR1)
            until(lambda: not heard(), "silence")
            until(lambda: gone(core), "the core's end")  # a second, of which each tenth would hold a sign of life
            assert process.poll() is None
            assert heard() == ""
        finally:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
            process.wait()
