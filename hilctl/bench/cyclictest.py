"""cyclictest, the yardstick of real-time Linux: wake-ups at the loop's rate and priority."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError

PRIORITY = 80  # the loop's
_LONGEST_US = 1_000_000  # of its histogram, which counts whole microseconds; of what is longer it tells the longest
_SAID, _FOUND = "said", "found.json"


@dataclass(frozen=True)
class Yardstick:
    """One run of it, until its loops have been made."""

    process: "subprocess.Popen[bytes]"
    period_us: int
    at: Path

    def running(self) -> bool:
        """Whether it still measures."""
        return self.process.poll() is None

    def histogram(self) -> npt.NDArray[np.int64]:
        """Latencies in microseconds, and how often each came; waits for the end."""
        code = self.process.wait()
        if code != 0:
            said = (self.at / _SAID).read_text(encoding="utf-8", errors="replace")
            raise HilctlError(f"cyclictest failed: {said.strip()}")
        try:
            thread = json.loads((self.at / _FOUND).read_text(encoding="utf-8"))["thread"]["0"]
            return histogram(thread)
        except (OSError, ValueError, KeyError) as problem:
            raise HilctlError("cyclictest gave no histogram") from problem

    def late_share(self, latest_us: float) -> float:
        """The share of due wake-ups that came later than that, or never."""
        return late_share(self.histogram(), self.period_us, latest_us)


def histogram(thread: dict[str, Any]) -> npt.NDArray[np.int64]:
    """Of what it found of a thread. What was longer than its histogram counts as that, but the longest as it was."""
    counts = {int(latency): int(count) for latency, count in thread["histogram"].items()}
    beyond = int(thread["cycles"]) - sum(counts.values())
    if beyond > 0:
        counts |= {_LONGEST_US: beyond - 1, max(int(thread["max"]), _LONGEST_US + 1): 1}
    if not any(counts.values()):
        raise ValueError("it made no loops")
    return np.array(list(counts.items()), np.int64)


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
        raise HilctlError("cyclictest is not installed; it comes with the package rt-tests")
    period_us = 1_000_000 // rate_hz
    command = [
        "cyclictest", "--quiet", "--mlockall", "--policy=fifo", f"--priority={PRIORITY}", f"--interval={period_us}",
        f"--loops={int(rate_hz * seconds)}", f"--histogram={_LONGEST_US}", "--histfile=/dev/null", f"--json={_FOUND}",
        *([] if cpu is None else [f"--affinity={cpu}"]),
    ]  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="hilctl-bench-") as name:
        at = Path(name)
        with (at / _SAID).open("wb") as said, subprocess.Popen(command, stdout=said, stderr=said, cwd=at) as process:
            try:
                yield Yardstick(process, period_us, at)
            finally:
                if process.poll() is None:
                    process.terminate()
