"""Parts of the core's system tests: the reference rig, a link that is always ended, drivers that misbehave."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from firmware_bridge.driver import DriverError, NullDriver, exchange_signature
from hilctl import rig
from hilctl.law.motions import check_plan, plan
from hilctl.law.requests import REQUEST, RequestKind
from hilctl.loop.link import Link
from hilctl.loop.options import CoreOptions
from hilctl.rt.jit import jit
from hilctl.rt.libc import monotonic_ns, sleep_until_ns
from hilctl.signals import Action, Status
from tests.system.service_parts import ARMS_FAST

HOUSE = Path(__file__).resolve().parents[2]
_LOOK_S = 0.0005  # what is waited for needs the processor too
PATIENCE_S = 120.0  # a cold cache compiles first, on a machine that may be busy


@cache
def table() -> Any:
    """The reference rig, simulated, and quickly armed."""
    return rig.load("table-500", twin=True, changes=ARMS_FAST)


def begin(driver: str = "null", *, late: int = 0, **options: Any) -> Link:
    """A core on its way. `late`: so many missed ticks in a row trip; 0: none do."""
    os.environ["PYTHONPATH"] = os.pathsep.join({str(HOUSE), *os.environ.get("PYTHONPATH", "").split(os.pathsep)} - {""})
    chosen = CoreOptions(**{"service_timeout_s": 20.0, **options})
    facts = table().facts(virtual=chosen.clock == "virtual")._replace(rate_hz=chosen.rate_hz)
    settings = table().settings(1)
    settings.dt_s = 1 / chosen.rate_hz
    if late:
        settings.limits.late.ticks = late
    else:
        settings.limits.late.action = Action.WARN
    config = {"supply": {"rise_s": 0.02}} if driver == "twin" else {}  # up at once
    return Link.start(settings, driver=driver, driver_config=config, facts=facts, options=chosen)


def until(link: Link, condition: Callable[[], Any], *, beat: bool = True, ended: bool = False) -> Any:
    """Waits for a condition, keeping the core alive meanwhile; fails when the core ends, unless that is awaited."""
    give_up_s = time.monotonic() + PATIENCE_S
    while not (seen := condition()):
        assert ended or link.poll() is None, f"the core ended with {link.poll()}: {link.status.messages}"
        assert time.monotonic() < give_up_s, f"waited in vain: {link.status.messages}"
        if beat:
            link.beat()
        time.sleep(_LOOK_S)
    return seen


@contextmanager
def running(driver: str = "null", **options: Any) -> Iterator[Link]:
    """A core that ticks, and that is gone afterwards."""
    link = begin(driver, **options)
    try:
        until(link, lambda: link.status.state == "running")
        yield link
    finally:
        link.stop(20.0)
        link.close()


def end_of(link: Link, *, beat: bool = False) -> int:
    """The exit code of a core that is about to end by itself."""
    until(link, lambda: link.poll() is not None, beat=beat, ended=True)
    return int(link.poll() or 0)


def ask(link: Link, kind: RequestKind, motion: Any = None) -> Any:
    """Asks and waits for the answer."""
    request = np.zeros(1, REQUEST)[0]
    request.kind = kind
    if motion is not None:
        request.motion = motion
    wanted = link.ask(request)
    answers = until(link, link.answers)
    assert [a.id for a in answers] == [wanted]
    return answers[0]


def settled(link: Link, rows: list[Any] | None = None) -> bool:
    """Virtual clock: everything that was asked has taken effect, and all rows are read."""
    got = link.drain(10_000)
    if rows is not None:
        rows.append(got)
    status = link.status
    return bool(status.standing and status.request == link.asked and status.rows == link.rows_read)


def motion(kind: str, number: int = 1, start_m: float = 0.0, **fields: Any) -> Any:
    """A motion of the reference rig."""
    limits = rig.motion_limits(table().controller, table().dt_s)
    made = plan(kind, fields, limits, start_m, number)
    check_plan(made, limits)
    return made.motion


class RaisesInOpen(NullDriver):
    """Its device is not there."""

    def open(self) -> None:
        raise DriverError("no device on this port; check the cable")


class RaisesInCheck(NullDriver):
    """A bug in check."""

    def check(self) -> list[str]:
        raise ZeroDivisionError("a bug in check")


class NotTheRig(NullDriver):
    """Its device is another one than the rig file says."""

    def check(self) -> list[str]:
        return ["firmware 1.2 instead of 1.3", "scale of pressure A differs"]


class RaisesInArm(NullDriver):
    """The watchdog cannot be set."""

    def arm(self) -> None:
        raise OSError("watchdog refused")

    def disarm(self) -> None:
        print("DISARMED", file=sys.stderr, flush=True)

    def close(self) -> None:
        print("CLOSED", file=sys.stderr, flush=True)


class RaisesInClose(RaisesInArm):
    """A bug at the end."""

    def arm(self) -> None:
        pass

    def close(self) -> None:
        print("CLOSED", file=sys.stderr, flush=True)
        raise ValueError("a bug in close")


@jit(exchange_signature, cached=True)
def rt_raise(state: Any, command: Any, readings: Any) -> int:
    """Works for a while, then divides by a shape that is not there."""
    if command.tick > 50:
        raise ValueError("a bug in exchange")
    return Status.OK


class RaisesInExchange(RaisesInClose):
    """Compiled code that raises."""

    def __init__(self, config: Any, facts: Any) -> None:
        super().__init__(config, facts)
        self.exchange = rt_raise

    def close(self) -> None:
        print("CLOSED", file=sys.stderr, flush=True)


@jit(exchange_signature, cached=True)
def rt_hang(state: Any, command: Any, readings: Any) -> int:
    """Returns in time for a while, and then never again."""
    while command.tick > 50:
        sleep_until_ns(monotonic_ns() + 10_000_000)
    return Status.OK


class Hangs(RaisesInExchange):
    """An exchange that does not come back."""

    def __init__(self, config: Any, facts: Any) -> None:
        super().__init__(config, facts)
        self.exchange = rt_hang


class NotCompiled(NullDriver):
    """An exchange in Python."""

    def __init__(self, config: Any, facts: Any) -> None:
        super().__init__(config, facts)
        self.exchange = lambda state, command, readings: 0
