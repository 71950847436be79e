"""One run of everything in this process: service, core and rig, on one virtual clock, which also counts leases' time.

Nothing here is a stand-in but the clock on the wall: `assemble` puts the service together, requests come through its
socket, the loop is `rt_run` on its thread. Time passes only in `advance`, to the tick: the loop waits for whoever holds
rows, and each time the rows up to the wanted tick are let go.
"""

import itertools
import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import zmq

from hilctl.access.token import own_token, token_path
from hilctl.loop import inprocess, keeper
from hilctl.loop.layout import DEVICE_LINK, ROWS
from hilctl.loop.lost import LOST
from hilctl.loop.ring import WRITTEN
from hilctl.params import BadValues
from hilctl.rig import refuse_unstable
from hilctl.service import assemble as assembling
from hilctl.service import store
from hilctl.service.app import App
from hilctl.signals import Mode, Trip
from tests.invariants.driver import FOREVER, FaultyTwin
from tests.invariants.rigs import load

CHUNK = 250  # ticks between two cycles of the service
_PATIENCE_S = 60.0
_QUICK = {"reconnect_first_s": 0.001, "reconnect_longest_s": 0.001, "hold_rows": 1, "service_timeout_s": 0.0}


class Stuck(Exception):
    """The program does not come on: nothing answers, or the core has gone."""


class RigTime:
    """The module `time` for the service, with the rig's time for the monotonic clock."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        """Seconds of the rig's time."""
        return self.now_s

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)


