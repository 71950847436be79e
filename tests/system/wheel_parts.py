"""The wheel of this checkout, and environments with it whose dependencies are those of the tests."""

import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

import numpy as np

HOUSE = Path(__file__).resolve().parents[2]
SITE = Path(np.__file__).parents[1]
EPOCH = "1700000000"


def build(folder: Path, project: Path = HOUSE) -> Path:
    """A wheel, built into this folder."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    uv = shutil.which("uv")
    command = [uv, "build", "--wheel", "--quiet", "--out-dir"] if uv else [*pip, "--wheel-dir"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    subprocess.run([*command, str(folder), str(project)], check=True, timeout=300, env=environment)
    (built,) = folder.glob("*.whl")
    return built


@cache
def wheel() -> Path:
    """One for all tests of this process."""
    return build(Path(tempfile.mkdtemp(prefix="hilctl-wheel-")))


def of_version(folder: Path, version: str) -> Path:
    """The wheel as another version: what is in it stays, but for its number."""
    own = wheel().name.split("-")[1]
    out = folder / wheel().name.replace(own, version)
    with zipfile.ZipFile(wheel()) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "hilctl/__init__.py" or ".dist-info/" in name:
                data = data.replace(own.encode(), version.encode())
            if not name.endswith("/RECORD"):
                target.writestr(name.replace(f"hilctl-{own}.dist-info", f"hilctl-{version}.dist-info"), data)
        target.writestr(f"hilctl-{version}.dist-info/RECORD", "")
    return out


def environment(place: Path, built: Path, only: Iterable[str] = ()) -> Path:
    """A virtual environment with this wheel and all packages of the tests, or those alone; its interpreter."""
    venv.create(place, with_pip=False, symlinks=True)
    (site,) = place.glob("lib/python*/site-packages")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(site)
    if not only:
        (site / "dependencies.pth").write_text(str(SITE))
    for name in only:
        for file in {Path(str(one)).parts[0] for one in metadata.files(name) or ()}:
            if file != ".." and (SITE / file).exists():
                (site / file).symlink_to(SITE / file)
    return place / "bin" / "python"


def run(python: Path, folder: Path, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """In this folder, without the checkout on the path."""
    own = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | more
    return subprocess.run([python, *arguments], cwd=folder, env=own, capture_output=True, text=True, check=False)
