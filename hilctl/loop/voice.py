"""What the core says to the service, beside the shared memory: rare things, in words."""

import json
import logging
import socket
from typing import Any

log = logging.getLogger("hilctl.loop")


class Voice:
    """What the core says to the service, and to its log."""

    def __init__(self, to: socket.socket | None) -> None:
        self._to = to

    def state(self, name: str, text: str = "") -> None:
        """The core has come to a new state."""
        self._send({"state": name, **({"text": text} if text else {})})

    def say(self, text: str, level: int = logging.WARNING) -> None:
        """Something that a person should know."""
        log.log(level, "%s", text)
        self._send({"text": text})

    def event(self, kind: str, **body: Any) -> None:
        """Something happened to the link to the device: the service makes an event of it."""
        self._send({"event": kind, "body": body})

    def link(self, **told: Any) -> None:
        """How the link to the device fares: the newest counts."""
        self._send({"link": told})

    def _send(self, message: dict[str, Any]) -> None:
        if self._to is None:
            return
        try:
            self._to.send(json.dumps(message).encode(), socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass  # the service is behind; the next may get through
        except OSError:
            self._to = None  # nobody listens any more
