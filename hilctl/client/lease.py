"""The client's part for the lease: taken, kept by a heartbeat, given back."""

from typing import Any, Literal

from hilctl.client.asker import Asker
from hilctl.client.connection import Connection, Identity
from hilctl.client.console import keep_secret, secret_of
from hilctl.client.heart import Heart
from hilctl.wire.errors import Refused

_BEATS = 4  # of who looks on, in the time after which a console's lease is idle
_TO_REST_S = 60.0  # the stop of a motion, and what is put back


class Lease(Asker):
    """The right to command motion."""

    hello: dict[str, Any]
    _wire: Connection
    _identity: Identity

    _heart: Heart | None = None
    _looking_on: Heart | None = None
    _granted = False  # a console's lease, which was not ours before

    def take(
        self,
        kind: Literal["attended", "console"] = "attended",
        *,
        takeover: bool = False,
        restore: bool = False,
        as_console: bool = False,
    ) -> None:
        """The right to command motion; an attended one is kept by a thread from here on.

        `as_console`: where the console holds the lease, and this user knows its secret, it becomes ours.
        """
        if self.lease_lost:
            self._identity.token = ""
        self._stop_beating()  # a heart that lost the lease beats no more
        if (kind == "console" or as_console) and not takeover and not self._identity.token:
            self._identity.token = secret_of(self.hello["run"])
        shown = self._identity.token
        action = "takeover" if takeover else "take"
        try:
            taken = self.ask("lease", action=action, kind=kind, **({"restore": True} if restore else {}))
        except Refused:
            self._identity.token = ""
            raise
        self._granted = kind == "console" and taken["token"] != shown
        self._identity.token = taken["token"]
        if kind == "console":
            keep_secret(self.hello["run"], taken["token"])
        if kind == "attended":
            self._heart = Heart(Connection(self._wire.endpoint, self._identity), self.hello["heartbeat_s"])

    def keep_console(self) -> None:
        """While this client only looks on, the console's lease is not idle, where this user knows its secret."""
        self._identity.token = secret_of(self.hello["run"])
        if self._identity.token:
            every_s = self.hello["console_idle_s"] / _BEATS
            self._looking_on = Heart(Connection(self._wire.endpoint, self._identity), every_s)

    def abandon(self) -> None:
        """Ends the motion, puts back what `restore` was to put back, and gives the lease back: when we cannot go on."""
        self.ask("lease", action="abandon", timeout_s=_TO_REST_S)
        self._stop_beating()
        self._granted, self._identity.token = False, ""

    def release(self) -> None:
        """Gives the lease back. A console's stays for the next command, while there is something to command.

        Where it was free before and the rig is off, it is free again: who resets a trip, or sets a parameter, before
        anybody has armed does not lock out the others.
        """
        heart = self._heart
        if heart is not None:
            self._stop_beating()
            if not heart.in_vain:
                self.ask("lease", action="release")
            self._identity.token = ""
        elif self._granted and self.ask("status")["mode"] == "off":
            self._granted = False
            self.ask("lease", action="release")

    def _stop_beating(self) -> None:
        if self._heart is not None:
            self._heart.stop()
            self._heart = None

    def _end_beats(self) -> None:
        """Without beats the lease is lost, if it was not given back."""
        self._stop_beating()
        if self._looking_on is not None:
            self._looking_on.stop()

    @property
    def lease_lost(self) -> str:
        """Why the lease was lost, empty while it holds."""
        return self._heart.lost if self._heart is not None else ""
