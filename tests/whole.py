"""Every test: those on the real clock, and all others beside them in the time that these leave.

    python -m tests.whole "slow and not bench"      all that carry none of these marks

Tests on the real clock mostly wait. Two run at once, and nothing else in their class: the others run as idle processes
(SCHED_IDLE), from which the kernel takes the processor as soon as anything of a test on the real clock wants it. What
they print is kept until that part is over, and then follows.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import BinaryIO

HOUSE = Path(__file__).resolve().parents[1]
REALTIME = ("tests/system", "tests/browser")  # where tests on the real clock stand: elsewhere none is looked for
# Each file by one process, so that what its tests share is made once.
SPREAD = ("--dist", "loadfile", "--no-loadscope-reorder")
_TWO, _ALL = ("-n", "2"), ("-n", "auto", "--maxprocesses", "4")
_LOOK_S = 0.2


def pytest(*arguments: str) -> list[str]:
    """The command that runs a part."""
    return [sys.executable, "-m", "pytest", *arguments, *SPREAD]


def follow(output: BinaryIO, part: subprocess.Popen[bytes]) -> None:
    """Shows what a part has printed, and then what it prints, until it ends."""
    while True:
        over = part.poll() is not None
        sys.stdout.buffer.write(output.read())
        sys.stdout.flush()
        if over:
            return
        time.sleep(_LOOK_S)


def main(but: str) -> int:
    """Both parts; 0 if both passed."""
    with tempfile.NamedTemporaryFile() as output:
        others = pytest(*_ALL, "-m", f"not realtime and not {but}")
        rest = subprocess.Popen(others, cwd=HOUSE, stdout=output, stderr=subprocess.STDOUT)
        try:
            os.sched_setscheduler(rest.pid, os.SCHED_IDLE, os.sched_param(0))  # and with it all that it will start
            on_the_clock = subprocess.run(
                pytest("-q", *_TWO, *REALTIME, "-m", f"realtime and not {but}"), cwd=HOUSE, check=False
            ).returncode
            with Path(output.name).open("rb") as printed:
                follow(printed, rest)
        finally:
            rest.terminate()
            rest.wait()
    if on_the_clock:
        print("tests on the real clock failed: see above, before those of the others")
    return on_the_clock or rest.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "slow and not bench"))
