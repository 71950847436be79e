"""The machine that a benchmark ran on."""

import importlib.metadata
import os
import platform
import subprocess
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
