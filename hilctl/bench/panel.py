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
from hilctl.bench.waking import wake_p99_us
from hilctl.client import Client, private_service
from hilctl.panel.browser import chromium

_RIG = "table-500"
_RATES_HZ = (1000.0, 5000.0)
_PATIENT = {"limits.late.ticks": 100_000, "service.history_s": 20.0, "service.burst": 4000}
_PANEL = ["-m", "hilctl", "panel", "--port", "0", "--connect"]
_FROM_FILE = ["-m", "hilctl.bench.page_from_file"]
_PAINTS = "() => { hilctl.painted = []; }"


def run(quick: bool) -> dict[str, Any]:
    """Frames a second, milliseconds, shares of a core; the ratio of the loop's p99."""
    seconds, stops, rounds, capture_s = (3.0, 4, 1, 1.0) if quick else (20.0, 60, 8, 10.0)
    ratio: dict[str, float] = {}
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(private_service(_RIG, clock="real", changes=_PATIENT))
        rig = stack.enter_context(Client(service.commands, lease="none"))
        live = stack.enter_context(panel([*_PANEL, service.commands]))
        browser = stack.enter_context(chromium())
        page = blank(browser)
        figures = {"ready_s": ready_s(page, live.url)}
        show(page)
        figures |= {"traces": len(TRACES), **_drawn(page, rig, live.pid, seconds)}
        figures |= _stopped(page, rig, stops)
        page.context.close()
    with chromium() as browser:
        for rate_hz in _RATES_HZ[:rounds]:
            more, compared = _beside(browser, rate_hz, seconds / 2, rounds)
            figures, ratio = {**figures, **more}, {**ratio, **compared}
        figures |= captured(browser, capture_s)
    return {"bench": "panel", "figures": figures, "ratio": ratio}


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


def _beside(browser: Any, rate_hz: float, seconds: float, rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """The loop's wake-up latency, in µs, while the browser shows each page in turn; and their ratio."""
    changes = {**_PATIENT, "loop.rate_hz": rate_hz}
    with (
        TemporaryDirectory(prefix="hilctl-bench-") as name,
        private_service(_RIG, clock="real", changes=changes) as service,
        Client(service.commands, lease="none") as rig,
        panel([*_PANEL, service.commands]) as live,
        panel([*_FROM_FILE, str(keep(rig, Path(name) / "blocks.bin", 3.0))]) as still,
    ):
        wakes = [tuple(_wake(browser, rig, one.url, seconds) for one in (live, still)) for _ in range(rounds)]
    at = f"{1e-3 * rate_hz:g}_khz"
    figures = {f"wake_p99_us_{at}{name}": statistics.median(pair[k] for pair in wakes)
               for k, name in enumerate(("", "_from_file"))}  # fmt: skip
    return figures, {f"wake_p99_{at}": statistics.median(live / still for live, still in wakes)}


def _wake(browser: Any, rig: Client, url: str, seconds: float) -> float:
    page = opened(browser, url)
    show(page)
    try:
        return wake_p99_us(rig, seconds)
    finally:
        page.context.close()
