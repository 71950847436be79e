"""What one browser may do: a connection of its own, and the lease while somebody sits there.

A seat belongs to a browser's tab: a page that is loaded again finds it, with the lease and what was typed. While no
page of the tab answers the lease gets no beats, and ends as the rig file says.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hilctl.client import Client, NoReply, Refused
from hilctl.errors import HilctlError
from hilctl.panel.feed import Feed
from hilctl.wire.errors import Code

NAME = "panel"
ASKED_S = 0.5  # a page is asked this often; it answers in the background too, but not while it hangs or its host sleeps
SILENT_S = 1.5  # and is absent after that


class Presence:
    """One page that is connected, for as long as it is."""

    def __init__(self, pages: "dict[Presence, float]") -> None:
        self._pages = pages

    def heard(self) -> None:
        """It has answered."""
        self._pages[self] = time.monotonic()

    def leave(self) -> None:
        """It is gone."""
        self._pages.pop(self, None)


class Seat:
    """One tab's. Requests block: never call them where pages are drawn."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._lock = threading.RLock()  # of the connection, not of requests
        self._client: Client | None = None
        self._run = ""
        self._pages: dict[Presence, float] = {}  # when each was last heard
        self.name = NAME
        self.holds = False
        self.lost = ""  # why the lease was lost; until it is taken again
        self.edits: dict[str, str] = {}  # parameters that were typed and not sent
        self.typed: dict[str, Any] = {}  # what else was typed, by view and field

    # --- presence

    def enter(self) -> "Presence":
        """A page of this tab is connected."""
        presence = Presence(self._pages)
        presence.heard()
        return presence

    def present(self) -> bool:
        """Whether somebody looks: a page that is connected has answered just now."""
        return any(time.monotonic() - heard_s < SILENT_S for heard_s in list(self._pages.values()))

    # --- requests

    def ask(self, op: str, *, timeout_s: float = 10.0, **args: Any) -> dict[str, Any]:
        """Any operation."""
        return self.client().ask(op, timeout_s=timeout_s, **args)

    def client(self) -> Client:
        """The connection; a new one for a new run of the service."""
        run = self._feed.run
        with self._lock:
            if self._client is not None and run is not None and self._run != run.id:
                self._drop()
            if self._client is None:
                self._client = self._feed.where.client(self.name)
                self._run = self._client.hello["run"]
            return self._client

    def take(self, name: str, *, takeover: bool = False) -> None:
        """The lease, for as long as somebody looks."""
        with self._lock:
            if name and name != self.name and not self.holds:
                self._drop()
                self.name = name
        self.client().take("attended", takeover=takeover, while_present=self.present)
        self.holds, self.lost = True, ""

    def give(self) -> None:
        """Gives it back."""
        self.holds = False
        self.client().release()

    def look(self) -> None:
        """Notices a lease that was lost."""
        client = self._client
        if self.holds and client is not None and client.lease_lost:
            self.holds, self.lost = False, client.lease_lost

    def close(self) -> None:
        """The tab is gone for good."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        client, self._client = self._client, None
        if self.holds:
            self.holds, self.lost = False, "the service was started again"
        if client is not None:
            client.close()


def said(error: Exception) -> str:
    """An error as a person reads it."""
    if isinstance(error, Refused) and error.code == Code.NO_LEASE:
        return f"{error.text}; take the lease first (button at the top)"
    return error.text if isinstance(error, HilctlError) else str(error)


def safely(do: Callable[[], Any]) -> tuple[Any, str]:
    """A request's result, or why it was refused."""
    try:
        return do(), ""
    except (HilctlError, OSError) as error:
        return None, said(error)


class StopLine:
    """A connection that is only for `stop`: no other request is before it."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._lock = threading.Lock()
        self._client: Client | None = None

    def stop(self) -> str:
        """Decelerates and holds; empty, or why not."""
        with self._lock:
            for again in (False, True):
                try:
                    if self._client is None:
                        self._client = self._feed.where.client("panel-stop")
                    self._client.ask("stop", timeout_s=2.0)
                    return ""
                except Refused as error:
                    return said(error)
                except (NoReply, HilctlError) as error:
                    why = said(error)
                    with suppress(Exception):
                        if self._client is not None:
                            self._client.close()
                    self._client = None
                    if again:
                        return why
        return ""
