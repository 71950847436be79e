"""One job as the page follows it: its lines and what it has measured, read as they come."""

import asyncio
import json
from typing import Any

from hilctl.client import Jobs
from hilctl.client.download import pieces
from hilctl.panel.seat import Seat, safely

_LINES = 400


class Followed:
    """A job by its number; `read` gets what is new."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.about: dict[str, Any] = {}
        self.lines: list[str] = []
        self.measured: list[dict[str, Any]] = []
        self.result: dict[str, Any] | None = None
        self.why = ""  # it could not be read
        self._next = self._next_measured = 0

    async def read(self, seat: Seat) -> None:
        """Its state; lines and points that were not read yet; its result once it is over."""
        got, self.why = await asyncio.to_thread(safely, lambda: seat.ask(
            "job", job=self.number, first=self._next, first_measured=self._next_measured))  # fmt: skip
        if self.why:
            return
        self.about = got
        self.lines = (self.lines + got["lines"])[-_LINES:]
        self.measured += got["measured"]
        self._next, self._next_measured = got["next"], got["next_measured"]
        if got["result"] and self.over and self.result is None:
            found, self.why = await asyncio.to_thread(
                safely, lambda: json.loads(b"".join(pieces(seat.client(), got["result"], self.number)))
            )
            self.result = found

    @property
    def over(self) -> bool:
        """Whether its process has ended."""
        return self.about.get("state") not in (None, "running", "aborting")


async def start(seat: Seat, kind: str, options: list[str]) -> Any:
    """Starts one; this page's own lease is given to it."""
    from hilctl.panel.asking import ask

    def do() -> dict[str, Any]:
        if seat.holds:
            seat.give()
        return Jobs(seat.client()).start(kind, *options)

    return await ask(do)
