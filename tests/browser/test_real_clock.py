"""On the real clock: stop by click, by key, and without the page's own line; a browser that goes in mid-motion."""

import os
import re
import signal
from contextlib import suppress
from itertools import chain
from pathlib import Path

import pytest

from hilctl.client import private_service
from tests.browser import clicks
from tests.system.service_parts import ARMS_FAST, LATE_HOST, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def service():
    with private_service("table-500", clock="real", changes={**LATE_HOST, **ARMS_FAST}) as service:
        yield service


def without_a_trip(page, rig):
    """The lease is the page's, and what a test before has left is reset."""
    if "yours" not in clicks.status(page, "Lease").inner_text():
        clicks.take_the_lease(page)
    if rig.status()["trip"]:
        until(lambda: rig.status()["mode"] in ("hold", "off"), "rest")
        clicks.press(page, "Reset the trip")
        until(lambda: not rig.status()["trip"], "the reset")


def moving(page, rig):
    """A motion without end."""
    without_a_trip(page, rig)
    if rig.status()["mode"] == "off":
        clicks.arm(page)
    clicks.tab(page, "Run")
    clicks.motion(page, amplitude_m=0.005, speed_m_s=0.02)
    clicks.mode(page, "track")


@pytest.mark.parametrize("way", ["click", "key", "key in a question", "line cut"])
def test_stop_is_always_in_reach(page, rig, way):
    moving(page, rig)
    if way == "click":
        page.get_by_role("button", name="Stop").click()
    elif way == "key":
        clicks.tab(page, "Parameters")
        page.get_by_label("find a key or a meaning").press("Escape")
    elif way == "key in a question":
        clicks.press(page, "Off…")
        page.keyboard.press("Escape")
    else:
        page.evaluate("() => { hilctl.connected = false; }")
        page.keyboard.press("Escape")
    clicks.mode(page, "hold")
    stops = [event for event in rig.events() if event["kind"] == "mode" and event["mode"] == "stop"]
    assert stops
    assert rig.status()["trip"] is None
    if way == "key in a question":
        assert page.get_by_role("dialog").is_visible()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    clicks.press(page, "Give it back")


def test_a_browser_that_goes_while_the_table_moves_stops_it_as_the_rig_file_says(panel, open_page, rig):
    page = clicks.opened(open_page(panel.url))
    moving(page, rig)
    page.context.close()
    trip = until(lambda: rig.status()["trip"], "the trip")
    assert trip["name"] == "lease_lost"


def test_every_sample_of_a_capture_is_there(page, rig):
    """On a host that is late now and then: what the loop missed is said, nothing else is missing."""
    without_a_trip(page, rig)
    clicks.tab(page, "Scope")
    clicks.choose(page, "when", "an event comes")
    clicks.fill(page, "before", 0.5)
    clicks.fill(page, "after", 1.0)
    clicks.press(page, "Capture once")
    page.get_by_text("waits for the trigger").wait_for()
    if rig.status()["mode"] == "off":
        clicks.arm(page)
    else:
        clicks.tab(page, "Run")
        clicks.press(page, "Off…", sure="Switch off")
        clicks.mode(page, "off")
    clicks.tab(page, "Scope")
    said = page.get_by_text(re.compile(r"\d+ samples of 4 channels"))
    said.wait_for()
    ran, missed = re.search(r"(\d+) samples.*?(?:(\d+) ticks were missed|none is missing)", said.inner_text()).groups()
    assert int(ran) + int(missed or 0) == 1501
    tick = int(re.search(r"around tick (\d+)", said.inner_text())[1])
    first, last = tick - 500, tick + 1000
    history = rig.status()["history"]
    ticks = rig.samples(history["first"], channels=["tick"])["tick"]
    assert int(ran) == ((ticks >= first) & (ticks <= last)).sum()


@pytest.mark.parametrize("which", ["chrom", "--type=renderer"])
def test_a_computer_that_sleeps_or_a_page_that_hangs_loses_the_lease(page, rig, which):
    """Processes of the browser stand still: no connection is closed, but nothing answers. Then they go on."""
    clicks.take_the_lease(page)
    until(lambda: rig.status()["lease"], "the lease")
    own = descendants(os.getpid(), which)
    assert own
    try:
        for pid in own:
            os.kill(pid, signal.SIGSTOP)
        until(lambda: rig.status()["lease"] is None, "the loss of the lease")
    finally:
        for pid in own:
            os.kill(pid, signal.SIGCONT)
    page.get_by_role("alert").filter(has_text="The lease was lost").wait_for()
    clicks.status(page, "Lease").filter(has_text="free").wait_for()


def descendants(pid, name):
    """Processes below this one whose command has the name."""
    found = []
    children = [file.read_text().split() for file in Path(f"/proc/{pid}/task").glob("*/children")]
    for child in chain(*children):
        with suppress(OSError):
            if name in Path(f"/proc/{child}/cmdline").read_text():
                found.append(int(child))
            found += descendants(int(child), name)
    return found
