"""A real browser against a real panel of a real service: each file has its own service and panel."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hilctl.client import Client
from hilctl.panel.browser import executable
from tests.browser import clicks

CHROMIUM = executable()
ROOT = Path(__file__).resolve().parents[2]
_STARTS_S = 60.0


class Panel:
    """A process of `hilctl panel`."""

    def __init__(self, connect, folder, *words):
        own = {"PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "hilctl", "panel", "--connect", connect, "--port", "0", *words]
        self.log = folder / "panel.log"
        environment = {k: v for k, v in {**os.environ, **own}.items() if k != "PYTEST_CURRENT_TEST"}  # NiceGUI heeds it
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log)
        self.url = self._url()

    def _url(self):
        until_s = time.monotonic() + _STARTS_S
        line = b""
        while time.monotonic() < until_s:
            if select.select([self.process.stdout], [], [], 0.2)[0]:
                line += os.read(self.process.stdout.fileno(), 4096)
            if found := re.search(rb"(https?://\S+)\n", line):
                return found[1].decode()
            if self.process.poll() is not None:
                break
        raise AssertionError(f"no page: {line!r}\n{self.log.read_text()}")

    def end(self):
        """In order; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(30.0)
        self.process.stdout.close()
        return code


@pytest.fixture(scope="module")  # no longer: while Playwright runs, no other event loop does in this thread
def chromium():
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt-get install chromium")
    api = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install playwright")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def serving():
    """Starts panels, and ends them."""
    started = []

    def start(connect, folder, *words):
        started.append(Panel(connect, folder, *words))
        return started[-1]

    yield start
    for panel in started:
        panel.end()


@pytest.fixture
def open_page(chromium):
    """Opens pages, each in a browser's profile of its own; none may have had an error in its script."""
    contexts, errors = [], []

    def open_one(url, **options):
        context = chromium.new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True, **options)
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture(scope="module")
def panel(service, serving, tmp_path_factory):
    """Of the file's own service."""
    return serving(service.commands, tmp_path_factory.mktemp("panel"))


@pytest.fixture
def rig(service):
    """Somebody else."""
    with Client(service.commands, lease="none") as rig:
        yield rig


@pytest.fixture
def page(rig, panel, open_page):
    return clicks.opened(open_page(panel.url))
