"""The lease: the right to command motion, held by one at a time. Pure: the caller brings the time.

    free --take--> held --release--> free
                   held --takeover--> held by another
                   held --silence--> free, `expired` says so once
                   held (console) --off--> free

It belongs to the key or the token of who took it, together with the secret that taking it returns: who has only one of
them, holds nothing. An attended lease lives by its beats; any request of the holder is a beat. A console lease is for
commands typed one by one, each by another process that shows the same secret. It outlasts a longer silence, and ends
after that all the same.
"""

import hmac
import secrets
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from hilctl.wire.errors import Code, Refused

Kind = Literal["attended", "console"]


class Held(NamedTuple):
    """Who holds the lease."""

    kind: Kind
    owner: str  # the key or the token of who took it, as `Who.id`
    client: str  # what the program that took it calls itself
    holder: str  # in words, for people
    token: str  # the secret
    beat_s: float  # when last heard, on the caller's clock
    restore: Any = None  # what the caller puts back when this lease is lost


class LeaseDesk:
    """Takes, keeps, gives back."""

    def __init__(
        self, timeout_s: float, idle_s: float, new_token: Callable[[], str] = lambda: secrets.token_hex(16)
    ) -> None:
        self.held: Held | None = None
        self.grants = 0  # how often it was taken or given back: an answer that comes late must see the same number
        self.holders = 0  # how often it has changed hands; its holder may take the other kind of it
        self._patience_s: dict[Kind, float] = {"attended": timeout_s, "console": idle_s}
        self._new_token = new_token

    def allows(self, owner: str, token: str) -> bool:
        """Whether this sender holds the lease."""
        held = self.held
        if held is None or owner != held.owner:
            return False
        return hmac.compare_digest(token.encode(), held.token.encode())

    def need(self, owner: str, token: str, op: str) -> None:
        """Refuses a sender that does not hold the lease."""
        if self.allows(owner, token):
            return
        if self.held is None:
            raise Refused(Code.NO_LEASE, f"{op} needs the lease: take it first", "lease")
        raise Refused(Code.LEASE_HELD, f"{op} needs the lease, which {self._who()}", "lease")

    def take(
        self, owner: str, client: str, token: str, kind: Kind, now_s: float, *,
        holder: str = "", force: bool = False, restore: Any = None,
    ) -> Held:  # fmt: skip
        """The lease for this sender; from another only by force. Taking what one holds renews it, and keeps what it
        would restore."""
        if self.held is not None and self.allows(owner, token) and self.held.kind == kind:
            was = self.held.restore
            self.held = self.held._replace(beat_s=now_s, restore=restore if was is None else was)
            return self.held
        ours = self.held is not None and self.allows(owner, token)
        if self.held is not None and not force and not ours:
            raise Refused(Code.LEASE_HELD, f"the lease {self._who()}", "lease")
        self.held = Held(kind, owner, client, holder or client, self._new_token(), now_s, restore)
        self.grants += 1
        self.holders += not ours
        return self.held

    def release(self, owner: str, token: str) -> None:
        """Gives it back; refused to who does not hold it."""
        self.need(owner, token, "release")
        self.drop()

    def drop(self) -> None:
        """Nobody holds it from here on."""
        if self.held is not None:
            self.held = None
            self.grants += 1
            self.holders += 1

    def beat(self, owner: str, token: str, now_s: float) -> bool:
        """The holder was heard."""
        if self.held is None or not self.allows(owner, token):
            return False
        self.held = self.held._replace(beat_s=now_s)
        return True

    def patience_s(self, kind: Kind) -> float:
        """How long the holder of such a lease may be silent."""
        return self._patience_s[kind]

    def ends_in_s(self, now_s: float) -> float | None:
        """How long the holder may yet be silent; None where nobody holds it."""
        held = self.held
        return None if held is None else max(0.0, held.beat_s + self._patience_s[held.kind] - now_s)

    def expired(self, now_s: float) -> Held | None:
        """The lease that was lost to silence, once."""
        held = self.held
        if held is None or not self.silent(now_s):
            return None
        self.drop()
        return held

    def silent(self, now_s: float) -> bool:
        """Whether the lease's holder has been silent for too long."""
        return self.held is not None and now_s - self.held.beat_s > self._patience_s[self.held.kind]

    def _who(self) -> str:
        assert self.held is not None
        return f"is held by {self.held.holder} ({self.held.kind})"
