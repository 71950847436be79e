"""The keeper of the link to the device: reconnects when it is lost, and reports its state. Outside the loop.

A thread of the core, of ordinary priority. While the link is open the driver's state is the loop's, and this thread
only reads the driver's counters; while it is lost (lost.py) the driver is this thread's alone. An attempt is the whole
handshake: open, check against the rig file, arm the device's watchdog. Nothing here arms the rig.
"""

import contextlib
import logging
import threading
import time
from typing import Any

from firmware_bridge.driver import DriverError, complaints
from hilctl.loop.layout import DEVICE_LINK, RELINK
from hilctl.loop.lost import LOST, OPEN
from hilctl.loop.memory import Memory
from hilctl.loop.options import CoreOptions
from hilctl.loop.outside import load, store
from hilctl.loop.voice import Voice
from hilctl.signals import Status

log = logging.getLogger("hilctl.loop")

_LOOK_S, _TELL_S = 0.05, 1.0
_CAUSES = {
    Status.TIMEOUT: "no answer",
    Status.BAD_CHECKSUM: "only damaged answers",
    Status.BAD_REPLY: "only answers that make no sense",
    Status.CLOSED: "the port or connection is gone",
    Status.STALE: "the device repeats an old sample",
}
_ANSWERS = (Status.OK, Status.LATE, Status.OVERWRITTEN)


class Keeper:
    """Keeps one driver's link."""

    def __init__(self, memory: Memory, options: CoreOptions, voice: Voice, name: str) -> None:
        self._memory, self._options, self._voice, self._name = memory, options, voice, name
        self._driver: Any = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hilctl-keeper", daemon=True)
        self._attempts = self._reconnects = 0
        self._reason, self._broken = "", False
        self._open = True

    def start(self, driver: Any) -> None:
        """Watches over a driver that has been opened and armed."""
        self._driver = driver
        self._thread.start()

    def end(self, patience_s: float) -> bool | None:
        """No further attempt. Whether the driver is open; None: an attempt does not return, and has the driver."""
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join(patience_s)
        return None if self._thread.is_alive() else self._open

    def _run(self) -> None:
        told_s = 0.0
        while not self._over.wait(_LOOK_S):
            if load(self._memory.words, DEVICE_LINK) == LOST:
                self._make_anew()
            elif time.monotonic() - told_s >= _TELL_S:
                told_s = time.monotonic()
                self._tell(self._counters())

    def _make_anew(self) -> None:
        lost_s, pause_s, told = time.monotonic(), self._options.reconnect_first_s, set()
        counters = self._counters()
        self._attempts, self._reason = 0, self._why(counters)
        asked = Status(int(self._memory.loop.health.cause)) in _ANSWERS
        self._voice.event("link_lost", driver=self._name, reason=self._reason, asked=asked)
        self._tell(counters)
        with contextlib.suppress(Exception):  # by whatever way is left; the device's watchdog acts in any case
            self._driver.disarm()
        while not self._over.is_set():
            self._attempts += 1
            reason = self._attempt()
            if not reason:
                break
            self._reason = reason
            if reason not in told:
                told.add(reason)
                self._voice.event("link_failed", driver=self._name, attempt=self._attempts, reason=reason)
            self._tell(counters)
            self._pause(pause_s)
            pause_s = min(2 * pause_s, self._options.reconnect_longest_s)
        if self._over.is_set():
            return
        after_s, counters = round(time.monotonic() - lost_s, 3), self._counters()
        self._reconnects += 1
        store(self._memory.words, RELINK, 0)
        store(self._memory.words, DEVICE_LINK, OPEN)
        self._voice.event(
            "link_back", driver=self._name, after_s=after_s, attempts=self._attempts, reason=self._reason,
            detail=counters,
        )  # fmt: skip
        self._attempts, self._reason = 0, ""
        self._tell(counters)

    def _pause(self, pause_s: float) -> None:
        """Until the next attempt; cut short where one is asked for now, or the run is over."""
        while pause_s > 0 and not self._over.wait(min(_LOOK_S, pause_s)) and not load(self._memory.words, RELINK):
            pause_s -= _LOOK_S
        store(self._memory.words, RELINK, 0)

    def _attempt(self) -> str:
        """The whole handshake; why it failed, with the port given back."""
        driver, reason = self._driver, ""
        try:
            driver.close()
            self._open = False
            driver.open()
            self._open = True
            reason = "; ".join(complaints(driver.check()))
            if not reason and not self._over.is_set():
                driver.arm()
            if not reason and self._over.is_set():  # meanwhile: nobody waits for this attempt any more
                reason = "the run is over"
                driver.disarm()
        except DriverError as error:
            reason = str(error)
        except Exception as error:  # a driver's code may raise anything
            reason = f"{type(error).__name__}: {error}"
        if reason:
            with contextlib.suppress(Exception):  # what is wrong is known already
                driver.close()
            self._open = False
        return reason

    def _why(self, counters: dict[str, Any]) -> str:
        """What the loop saw, and what the driver also knows."""
        cause = Status(int(self._memory.loop.health.cause))
        if cause in _ANSWERS:
            return "it was asked to be opened again"
        seen = _CAUSES.get(cause, cause.name.lower())
        if cause != Status.CLOSED:
            seen += f" for {self._options.lost_s:g} s"
        known = "; ".join(_reasons(counters))
        return f"{seen}: {known}" if known else seen

    def _counters(self) -> dict[str, Any]:
        """What the driver counts, where it does."""
        health = getattr(self._driver, "health", None)
        if health is None or self._broken:
            return {}
        try:
            return dict(health())
        except Exception as error:
            self._broken = True
            log.error("driver %s", self._name, exc_info=error)
            return {}

    def _tell(self, counters: dict[str, Any]) -> None:
        self._voice.link(
            attempts=self._attempts, reason=self._reason, reconnects=self._reconnects, detail=counters
        )


def _reasons(counters: dict[str, Any]) -> list[str]:
    """What a driver says of its end; of a driver made of several, what each says."""
    own = [str(counters["reason"])] if counters.get("reason") else []
    parts = ((name, told) for name, told in counters.items() if isinstance(told, dict))
    return own + [f"{name}: {reason}" for name, told in parts for reason in _reasons(told)]
