"""One page in one browser: its scope, its seat, its line. Views are drawn on it."""

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hilctl.client.telemetry import Block, Event
from hilctl.panel.feed import Feed, Listener
from hilctl.panel.samples import Samples
from hilctl.panel.scope import Scope
from hilctl.panel.seat import ASKED_S, Seat, StopLine

if TYPE_CHECKING:
    from fastapi import WebSocket


_CONNECTS_S = 20.0
_AHEAD = 4  # frames: the browser answers each other one


class Desk(Listener):
    """Lives as long as its page; the seat outlives it."""

    def __init__(self, feed: Feed, stop_line: StopLine) -> None:
        self.feed, self.scope = feed, Scope(feed.samples)
        self.seat: Seat | None = None
        self.seated = asyncio.Event()
        self.on_cursors: Callable[[tuple[int, int] | None], None] = lambda pair: None
        self.on_capture: Callable[[], None] = lambda: None
        self.newest = (-1, -1)  # number and tick of the newest sample
        self.apart = False  # whether each trace has an axis of its own
        self._stop_line = stop_line
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._told: tuple[Any, ...] = ()
        self._sent = self._drawn = 0  # frames of this connection
        self._fresh = False  # more has come since the last was made
        self._leave = feed.join(self)

    def close(self) -> None:
        """The page is gone."""
        self._leave()

    def sit(self, seat: Seat) -> None:
        """Whose page it is."""
        self.seat = seat
        self.seated.set()

    def watch(self, scope: bool) -> None:
        """Whether the scope is in sight: else nothing is drawn, and no frame is made. Its trigger goes on."""
        self.lively = scope
        self._wake.set()

    def wake(self) -> None:
        """There is something to send. Any thread."""
        self._loop.call_soon_threadsafe(self._wake.set)

    # --- the feed's thread

    def on_block(self, block: Block, samples: Samples) -> None:
        """Samples that are in the ring already."""
        self.newest = (block.first + block.count - 1, int(block.columns["tick"][-1]))
        if self.scope.block(block.columns, samples):
            self.wake()
            self._loop.call_soon_threadsafe(self.on_capture)

    def on_event(self, event: Event, samples: Samples) -> None:
        """Something happened."""
        self.scope.event(event.kind, event.tick, samples)

    def on_rest(self) -> None:
        """All that has come is taken."""
        self._fresh = True  # first: if the browser has drawn meanwhile, one of the two threads sees both
        if self.lively and self._free():
            self.wake()

    def on_run(self) -> None:
        """Another run of the service."""
        self.scope.renew()
        self.wake()

    # --- the line

    async def serve(self, socket: "WebSocket") -> None:
        """Until it is closed. The tab's lease gets beats meanwhile."""
        await asyncio.wait_for(self.seated.wait(), _CONNECTS_S)
        if self.seat is None:
            return
        presence = self.seat.enter()
        self._told, self._sent, self._drawn = (), 0, 0
        self.wake()
        tasks = [asyncio.create_task(self._send(socket)), asyncio.create_task(_ask_again(socket))]
        try:
            while True:
                message = await socket.receive()
                if message["type"] != "websocket.receive":
                    return
                presence.heard()
                self._hear(json.loads(message.get("text") or "{}"), socket)
        finally:
            presence.leave()
            for task in tasks:
                task.cancel()

    def _hear(self, said: dict[str, Any], socket: "WebSocket") -> None:
        if "drawn" in said:
            self._drawn = int(said["drawn"])
            if self._fresh:
                self._wake.set()
        if "stop" in said:
            asyncio.create_task(self._stop(socket))  # noqa: RUF006  (it reports its outcome itself)
        if "show" in said:
            self.scope.show(said["show"], said["window"])
            self._wake.set()
        if "look" in said:
            first, last = said["look"]
            self.scope.look(int(first), int(last))
            self._wake.set()
        if "cursors" in said:
            pair = said["cursors"]
            self.on_cursors((int(min(pair)), int(max(pair))) if pair else None)

    async def _stop(self, socket: "WebSocket") -> None:
        """A stop that was not taken must not look like one that was."""
        await socket.send_text(json.dumps({"stop": await asyncio.to_thread(self._stop_line.stop)}))

    def about(self) -> dict[str, Any]:
        """What the browser has to know to draw."""
        run, about = self.feed.run, self.scope.about()
        units = {c["name"]: c["unit"] for c in run.describe["channels"]} if run is not None else {}
        about["units"] = [units.get(name, "") for name in about["channels"]]
        about["pair_units"] = [units.get(name, "") for name in about["pair"] or ()]
        about["apart"] = self.apart
        return about

    async def _send(self, socket: "WebSocket") -> None:
        """A browser that draws slowly is sent less, and never waited for: a frame goes out when those before are drawn,
        but for the last few, so that not each is to be answered.
        """
        while True:
            await self._wake.wait()
            self._wake.clear()
            mark = (*self.scope.mark(), self.apart)
            if mark != self._told:
                self._told = mark
                await socket.send_text(json.dumps(self.about()))
            if not self.lively or not self._free():
                continue
            self._fresh = False
            frame = self.scope.frame()
            if frame is not None:
                self._sent += 1
                await socket.send_bytes(frame)

    def _free(self) -> bool:
        """Whether the browser has drawn what it was sent, but for the last few."""
        return self._sent < self._drawn + _AHEAD


async def _ask_again(socket: "WebSocket") -> None:
    """Whether somebody is there: the page's script answers."""
    while True:
        await socket.send_text('{"here": 1}')
        await asyncio.sleep(ASKED_S)
