"""A capture on the operator's page at 10 kHz, triggered by a trip: whether every sample is there, and how soon.

`python -m hilctl.bench.page_capture [SECONDS]` measures it alone; half of the time is before the trip.
"""

import json
import re
import sys
from typing import Any

from hilctl.bench.panel_page import opened, panel, show
from hilctl.client import Client, private_service
from hilctl.panel.browser import chromium

RATE_HZ = 10_000
_SAID = r"● (\d+) samples of (\d+) channels around tick (\d+)(?:, (\d+) ticks were missed|, none is missing)"
_PATIENCE_MS = 60_000


def captured(browser: Any, seconds: float) -> dict[str, float]:
    """Samples; those that the service has and the page has not; seconds from the last until the page has all."""
    changes = {"loop.rate_hz": RATE_HZ, "limits.late.ticks": 100_000, "service.history_s": 4 * seconds + 20}
    with (
        private_service("table-500", clock="real", changes=changes) as service,
        panel(["-m", "hilctl", "panel", "--connect", service.commands, "--port", "0"]) as served,
        Client(service.commands, lease="none") as rig,
    ):
        page = opened(browser, served.url)
        show(page, seconds)
        rig.take()
        rig.arm()
        _wait_for_trip(page, seconds)
        rig.track("sine", amplitude_m=0.01, frequency_hz=1.0, soft_start_s=0.2)
        rig.pass_time(seconds / 2 + 0.5)
        rig.set({"limits.tracking_error.max_m": 1e-5, "limits.tracking_error.action": "null"})
        said = page.get_by_text(re.compile(_SAID))
        said.wait_for(timeout=_PATIENCE_MS)
        there_ms = page.evaluate("performance.timeOrigin + performance.now()")
        found = re.search(_SAID, said.inner_text())
        assert found is not None
        ran, channels, tick, _ = (int(one or 0) for one in found.groups())
        wall = rig.status()["wall"]
        half = round(seconds / 2 * RATE_HZ)
        ticks = rig.samples(rig.status()["history"]["first"], channels=["tick"])["tick"]
        held = int(((ticks >= tick - half) & (ticks <= tick + half)).sum())  # the loop may have missed some ticks
        end_ms = 1e-6 * (wall["tick0_ns"] + wall["offset_ns"] + (tick + half) * wall["period_ns"])
        page.context.close()
    return {"capture_samples": ran, "capture_lost": held - ran, "capture_channels": channels,
            "capture_ready_s": 1e-3 * (there_ms - end_ms)}  # fmt: skip


def _wait_for_trip(page: Any, seconds: float) -> None:
    page.get_by_role("combobox", name="when", exact=True).click()
    page.get_by_role("option", name="the rig trips", exact=True).click()
    for name in ("before", "after"):
        page.get_by_label(name, exact=True).fill(f"{seconds / 2:g}")
    page.get_by_role("button", name="Capture once").click()
    page.get_by_text("waits for the trigger").wait_for()


if __name__ == "__main__":
    with chromium() as one:
        print(json.dumps(captured(one, float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)))
