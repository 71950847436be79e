"""The client as a distribution of its own: hilctl.client, and those rooms of the program that it is made of."""

import shutil
import tomllib
from pathlib import Path
from typing import Any

from deploy.release.shipped import HOUSE

NAME = "hilctl_client"  # as files of a distribution are named
PROJECT = Path(__file__).with_name("client.toml")
PARTS = ("__init__.py", "py.typed", "errors.py", "signals.py", "access", "client", "params", "wire")
_NOT = shutil.ignore_patterns("__pycache__", "document.py", "*.md")  # document.py writes docs/protocol.md


def stage(folder: Path) -> Path:
    """What the client's wheel is built from, in this folder."""
    for part in PARTS:
        source, target = HOUSE / "hilctl" / part, folder / "hilctl" / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=_NOT)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    shutil.copy(HOUSE / "LICENSE", folder)
    shutil.copy(PROJECT, folder / "pyproject.toml")
    return folder


def differing() -> list[str]:
    """What it declares otherwise than the program does."""
    own, whole = (_project(path) for path in (PROJECT, HOUSE / "pyproject.toml"))
    problems = [f"{one} is not a dependency of the program" for one in own["dependencies"]
                if one not in whole["dependencies"]]  # fmt: skip
    return problems + [f"{key} is {own[key]}, of the program {whole[key]}" for key in ("requires-python", "license")
                       if own[key] != whole[key]]  # fmt: skip


def _project(path: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(path.read_text())["project"]
    return project


def is_client(path: Path) -> bool:
    """Whether a wheel is the client's."""
    return path.name.startswith(f"{NAME}-")
