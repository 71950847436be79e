"""`python -m hilctl.bench.page_memory [FRAMES]`: memory of panel and browser over so many frames of the scope.

108 000 are drawn in 53 minutes of a live page; here blocks of a file come twice as fast, on a small page, at the
lowest priority. The ring of samples fills in the first five minutes; what counts is what comes after it.
"""

import contextlib
import json
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from hilctl.bench.page_from_file import keep
from hilctl.bench.panel_page import opened, panel, show
from hilctl.client import Client, private_service
from hilctl.panel.browser import chromium

FRAMES, SPEED = 108_000, 2.0
_FILLED = 0.3  # of the frames: from then on memory is looked at
_LOOK_S = 20.0


def run(frames: int) -> dict[str, float]:
    """Memory in MB when it was full, and at the end; the straight line through it, in MB an hour."""
    with TemporaryDirectory(prefix="hilctl-bench-") as name, contextlib.ExitStack() as stack:
        with private_service("table-500", clock="real") as service, Client(service.commands, lease="none") as rig:
            blocks = keep(rig, Path(name) / "blocks.bin", 3.0)
        served = stack.enter_context(panel(["-m", "hilctl.bench.page_from_file", str(blocks), str(SPEED)]))
        page = opened(stack.enter_context(chromium()), served.url)
        show(page)
        page.set_viewport_size({"width": 480, "height": 320})
        begun_s = time.monotonic()
        seen: list[tuple[float, float, float, float, float]] = []
        while not seen or seen[-1][1] < frames:
            time.sleep(_LOOK_S)
            heap = page.evaluate("performance.memory.usedJSHeapSize")
            seen.append((time.monotonic() - begun_s, page.evaluate("hilctl.frames"), _mb(served.pid),
                         sum(map(_mb, _below(os.getpid(), "chrom"))), 1e-6 * heap))  # fmt: skip
            print(" ".join(f"{value:.1f}" for value in seen[-1]), file=sys.stderr, flush=True)
    table = np.array(seen)
    late = table[table[:, 1] >= _FILLED * frames]
    found = {"frames": float(table[-1, 1]), "frames_per_s": float(table[-1, 1] / table[-1, 0])}
    for column, what in ((2, "panel"), (3, "browser"), (4, "browser_heap")):
        slope = 3600 * float(np.polyfit(late[:, 0], late[:, column], 1)[0]) if len(late) > 1 else float("nan")
        found |= {f"{what}_full_mb": float(late[0, column]), f"{what}_end_mb": float(late[-1, column]),
                  f"{what}_mb_per_h": slope}  # fmt: skip
    return found


def _mb(pid: int) -> float:
    """Memory that is its own, in MB; 0 of a process that has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Private_Dirty:"):
                return 1e-3 * float(line.split()[1])
    return 0.0


def _below(pid: int, name: str) -> list[int]:
    """Processes below this one whose command has the name."""
    found = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, file.read_text().split()):
            with contextlib.suppress(OSError):
                if name in Path(f"/proc/{child}/cmdline").read_text():
                    found.append(child)
                found += _below(child, name)
    return found


if __name__ == "__main__":
    os.nice(10)
    print(json.dumps(run(int(sys.argv[1]) if len(sys.argv) > 1 else FRAMES)))