class Inline(Executor):
    """Plans and judges at once: a run must not depend on when a thread has its turn."""

    def submit(self, what: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        try:
            done.set_result(what(*args, **kwargs))
        except Exception as error:  # belongs to whoever asks for the result
            done.set_exception(error)
        return done


_context = zmq.Context.instance(io_threads=1)
_numbers = itertools.count()
_clock = RigTime()


@contextmanager
def on_rig_time() -> Iterator[None]:
    """Within, the service's modules count the rig's time, and what would only cost time is spared."""
    modules = [m for name, m in list(sys.modules.items()) if name.startswith("hilctl.service.")]
    clocked = [module for module in modules if getattr(module, "time", None) is time]
    log, looks_s = logging.getLogger("hilctl"), keeper._LOOK_S
    level = log.level
    for module in clocked:
        setattr(module, "time", _clock)  # noqa: B010
    keeper._LOOK_S, store.refuse_unstable = 0.0005, _remembered
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for module in clocked:
            setattr(module, "time", time)  # noqa: B010
        keeper._LOOK_S, store.refuse_unstable = looks_s, refuse_unstable
        log.setLevel(level)


def _remembered(rig: Any) -> None:
    """The judgement over a set of gains, which takes milliseconds, once for each."""
    key = repr((rig.tables.machine, rig.tables.sensors, rig.tables.law, rig.friction))
    if key not in _judged:
        try:
            refuse_unstable(rig)
            _judged[key] = None
        except BadValues as bad:
            _judged[key] = bad
    bad = _judged[key]
    if bad is not None:
        raise bad


_judged: dict[str, BadValues | None] = {}


class Session:
    """A run from its start to its orderly end."""

    def __init__(self, rig: str, runtime: Path) -> None:
        assert store.refuse_unstable is _remembered, "sessions run within on_rig_time()"
        _clock.now_s = 0.0
        self.rig = load(rig)
        self.period_s = self.rig.dt_s
        facts = self.rig.facts(virtual=True)
        self.device = FaultyTwin(self.rig.driver_config, facts)
        options = assembling.core_options(self.rig, virtual=True)._replace(**_QUICK)
        self.link = inprocess.start(self.rig.settings(), driver=self.device, facts=facts, options=options)
        self._words = self.link.memory.words
        self._until(lambda: self._words[ROWS + WRITTEN] == 1)
        self.link.held(0)
        self.link.run_until(FOREVER)
        self._let = 1
        self.service, self.desk, self.telemetry = assembling.assemble(
            _context, self.rig, self.link, runtime, "soak", virtual=True, recordings=runtime, state=runtime
        )
        self.service.planning.planner = self.service.planning.checker = Inline()
        self.app = App(self.service, self.desk, self.telemetry)
        self._door = f"inproc://soak-{next(_numbers)}"
        self.desk.socket.bind(self._door)
        self._sockets: dict[str, Any] = {}
        self._ids = itertools.count(1)
        self._waiting: dict[int, dict[str, Any]] = {}
        self.rows: list[Any] = []
        self.truth: list[Any] = []
        self.leases: list[tuple[int, bool]] = []  # from each tick on: whether somebody holds the lease and is heard
        self._taken = 0
        self.advance(1)  # before the first readings the loop takes no requests

    # time

    @property
    def tick(self) -> int:
        """The newest tick that has run."""
        return int(self.service.watch.tick)

    def advance(self, ticks: int) -> None:
        """So many rows pass."""
        while ticks > 0 and self.service.core.ended is None:
            some = min(ticks, CHUNK)
            self._let += some
            self.link.held(self._let - 1)
            self._until(lambda: self._words[ROWS + WRITTEN] >= self._let or self.link.poll() is not None)
            self.follow_link()
            self._collect()
            ticks -= some

    def stall(self, periods: int) -> None:
        """The host stalls before the next tick."""
        self.link.stall(periods)
        self.advance(1)

    @property
    def link_lost(self) -> bool:
        """The loop has given up the link to the device."""
        return bool(self._words[DEVICE_LINK] == LOST)

    def follow_link(self) -> None:
        """The keeper works by the wall's time: what it does is over before the rig's goes on."""
        if self.link_lost and not self.device.faults.unplugged:
            self._until(lambda: not self.link_lost)

    def _collect(self) -> None:
        newest = self.link.memory.rows[(self._words[ROWS + WRITTEN] - 1) % len(self.link.memory.rows)]
        _clock.now_s = float(newest["tick"]) * self.period_s
        self.app.cycle(_clock.now_s)
        history = self.service.core.history
        self._until(lambda: history.end >= self._let or self.service.core.ended is not None, cycle=True)
        self._keep()
        self._see_lease()

    def _see_lease(self) -> None:
        held = self.service.lease.held
        silent_s = 0.0 if held is None or held.kind == "console" else _clock.now_s - held.beat_s
        self.leases.append((self.tick, held is not None and silent_s <= self.rig.service.lease_timeout_s))

    def _keep(self) -> None:
        history = self.service.core.history
        if history.end > self._taken:
            self.rows.append(history.rows(self._taken, history.end))
            self._taken = history.end
        self.truth.append(self.device.truth())

    def _until(self, condition: Any, *, cycle: bool = False) -> None:
        give_up_s, naps = time.monotonic() + _PATIENCE_S, 0
        while not condition():
            if cycle:
                self.app.cycle(_clock.now_s)
            naps += 1
            time.sleep(20e-6 if naps < 100 else 1e-3)
            if time.monotonic() > give_up_s:
                raise Stuck(f"at tick {self.tick}: {self.link.status.messages}")

    # requests

    def ask(self, client: str, op: str, token: str = "", **args: Any) -> dict[str, Any]:
        """One request, and its reply; time passes only as far as the reply takes."""
        socket = self._sockets.get(client)
        if socket is None:
            socket = self._sockets[client] = _context.socket(zmq.DEALER)
            socket.setsockopt(zmq.LINGER, 0)
            socket.connect(self._door)
        id = next(self._ids)
        message = {"v": 1, "client": client, "id": id, "op": op, "args": args, "lease": token, "access": _access()}
        socket.send(msgpack.packb(message))
        for looks in range(1000):
            reply = self._reply(socket, id)
            if reply is not None:
                self._see_lease()
                return reply
            self.advance(min(5 << looks, 80))
        raise Stuck(f"no reply to {op} at tick {self.tick}")

    def _reply(self, socket: Any, id: int) -> dict[str, Any] | None:
        """The reply, where it comes without any time passing."""
        give_up_s, calm = time.monotonic() + _PATIENCE_S, False
        while time.monotonic() < give_up_s:
            was_calm, calm = calm, self._calm()
            self.app.cycle(_clock.now_s)
            if socket.poll(0):
                reply: dict[str, Any] = msgpack.unpackb(socket.recv())
                assert reply["id"] == id, reply
                return reply
            if calm and was_calm:
                return None
            time.sleep(10e-6)
        raise Stuck(f"no answer at tick {self.tick}")

    def _calm(self) -> bool:
        """Nothing is on its way to the loop, nor from it: what still waits, waits for time to pass."""
        core = self.service.core
        if core.ended is not None:
            return True
        return (
            core._unanswered == 0 and len(self.service.tasks) > 0 and self.link.status.epoch >= self.service.store.epoch
        )

    # the end

    def end(self, why: Trip = Trip.SHUTDOWN) -> None:
        """The orderly end, whatever runs."""
        self.service.core.ending = True
        self.link._runner._thread.end(why)
        self._until(lambda: self.link.poll() is not None)
        self.app.finish()
        self._keep()
        self.close()

    def close(self) -> None:
        """Lets go of everything."""
        for socket in self._sockets.values():
            socket.close()
        self.telemetry.close()
        self.desk.close()
        self.service.recorder.close()
        self.service.journal.close()
        self.service.alarm_file.close(self.service.alarms)
        self.link.close()

    @property
    def mode(self) -> Mode:
        """As the newest row says it."""
        return Mode(self.service.watch.mode)


@cache
def _access() -> str:
    return own_token(token_path())


def runtime_folder() -> Path:
    """A place for a lease's token."""
    return Path(tempfile.mkdtemp(prefix="hilctl-soak-"))


def joined(parts: list[Any]) -> Any:
    """All rows in one: as words, for numpy copies records field by field."""
    words = [part.view(np.int64).reshape(len(part), -1) for part in parts if len(part)]
    return np.concatenate(words).view(parts[0].dtype).reshape(-1)
