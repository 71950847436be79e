"""What a change needs before it is committed: lint of the changed files, and the tests of the rooms that they stand in.

    python -m tests.quick            the rooms that differ from the last commit; if none does, those of the last commit
    python -m tests.quick law sim    these rooms

A room is a package or module below `hilctl`, a folder of `firmware_bridge`, or `sim`, `deploy`, `docs`. Its tests stand
in `tests/unit` under its name; `MORE` lists what else proves it. Tests that are slow, that measure time or that need
the real clock are left to `make test` and `make long`.
"""

import difflib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[1]

_WHOLE_RUN = "tests/system/test_core_virtual.py"  # the core and a twin in one process
_ERRORS = "tests/unit/cli/test_every_error.py"
_PAGES = "tests/unit/house"

# Tests of a room that do not stand under its name.
MORE: dict[str, tuple[str, ...]] = {
    "law": (_WHOLE_RUN,),
    "loop": (_WHOLE_RUN,),
    "friction": ("tests/unit/test_friction_tables.py",),
    "sim": (_WHOLE_RUN,),
    "errors": (_ERRORS,),
    "machine": ("tests/unit/sim/test_machine.py",),
    "signals": (_PAGES, "tests/unit/wire", "tests/unit/law/test_trips.py"),
    "trips": ("tests/unit/test_trips.py",),
    "params": ("tests/unit/test_params.py",),
    "rig": ("tests/unit/test_rig.py",),
    "rig_file": ("tests/unit/test_rig.py",),
    "conformance": ("tests/conformance",),
    "demo": ("tests/unit/demo",),
    "firmware_bridge": ("tests/conformance",),
    "described": ("tests/unit/modbus", "tests/unit/serial_text"),
    "firmware": ("tests/unit/serial_frame",),
    "learning": ("tests/system/test_learning.py",),
    "deploy": (_PAGES, "tests/unit/test_rig.py"),
    "docs": (_PAGES, "tests/system/test_readme.py"),
    "lint": (),  # the linters run in any case
}
_MARKS = "not slow and not long and not bench and not realtime"
# Files that stand in no folder of a room.
_SINGLE = {"README.md": "docs", "pyproject.toml": "lint", "hilctl/__main__.py": "cli", "hilctl/__init__.py": "cli",
           "hilctl/py.typed": "lint"}  # fmt: skip


def rooms() -> list[str]:
    """Every room of this checkout."""
    found = {path.stem for path in (HOUSE / "hilctl").iterdir() if path.suffix == ".py" or _is_room(path)}
    found |= {path.name for path in (HOUSE / "firmware_bridge").iterdir() if _is_room(path)}
    return sorted((found | {"firmware_bridge", "sim", "deploy", "docs", "lint"}) - {"__init__", "__main__"})


def _is_room(path: Path) -> bool:
    return path.is_dir() and any(path.rglob("*.py")) and not path.name.startswith((".", "_"))


def room_of(file: str) -> str | None:
    """The room that a file stands in; None for a test, which is its own proof, and for what no test covers."""
    if file in _SINGLE:
        return _SINGLE[file]
    first, *rest = Path(file).parts
    if first in ("sim", "deploy", "docs"):
        return first
    if first == "hilctl" and rest:
        return Path(rest[0]).stem
    if first == "firmware_bridge" and rest:
        return rest[0] if len(rest) > 1 else "firmware_bridge"
    return None


def tests_of(room: str) -> list[str]:
    """The folders and files of tests that prove a room."""
    own = HOUSE / "tests" / "unit" / room
    return sorted({*([f"tests/unit/{room}"] if own.is_dir() else []), *MORE.get(room, ())})


def tests_beside(file: str) -> list[str]:
    """A changed test; for a helper of the tests, those that import it."""
    path = HOUSE / file
    if not file.startswith("tests/") or path.suffix != ".py" or not path.is_file():
        return []
    if path.name.startswith("test_"):
        return [file]
    if path.name == "conftest.py":
        return [str(path.parent.relative_to(HOUSE))] if path.parent != HOUSE / "tests" else []
    name = file.removesuffix(".py").replace("/", ".")
    package, _, module = name.rpartition(".")
    wanted = (f"from {name} import", f"import {name}\n", f"from {package} import {module}")
    tests = (HOUSE / "tests").rglob("test_*.py")
    return [str(test.relative_to(HOUSE)) for test in tests if any(line in test.read_text() for line in wanted)]


def changed() -> list[str]:
    """The files that differ from the last commit; if none does, those of the last commit."""
    now = _git("diff", "--name-only", "HEAD") + _git("ls-files", "--others", "--exclude-standard")
    return now or _git("diff", "--name-only", "HEAD~1", "HEAD")


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=HOUSE, capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[:-1]


def chosen(files: list[str], named: list[str]) -> list[str]:
    """What pytest is to run, without what another folder of the list contains."""
    wanted = {test for room in named or {room_of(file) for file in files} - {None} for test in tests_of(str(room))}
    if not named:
        wanted |= {test for file in files for test in tests_beside(file)}
    return sorted(test for test in wanted if not any(str(above) in wanted for above in Path(test).parents))


def main(named: list[str]) -> int:
    """Lints and tests; the exit code of the first that fails."""
    for room in named:
        if room not in rooms():
            close = difflib.get_close_matches(room, rooms(), n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"rooms: {', '.join(rooms())}"
            print(f"quick: no room {room!r}; {hint}", file=sys.stderr)
            return 2
    files = changed()
    for command in commands(files, chosen(files, named)):
        print("==", *command, flush=True)
        program = Path(sys.executable).parent / command[0]
        code = subprocess.run([program, *command[1:]], cwd=HOUSE, check=False).returncode
        if code not in (0, 5 * (command[0] == "pytest")):  # 5: none of the chosen tests is quick
            return code
    return 0


def commands(files: list[str], tests: list[str]) -> Iterator[list[str]]:
    """Lint of the changed files, then the tests."""
    python = [file for file in files if file.endswith(".py") and (HOUSE / file).is_file()]
    if python:
        yield ["ruff", "check", *python]
    if any(not file.startswith("tests/") for file in python):
        yield ["lint-imports"]
        yield ["mypy"]  # of everything, from its cache: an edit may break its callers
    if tests:
        yield ["pytest", "-q", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", "-m", _MARKS, *tests]
    else:
        print("quick: nothing differs that a test covers")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
