"""What the parts of the client share."""

from typing import Any


class Asker:
    """Asks a service."""

    def ask(self, op: str, *, timeout_s: float | None = None, **args: Any) -> dict[str, Any]:
        """Any operation, as docs/protocol.md has it."""
        raise NotImplementedError
