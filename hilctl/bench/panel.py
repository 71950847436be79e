"""The operator's page in a real browser: frames, latency, what the panel takes, and what the browser does to the loop.

A page is ready when it shows the mode, offers the lease and has its own line: from its address on, in a browser that
runs and has cached nothing. The scope shows eight traces of a window of 1000 columns. Latency counts from the time of
the newest sample of a frame until the browser has drawn it; `stop` from the click until the loop has it. On two cores a
browser alone disturbs the loop. What the page adds is therefore held against the same browser that shows the same page,
fed by blocks of a file, by a panel that has no service: the ratio is of the wake-up latencies' 99th percentiles in
turns.
"""

import contextlib
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from hilctl.bench.page_capture import captured
from hilctl.bench.page_from_file import keep
from hilctl.bench.panel_page import TRACES, blank, opened, panel, ready_s, show
from hilctl.bench.telemetry import cpu_s
from hilctl.client import Client, private_service
from hilctl.errors import HilctlError
from hilctl.panel.browser import chromium

_RIG = "table-500"
_PAINTS = "() => { hilctl.painted = []; }"


def run(quick: bool) -> dict[str, Any]:
    """Frames a second, milliseconds, shares of a core; the ratio of the loop's p99."""
    seconds, stops, rounds, capture_s = (3.0, 4, 1, 1.0) if quick else (20.0, 60, 8, 10.0)
    with TemporaryDirectory(prefix="hilctl-bench-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        changes = {"limits.late.ticks": 100_000, "service.history_s": 20.0, "service.burst": 4000}
        service = stack.enter_context(private_service(_RIG, clock="real", changes=changes))
        rig = stack.enter_context(Client(service.commands, lease="none"))
        blocks = keep(rig, folder / "blocks.bin", 3.0)
        live = stack.enter_context(panel(["-m", "hilctl", "panel", "--connect", service.commands, "--port", "0"]))
        still = stack.enter_context(panel(["-m", "hilctl.bench.page_from_file", str(blocks)]))
        browser = stack.enter_context(chromium())
        page = blank(browser)
        figures = {"ready_s": ready_s(page, live.url)}
        show(page)
        figures |= {"traces": len(TRACES), **_drawn(page, rig, live.pid, seconds)}
        figures |= _stopped(page, rig, stops)
        page.context.close()
        wakes = [_wakes(browser, rig, urls, seconds / 2) for urls in [(live.url, still.url)] * rounds]
    with chromium() as browser:
        figures |= captured(browser, capture_s)
    figures |= {"wake_p99_us": statistics.median(one for one, _ in wakes),
                "wake_p99_from_file_us": statistics.median(other for _, other in wakes)}  # fmt: skip
    ratio = statistics.median(one / other for one, other in wakes)
    return {"bench": "panel", "figures": figures, "ratio": {"wake_p99": ratio}}


def _drawn(page: Any, rig: Client, pid: int, seconds: float) -> dict[str, float]:
    """Over some seconds: frames, their latency, the panel's processor time."""
    page.evaluate(_PAINTS)
    before_s, begun_s = cpu_s(pid), time.monotonic()
    time.sleep(seconds)
    took_s, share = time.monotonic() - begun_s, cpu_s(pid) - before_s
    painted = np.array(page.evaluate("() => hilctl.painted"))
    wall = rig.status()["wall"]
    sampled_ms = 1e-6 * (wall["tick0_ns"] + wall["offset_ns"] + (painted[:, 1] - 1) * wall["period_ns"])
    late_ms = painted[:, 0] - sampled_ms
    p50, p95 = np.percentile(late_ms, (50, 95))
    return {"frames_per_s": len(painted) / took_s, "latency_p50_ms": float(p50), "latency_p95_ms": float(p95),
            "server_percent": 100 * share / took_s}  # fmt: skip


def _stopped(page: Any, rig: Client, count: int) -> dict[str, float]:
    """From the click to the command in the loop, as its event says."""
    late_ms = []
    rig.take()
    rig.arm()
    for _ in range(count):
        motion = rig.track("sine", amplitude_m=0.005, frequency_hz=1.0, soft_start_s=0.2)
        first = rig.status()["events"]
        page.get_by_role("button", name="Stop").click()
        clicked_ms = page.evaluate("() => hilctl.stopped_ms")
        rig.wait(motion)
        stop = next(event for event in rig.events(first) if event["kind"] == "mode" and event["mode"] == "stop")
        late_ms.append(1e-6 * stop["time_ns"] - clicked_ms)
    rig.off()
    rig.release()
    return {"stop_p50_ms": float(np.median(late_ms)), "stop_p95_ms": float(np.percentile(late_ms, 95)), "stops": count}


def _wakes(browser: Any, rig: Client, urls: tuple[str, str], seconds: float) -> tuple[float, float]:
    """99th percentiles of the wake-up latency in µs while the browser shows each page."""
    found = []
    for url in urls:
        page = opened(browser, url)
        show(page)
        first = rig.status()["history"]["end"]
        time.sleep(seconds)
        last = rig.status()["history"]["end"] - 1
        found.append(1e-3 * float(np.percentile(rig.samples(first, last, ["wake_ns"])["wake_ns"], 99)))
        page.context.close()
    if not min(found) > 0:
        raise HilctlError("the wake-up latency was not measured")
    return found[0], found[1]
