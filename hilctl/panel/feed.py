"""What the service sends, for all browsers: samples, status, events; a service that goes and comes again."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from hilctl.client import Client, NoReply, Refused
from hilctl.client.telemetry import Block, Event, Status
from hilctl.errors import HilctlError
from hilctl.panel.samples import Samples

_QUIET_S = 2.5  # the status comes once a second
_AGAIN_S = 1.0
# Between two looks at what has come: being woken costs more than a block does.
_FRAME_S = 0.028  # while somebody sees the scope: some 35 pictures a second are smooth
_CALM_S = 0.1
_EVENTS = 1000
_NO_TRACE = ("tick", "time_ns", "device_tick")  # they only grow


class Where(NamedTuple):
    """How the service is reached."""

    connect: str | None = None
    key: str = ""
    telemetry: str = ""

    def client(self, name: str) -> Client:
        """One more connection, without the lease."""
        return Client(self.connect, lease="none", name=name, key=self.key, telemetry=self.telemetry)


class Run(NamedTuple):
    """One run of the service: what holds for as long as it lives."""

    hello: dict[str, Any]
    describe: dict[str, Any]
    samples: Samples

    @property
    def id(self) -> str:
        """Its own."""
        return str(self.hello["run"])


class Listener:
    """Called on the feed's thread, so its methods must be short."""

    lively = False  # whether it draws samples as they come

    def on_block(self, block: Block, samples: Samples) -> None:
        """Samples that are in the ring already."""

    def on_event(self, event: Event, samples: Samples) -> None:
        """Something happened."""

    def on_rest(self) -> None:
        """All that has come is taken."""

    def on_run(self) -> None:
        """Another run of the service: what was shown is of the past."""


class Feed:
    """A thread that listens for as long as the page is served."""

    def __init__(self, where: Where) -> None:
        self.where = where
        self.run: Run | None = None
        self.gone = "connecting"  # why nothing comes; empty while it does
        self.status: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []  # of this run, the newest last; never changed, but replaced
        self.changed = 0  # grows with each status, event and loss
        self.heard_s = 0.0
        self.frame_s = _FRAME_S
        self.received = self.lost = 0  # samples of this run; those that came too fast for this listener
        self.late_s: float | None = None  # from the newest sample until it was here; None on the virtual clock
        self._next = 0  # number of the sample that is expected
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._work, name="feed", daemon=True)

    def start(self) -> None:
        """From here on."""
        self._thread.start()

    def stop(self) -> None:
        """Ends it."""
        self._ending.set()
        self._thread.join(timeout=5.0)

    def samples(self) -> Samples | None:
        """Of the run that is heard."""
        return self.run.samples if self.run is not None else None

    def join(self, listener: Listener) -> Callable[[], None]:
        """Tells it too; the result takes that back."""
        with self._lock:
            self._listeners.append(listener)

        def leave() -> None:
            with self._lock, suppress(ValueError):
                self._listeners.remove(listener)

        return leave

    @property
    def pages(self) -> int:
        """How many are open."""
        return len(self._listeners)

    @property
    def lively(self) -> int:
        """How many of them draw samples as they come."""
        return sum(listener.lively for listener in self._all())

    def _all(self) -> list[Listener]:
        with self._lock:
            return list(self._listeners)

    def _work(self) -> None:
        while not self._ending.is_set():
            try:
                with self.where.client("panel") as rig:
                    self._hear(rig)
            except (HilctlError, OSError) as error:
                self._lost(str(error))
                self._ending.wait(_AGAIN_S)

    def _lost(self, why: str) -> None:
        self.gone = why
        self.changed += 1

    def _hear(self, rig: Client) -> None:
        coming = rig.subscribe(timeout_s=_QUIET_S, rest=self._rest)
        if self.run is None or self.run.id != rig.hello["run"]:
            self._begin(rig)
        self._past(rig)
        self.status, self.gone = rig.status(), ""
        self.changed += 1
        while not self._ending.is_set():
            for message in coming:
                self.heard_s = time.monotonic()
                self._take(message)
                if self._ending.is_set():
                    return
            try:
                rig.ask("hello", timeout_s=_QUIET_S)
            except (NoReply, Refused) as error:
                self._lost(str(error))
                return
            coming = rig.subscribe(timeout_s=_QUIET_S, rest=self._rest)

    def _rest(self) -> None:
        """What comes meanwhile is taken in one go."""
        for listener in self._all():
            listener.on_rest()
        self._ending.wait(self.frame_s if self.lively else _CALM_S)

    def _begin(self, rig: Client) -> None:
        names = [name for name in rig.hello["channels"] if name not in _NO_TRACE]
        self.run = Run(rig.hello, rig.describe(), Samples(names, rig.hello["rate_hz"]))
        self.events = []
        self.received = self.lost = self._next = 0
        for listener in self._all():
            listener.on_run()

    def _count(self, block: Block) -> None:
        """What came and what did not, by the sequence numbers."""
        if self._next and block.first > self._next:
            self.lost += block.first - self._next
        self._next = block.first + block.count
        self.received += block.count
        if block.wall and block.count:
            sampled_ns = int(block.columns["time_ns"][-1]) + block.wall["offset_ns"]
            self.late_s = 1e-9 * (time.time_ns() - sampled_ns)

    def _past(self, rig: Client) -> None:
        """Events that came before we listened."""
        known = self.events[-1]["number"] if self.events else -1
        fresh = [event for event in rig.events(known + 1) if event["number"] > known]
        self.events = (self.events + fresh)[-_EVENTS:]

    def _take(self, message: Block | Event | Status) -> None:
        run = self.run
        if run is None:
            return
        if isinstance(message, Block):
            if message.run != run.id:
                return
            self._count(message)
            run.samples.put(message.columns)
            for listener in self._all():
                listener.on_block(message, run.samples)
        elif isinstance(message, Event):
            if not self.events or message.body["number"] > self.events[-1]["number"]:
                self.events = [*self.events, message.body][-_EVENTS:]
            self.changed += 1
            for listener in self._all():
                listener.on_event(message, run.samples)
        else:
            self.status = message.body
            self.changed += 1
