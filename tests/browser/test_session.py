"""A whole session by clicks: lease, arm, a triangle, capture, campaign, apply, undo, trip, reset, report."""

import csv
import re
from pathlib import Path

import pytest

from hilctl.client import Client, private_service
from tests.browser import clicks

pytestmark = pytest.mark.timeout(400)
NEEDED = ["xr_m", "position_m", "error_m", "u_cmd"]


@pytest.fixture(scope="module")
def service():
    with private_service("table-500") as service:
        yield service


def test_a_session(page, service, tmp_path):
    clicks.take_the_lease(page)
    clicks.arm(page)

    # A capture around the begin of the motion, every sample of it.
    clicks.tab(page, "Scope")
    clicks.choose(page, "when", "passes the level upwards")
    clicks.fill(page, "level", 0.005)
    clicks.fill(page, "before", 0.1)
    clicks.fill(page, "after", 0.4)
    clicks.press(page, "Capture once")
    page.get_by_text("waits for the trigger").wait_for()
    clicks.tab(page, "Run")
    clicks.motion(page, amplitude_m=0.02, speed_m_s=0.1, cycles=2)
    clicks.mode(page, "hold")
    clicks.tab(page, "Scope")
    page.get_by_text(re.compile(r"501 samples of 4 channels around tick \d+, none is missing")).wait_for()
    assert window(page) == "0.5 s"
    with page.expect_download() as saved:
        clicks.press(page, "Save the capture")
    compare_with_fetch(service, Path(saved.value.path()))
    clicks.press(page, "Back to live")
    page.get_by_text("▶ live").wait_for()
    assert window(page) == "10 s"

    # A campaign as a job, its points as they come, its result applied.
    clicks.tab(page, "Friction")
    clicks.fill(page, "budget", 40)
    clicks.fill(page, "speeds", "0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.4")
    page.get_by_role("checkbox", name="apply the result").click()
    clicks.press(page, "Start…", sure="Start")
    page.get_by_text(re.compile(r"friction, running.*s left")).first.wait_for()
    page.get_by_text(re.compile(r"friction, done")).first.wait_for(timeout=200_000)
    page.get_by_text(re.compile(r"fs = .*identified")).wait_for()

    # What was applied stands among the parameters, and can be undone.
    clicks.take_the_lease(page)
    clicks.tab(page, "Parameters")
    page.get_by_label("find a key or a meaning").fill("friction.f")
    page.get_by_text("≠ rig file").first.wait_for()
    clicks.press(page, "Undo the last set…", sure="Undo")
    page.get_by_text(re.compile("Undone: active as epoch")).wait_for()


def window(page):
    """The length of time that the list of windows shows."""
    chosen = page.locator(".q-select", has=page.get_by_role("combobox", name="window"))
    return chosen.locator(".q-field__native").inner_text().strip()


def compare_with_fetch(service, file):
    """The file has what the service has, to the last bit."""
    with file.open() as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 501
    with Client(service.commands, lease="none") as rig:
        found = rig.samples(rig.status()["history"]["first"], channels=["tick", *NEEDED])
    at = {int(tick): place for place, tick in enumerate(found["tick"])}
    for row in rows:
        for name in NEEDED:
            assert float(row[name]) == found[name][at[int(row["tick"])]]
    times = [float(row["time_s"]) for row in rows]
    assert (times[0], times[-1]) == (-0.1, 0.4)
