"""The machine that a benchmark ran on."""

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


def host() -> dict[str, Any]:
    """What a figure depends on: processor, load, versions."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "kernel": platform.release(),
        "python": platform.python_version(),
        "numba": importlib.metadata.version("numba"),
        "gcc": _gcc(),
    }


@dataclass
class Stolen:
    """What the hypervisor took of all processors' time meanwhile; 0 on a machine of one's own."""

    share: float = 0.0


@contextmanager
def stolen() -> Iterator[Stolen]:
    """Measures from here to the end."""
    told, (taken, whole) = Stolen(), _times()
    yield told
    now_taken, now_whole = _times()
    told.share = (now_taken - taken) / max(now_whole - whole, 1)


def _times() -> tuple[int, int]:
    """Ticks that were stolen, and all, of all processors."""
    first = Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0]
    spent = [int(word) for word in first.split()[1:9]]  # user to steal; guests are counted within user
    return spent[7], sum(spent)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _gcc() -> str:
    try:
        told = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return told.stdout.strip()
