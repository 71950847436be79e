"""What must, and what must not, be in the files of a release."""

import ast
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from deploy.release.shipped import HOUSE

ROOMS = ("hilctl", "firmware_bridge", "sim")
MOST = 2_000_000  # bytes of the wheel: source text; pictures and measured data do not belong in it
CLIENT_MOST = 200_000


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


def client_problems(path: Path) -> list[str]:
    """What is wrong with the client's wheel: whatever a module of it imports of ours is in it."""
    with zipfile.ZipFile(path) as archive:
        sources = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")}
        names = set(archive.namelist())
    info = f"{path.name.removesuffix('-py3-none-any.whl')}.dist-info"
    wanted = {"hilctl/py.typed", "hilctl/client/__init__.py", f"{info}/licenses/LICENSE"}
    problems = [f"{name} is missing" for name in sorted(wanted - names)]
    problems += [f"{name} does not belong in it" for name in sorted(names)
                 if not name.startswith(("hilctl/", f"{info}/")) or "__pycache__" in name]  # fmt: skip
    there = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in sources}
    problems += [f"{name} imports {module}, which is missing" for name, text in sorted(sources.items())
                 for module in _imported(text) if module.split(".")[0] in ROOMS and module not in there]  # fmt: skip
    if path.stat().st_size > CLIENT_MOST:
        problems.append(f"it has {path.stat().st_size} bytes, {CLIENT_MOST} are allowed")
    return problems


def _imported(source: str) -> Iterator[str]:
    """The modules that a module imports, at its top or later."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            inside = HOUSE / node.module.replace(".", "/")
            yield from (f"{node.module}.{alias.name}" for alias in node.names if (inside / f"{alias.name}.py").exists())


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
