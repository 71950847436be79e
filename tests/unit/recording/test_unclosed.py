"""A process that ends without closing its recording: it ends without a crash, and the file is whole."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hilctl.recording.reader import open_recording
from tests.unit.recording import test_recorder

MANY = max(20, round(200 * float(os.environ.get("HILCTL_SLOW_SHARE", "1"))))
_ENDS = f"""
import os, random, sys, time, importlib.util
from pathlib import Path
spec = importlib.util.spec_from_file_location("rec", {test_recorder.__file__!r})
rec = importlib.util.module_from_spec(spec); spec.loader.exec_module(rec)
folder, count = Path(sys.argv[1]), int(sys.argv[2])
for seed in range(count):  # each a process that has imported all; the last is this one
    if seed + 1 == count or not (child := os.fork()):
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
chance = random.Random(seed)
r = rec.Recorder(0.002, 100_000)
r.start(folder / f"{{seed}}.h5", rec._HEADER, 0).result(10)
n, last = 0, time.monotonic() + chance.uniform(0.0, 0.1)
while time.monotonic() < last:
    if r.room >= 200:
        r.rows(n, rec._rows(n, 200)); n += 200
sys.exit(7)
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [1, pytest.param(MANY, marks=pytest.mark.slow)])
def test_a_process_that_ends_in_the_middle_of_writing_ends_in_order(tmp_path: Path, count: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ENDS, str(tmp_path), str(count)], capture_output=True, text=True, cwd=Path.cwd(),
        timeout=60 + count, check=False,
    )  # fmt: skip
    ended = [*map(int, done.stdout.split()), done.returncode]
    assert ended == [7] * count, done.stderr[-2000:]
    for seed in range(count):
        with open_recording(tmp_path / f"{seed}.h5") as back:
            assert back.complete
            assert (back.rows()["tick"] == back.sequence()).all()
