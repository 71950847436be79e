"""cyclictest, the yardstick of real-time Linux: wake-ups at the loop's rate and priority."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import numpy as np
import numpy.typing as npt

PRIORITY = 80  # the loop's
_LONGEST_US = 100_000  # of its histogram, which counts whole microseconds; what is longer it leaves out


class CyclictestError(Exception):
    """Nothing can be compared. The message says why."""


@dataclass(frozen=True)
class Yardstick:
    """One run of it, until its loops have been made."""

    process: "subprocess.Popen[bytes]"
    period_us: int
    _said: IO[bytes]

    def running(self) -> bool:
        """Whether it still measures."""
        return self.process.poll() is None

    def histogram(self) -> npt.NDArray[np.int64]:
        """Latencies in microseconds, and how often each came; waits for the end."""
        code = self.process.wait()
        self._said.seek(0)
        said = self._said.read().decode()
        if code != 0:
            raise CyclictestError(f"cyclictest failed: {said.strip()}")
        lines = (line.split() for line in said.splitlines() if line[:1].isdigit())
        rows = np.array([[int(x) for x in line[:2]] for line in lines if len(line) >= 2], np.int64)
        if not len(rows) or not rows[:, 1].any():
            raise CyclictestError("cyclictest gave no histogram")
        return rows

    def late_share(self, latest_us: float) -> float:
        """The share of due wake-ups that came later than that, or never."""
        return late_share(self.histogram(), self.period_us, latest_us)


def late_share(histogram: npt.NDArray[np.int64], period_us: int, latest_us: float) -> float:
    """The share of due wake-ups that came later than that, or never.

    After a stall cyclictest skips the wake-ups that fell due meanwhile and counts one; a loop misses each of them.
    """
    latency, count = histogram.T
    late = np.ceil(np.maximum(latency - latest_us, 0) / period_us)
    return float(np.sum(late * count) / np.sum((1 + latency // period_us) * count))


@contextmanager
def cyclictest(rate_hz: int, seconds: float, cpu: int | None = None) -> Iterator[Yardstick]:
    """One run of it, beside what is done meanwhile; on one processor, where that is named."""
    if shutil.which("cyclictest") is None:
        raise CyclictestError("cyclictest is not installed; it comes with the package rt-tests")
    period_us = 1_000_000 // rate_hz
    command = [
        "cyclictest", "--quiet", "--mlockall", "--policy=fifo", f"--priority={PRIORITY}", f"--interval={period_us}",
        f"--loops={int(rate_hz * seconds)}", f"--histogram={_LONGEST_US}",
        *([] if cpu is None else [f"--affinity={cpu}"]),
    ]  # fmt: skip
    with tempfile.TemporaryFile() as said, subprocess.Popen(command, stdout=said, stderr=said) as process:
        try:
            yield Yardstick(process, period_us, said)
        finally:
            if process.poll() is None:
                process.terminate()
