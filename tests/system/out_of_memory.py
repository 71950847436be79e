"""A program that runs out of memory, ended by the kernel: in a memory control group that another one fills up."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.system.service_parts import alive, until

LIMIT_BYTES = 64 * 2**20
_TOP = Path("/sys/fs/cgroup")

# Takes a megabyte at a time until the one that it was told is gone, or itself.
_EATER = """
import os, sys
from pathlib import Path
group, victim = Path(sys.argv[1]), Path("/proc", sys.argv[2], "stat")
(group / "cgroup.procs").write_text(str(os.getpid()))
eaten = []
while victim.exists() and victim.read_text().rpartition(")")[2].split()[0] not in "ZX":
    eaten.append(b"x" * 2**20)
"""


@contextmanager
def group() -> Iterator[Path]:
    """A control group of little memory, of either version of the interface; OSError where none can be made."""
    first = (_TOP / "memory").is_dir()
    made = (_TOP / "memory" if first else _TOP) / f"hilctl-test-{os.getpid()}"
    made.mkdir()
    try:
        (made / ("memory.limit_in_bytes" if first else "memory.max")).write_text(str(LIMIT_BYTES))
        yield made
    finally:
        until(lambda: not (made / "cgroup.procs").read_text(), "an empty control group")
        made.rmdir()


def possible() -> bool:
    """Whether this user may make one."""
    try:
        with group():
            return True
    except OSError:
        return False


def killed_by_the_kernel(pid: int) -> None:
    """Returns when the kernel has ended this process for want of memory; it is the first that the kernel chooses."""
    Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
    with group() as made:
        (made / "cgroup.procs").write_text(str(pid))
        with subprocess.Popen([sys.executable, "-c", _EATER, str(made), str(pid)]) as eater:
            until(lambda: not alive(pid), "the kernel")
            eater.wait()
        told = (made / ("memory.oom_control" if "memory" in made.parts else "memory.events")).read_text()
    counted = dict(line.split() for line in told.splitlines())
    assert int(counted["oom_kill"]) >= 1, told
