"""`python -m hilctl.bench.page_memory [FRAMES]`: memory of panel and browser over so many frames of the scope.

108 000 are drawn in 53 minutes of a live page; here blocks of a file come twice as fast, on a small page, at the
lowest priority. The ring of samples fills in the first five minutes; what counts is what comes after it. The browser is
looked into once a minute and left alone in between: a debugger that stays keeps something of each frame, 40 MB an hour.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from hilctl.bench.page_from_file import keep
from hilctl.bench.panel_page import panel, ready_s, show
from hilctl.client import Client, private_service
from hilctl.errors import HilctlError
from hilctl.panel.browser import executable

FRAMES, SPEED = 108_000, 2.0
_SIZE = "900,500"
_COUNTS = "[hilctl.frames, performance.memory.usedJSHeapSize]"
_FILLED = 0.3  # of the frames: from then on memory is looked at
_LOOK_S = 60.0
_STARTS_S = 30.0


def run(frames: int) -> dict[str, float]:
    """Memory in MB when it was full, and at the end; the straight line through it, in MB an hour."""
    with TemporaryDirectory(prefix="hilctl-bench-") as name, contextlib.ExitStack() as stack:
        with private_service("table-500", clock="real") as service, Client(service.commands, lease="none") as rig:
            blocks = keep(rig, Path(name) / "blocks.bin", 3.0)
        served = stack.enter_context(panel(["-m", "hilctl.bench.page_from_file", str(blocks), str(SPEED)]))
        browser = stack.enter_context(_alone(Path(name) / "profile"))

        def begin(page: Any) -> None:
            ready_s(page, served.url)
            show(page)

        _into(browser, begin)
        begun_s = time.monotonic()
        seen: list[tuple[float, float, float, float, float]] = []
        while not seen or seen[-1][1] < frames:
            time.sleep(_LOOK_S)
            memory = _mb(served.pid), sum(map(_mb, _below(os.getpid(), "chrom")))
            count, heap = _into(browser, lambda page: page.evaluate(_COUNTS))
            seen.append((time.monotonic() - begun_s, count, *memory, 1e-6 * heap))
            print(" ".join(f"{value:.1f}" for value in seen[-1]), file=sys.stderr, flush=True)
    table = np.array(seen)
    late = table[table[:, 1] >= _FILLED * frames]
    found = {"frames": float(table[-1, 1]), "frames_per_s": float(table[-1, 1] / table[-1, 0])}
    for column, what in ((2, "panel"), (3, "browser"), (4, "browser_heap")):
        slope = 3600 * float(np.polyfit(late[:, 0], late[:, column], 1)[0]) if len(late) > 1 else float("nan")
        found |= {f"{what}_full_mb": float(late[0, column]), f"{what}_end_mb": float(late[-1, column]),
                  f"{what}_mb_per_h": slope}  # fmt: skip
    return found


@contextlib.contextmanager
def _alone(profile: Path) -> Iterator[str]:
    """A browser that nothing looks into; where it can be asked."""
    path = executable()
    if path is None:
        raise HilctlError("no Chromium is installed", remedy="apt-get install chromium")
    words = ("--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}",
             f"--window-size={_SIZE}", "about:blank")  # fmt: skip
    with subprocess.Popen([path, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until_s, file = time.monotonic() + _STARTS_S, profile / "DevToolsActivePort"
            while not (file.exists() and file.read_text().count("\n")):
                if time.monotonic() > until_s or process.poll() is not None:
                    raise HilctlError("the browser has not started")
                time.sleep(0.1)
            yield f"http://127.0.0.1:{file.read_text().split()[0]}"
        finally:
            process.terminate()


def _into(browser: str, do: Callable[[Any], Any]) -> Any:
    """Asks its page something, and leaves it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return do(playwright.chromium.connect_over_cdp(browser).contexts[0].pages[0])


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
