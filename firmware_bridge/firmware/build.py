"""Builds the boards that run on a PC, outside the tree: once for each state of the sources.

`python -m firmware_bridge.firmware.build` builds all of them and prints the core's size.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SHARED = ("boards/witness.c", "boards/steps.c", "boards/text.c")
BOARDS = {
    "bench": ("boards/bench.c", *SHARED),
    "native": ("boards/native.c", *SHARED, "boards/plant.c"),
}
CORE = ("core/device.c", "core/frame.c")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-Os")
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


class BuildError(Exception):
    """The compiler refused, or there is none."""


def compiler() -> str | None:
    """The C compiler, if there is one."""
    return shutil.which(os.environ.get("CC", "gcc"))


def build(board: str, *, sanitized: bool = False, sources_in: Path = HERE) -> Path:
    """The program of a board, compiled unless that has been done. From other sources: beside them, warnings allowed."""
    flags = (*STRICT, *SANITIZED) if sanitized else STRICT
    if sources_in != HERE:
        flags = (*flags, "-w")
    place = (_place() if sources_in == HERE else sources_in) / f"{board}-{_digest(*flags)}"
    if not place.exists():
        sources = [str(sources_in / name) for name in (*CORE, *BOARDS[board])]
        _into(place, [*flags, *sources])
    return place


def core_object(name: str) -> Path:
    """One of the core's sources as an object, compiled for a machine without a C library."""
    place = _place() / f"{Path(name).stem}-{_digest('object')}.o"
    if not place.exists():
        _into(place, [*STRICT, "-ffreestanding", "-c", str(HERE / name)])
    return place


def _place() -> Path:
    place = Path(tempfile.gettempdir()) / f"hilctl-firmware-{os.getuid()}"
    place.mkdir(mode=0o700, exist_ok=True)
    if place.stat().st_uid != os.getuid():
        raise BuildError(f"{place} belongs to somebody else")
    return place


def _digest(*flags: str) -> str:
    digest = hashlib.sha256(repr((flags, compiler())).encode())
    for path in sorted(HERE.rglob("*.[ch]")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _into(place: Path, arguments: list[str]) -> None:
    found = compiler()
    if found is None:
        raise BuildError("no C compiler: install gcc, or name one in CC")
    made = place.with_suffix(f".{os.getpid()}")
    done = subprocess.run([found, *arguments, "-o", str(made)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(done.stderr)
    made.replace(place)


def main() -> int:
    """Builds everything and tells sizes."""
    for board in BOARDS:
        print(f"{board}: {build(board)}")
    objects = [str(core_object(name)) for name in CORE]
    sizes = shutil.which("size")
    return subprocess.run([sizes, "-t", *objects], check=False).returncode if sizes else 0


if __name__ == "__main__":
    sys.exit(main())
