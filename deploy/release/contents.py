"""What must, and what must not, be in the files of a release."""

import tarfile
import zipfile
from pathlib import Path

from deploy.release.shipped import HOUSE

ROOMS = ("hilctl", "firmware_bridge", "sim")
MOST = 2_000_000  # bytes of the wheel: source text; pictures and measured data do not belong in it


def wheel_problems(path: Path) -> list[str]:
    """What is wrong with a wheel."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    info = f"{path.name.removesuffix('-py3-none-any.whl')}.dist-info"
    presets = {f"hilctl/_rigs/{one.name}" for one in (HOUSE / "deploy" / "rigs").glob("*.toml")}
    sources = {str(one.relative_to(HOUSE)) for one in (HOUSE / "hilctl" / "bench" / "csrc").iterdir() if one.is_file()}
    typed = {f"{room}/py.typed" for room in ROOMS}
    wanted = presets | sources | typed | {f"{info}/licenses/LICENSE", f"{info}/entry_points.txt"}
    problems = [f"{name} is missing" for name in sorted(wanted - names)]
    foreign = (".png", ".md", "vectors.txt")  # pictures, pages, what tests alone read
    allowed = tuple(f"{room}/" for room in (*ROOMS, info))
    problems += [f"{name} does not belong in it" for name in sorted(names)
                 if not name.startswith(allowed) or "__pycache__" in name or name.endswith(foreign)]  # fmt: skip
    if path.stat().st_size > MOST:
        problems.append(f"it has {path.stat().st_size} bytes, {MOST} are allowed")
    return problems


def sdist_problems(path: Path) -> list[str]:
    """What is wrong with a source distribution: from it, a rig's PC is set up without a checkout."""
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"LICENSE", "README.md", "pyproject.toml", "requirements.lock", "uv.lock", "deploy/install.sh",
              "deploy/README.md", "deploy/systemd/hilctl@.service", "docs/README.md", "docs/CHANGELOG.md",
              "tests/conftest.py", "PKG-INFO"}  # fmt: skip
    problems = [f"{name} is missing" for name in sorted(wanted - names)]
    foreign = (".venv", ".git/", ".ci", "out/", "dist/", "build/")
    return problems + [f"{name} does not belong in it" for name in sorted(names)
                       if name.startswith(foreign) or "__pycache__" in name]  # fmt: skip
