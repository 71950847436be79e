"""What files say of themselves, read by a process of its own.

HDF5 does not survive every spoilt file: one byte of 1 000 is enough to end the process that reads it (measured with
HDF5 2.0). Nothing that must go on opens a file here that it has not written itself.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hilctl.recording.damaged import Damaged

_LIMIT_S = 60.0


class Head(NamedTuple):
    """What one file says of itself."""

    run: str
    required: bool
    complete: bool
    rows: int


def heads(paths: Sequence[Path]) -> list[Head | Damaged | OSError]:
    """In the order of the files; what could not be read as the error that it would be here."""
    read: list[Head | Damaged | OSError] = []
    while len(read) < len(paths):
        left = paths[len(read) :]
        lines, why = _asked(left)
        read += [_heard(path, line) for path, line in zip(left, lines, strict=False)]
        if len(lines) < len(left):
            found = f"is no recording, or damaged ({why})"
            read.append(Damaged(left[len(lines)], found, "remove it, or copy it again"))
    return read


def _asked(paths: Sequence[Path]) -> tuple[list[str], str]:
    command = [sys.executable, "-m", "hilctl.recording.apart", *map(str, paths)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            said, _ = process.communicate(timeout=_LIMIT_S)
            why = f"reading it ended the reader, exit code {process.returncode}"
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            why = f"reading it takes longer than {_LIMIT_S:g} s"
    return [line for line in said.splitlines(keepends=True) if line.endswith("\n")], why


def _heard(path: Path, line: str) -> Head | Damaged | OSError:
    kind, value = json.loads(line)
    if kind == "head":
        return Head(*value)
    return Damaged(path, *value) if kind == "damaged" else OSError(*value)


def _tell(path: Path) -> None:
    from hilctl.recording.reader import open_recording

    line: list[Any]
    try:
        with open_recording(path) as recording:
            line = ["head", Head(recording.run, recording.required, recording.complete, len(recording))]
    except Damaged as damaged:
        line = ["damaged", (damaged.why, damaged.remedy)]
    except OSError as error:
        line = ["failed", (error.errno, error.strerror, str(path))]
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        _tell(Path(name))
