"""What the benchmarks of the operator's page share: a panel's process, a page that is ready, its scope."""

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from hilctl.errors import HilctlError

TRACES = ("xr_m", "position_m", "error_m", "velocity_m_s", "vr_m_s", "load_pressure_pa", "friction_n", "u_cmd")
_STARTS_S = 60.0
_READY = "() => document.querySelector('canvas.hil-scope') && hilctl.drawn > 5"


class Served:
    """A running panel."""

    def __init__(self, process: "subprocess.Popen[bytes]", url: str) -> None:
        self.pid, self.url = process.pid, url


@contextlib.contextmanager
def panel(words: list[str]) -> Iterator[Served]:
    """A process that serves the page, until the block ends."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, env=environment) as process:
        try:
            yield Served(process, _address(process))
        finally:
            process.send_signal(signal.SIGINT)


def _address(process: "subprocess.Popen[bytes]") -> str:
    until_s, text = time.monotonic() + _STARTS_S, b""
    assert process.stdout is not None
    while time.monotonic() < until_s and process.poll() is None:
        if select.select([process.stdout], [], [], 0.2)[0]:
            text += os.read(process.stdout.fileno(), 4096)
        if found := re.search(rb"(http://\S+)\n", text):
            return found[1].decode()
    raise HilctlError("the panel has not started")


def opened(browser: Any, url: str) -> Any:
    """A page that is ready."""
    page = blank(browser)
    ready_s(page, url)
    return page


def blank(browser: Any) -> Any:
    """An empty page in a profile of its own, without a cache."""
    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.goto("about:blank")
    return page


def ready_s(page: Any, url: str) -> float:
    """How long it takes until it shows the mode, offers the lease, and has its own line."""
    begun_s = time.monotonic()
    page.goto(url)
    page.get_by_role("status", name="Mode").filter(has_text=re.compile("OFF|HOLD|TRACK")).wait_for()
    page.get_by_role("button", name=re.compile("Take the lease")).wait_for()
    page.wait_for_function("() => hilctl.connected")
    return time.monotonic() - begun_s


def show(page: Any, window_s: float = 1.0) -> None:
    """The scope, with all traces; of a second at 1 kHz one column a sample."""
    page.get_by_role("tab", name="Scope").click()
    page.wait_for_function(_READY)
    page.evaluate("asked => hilctl.socket.send(JSON.stringify(asked))", {"show": list(TRACES), "window": window_s})
    page.wait_for_function("count => hilctl.scope.about?.channels.length === count", arg=len(TRACES))
