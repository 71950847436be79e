"""The client's part for the queue of motions."""

import time
from collections.abc import Mapping
from typing import Any

from hilctl.client.asker import Asker

_AGAIN_S = 20.0  # a wait asks again this often


class Queue(Asker):
    """Motions one after another, at a time, on a trigger."""

    def queue(self, *motions: Mapping[str, Any]) -> list[int]:
        """Puts motions into the queue, all or none; their items. Each is a map: `kind`, `parameters`, and for its start
        `at_tick`, or `at_ns`, or `channel` with `edge`, `level` and `within_s`, as docs/protocol.md has it."""
        made = self.ask("queue", motions=[dict(one) for one in motions], timeout_s=60.0)["items"]
        return [item["item"] for item in made]

    def queued(self) -> list[dict[str, Any]]:
        """What waits, what runs, and what was last over, in order."""
        items: list[dict[str, Any]] = self.ask("queued")["items"]
        return items

    def wait_queued(self, item: int, timeout_s: float = 0.0) -> dict[str, Any]:
        """This item, once it is over, or after the timeout as it then is."""
        until_s = time.monotonic() + timeout_s
        while True:
            left_s = min(_AGAIN_S, max(0.0, until_s - time.monotonic())) if timeout_s else _AGAIN_S
            found: dict[str, Any] = self.ask("queued", item=item, wait_s=left_s, timeout_s=left_s + 10.0)["items"][0]
            if found["state"] not in ("waiting", "running") or (timeout_s and time.monotonic() >= until_s):
                return found

    def unqueue(self, item: int = 0) -> list[int]:
        """Cancels this item and those behind it, or all that wait; the motion that runs goes on."""
        gone: list[int] = self.ask("unqueue", item=item)["cancelled"]
        return gone
