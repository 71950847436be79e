"""The client's part for the lease: taken, kept by a heartbeat, given back."""

from typing import Any, Literal

from hilctl.client.asker import Asker
from hilctl.client.connection import Connection, Identity
from hilctl.client.console import keep_secret, secret_of
from hilctl.client.heart import Heart, Present
from hilctl.errors import HilctlError, WrongUse
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
        while_present: Present | None = None,
    ) -> None:
        """The right to command motion; an attended one is kept by a thread from here on.

        `as_console`: where the console holds the lease, and this user knows its secret, it becomes ours.
        `while_present`: for a program that holds the lease for a person. While it returns False, or raises, the lease
        is not kept, neither by beats nor by what only reads; after `service.lease_timeout_s` it is lost, and
        `service.lease_lost` acts. It is called by the thread, before each beat. On the virtual clock no time passes
        meanwhile: `pass_time` needs the lease.
        """
        if while_present is not None and kind == "console":
            raise WrongUse("while_present is for an attended lease: a console's has no beats")
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
            self._keep(taken["lost_after_s"], while_present)

    def resume(self, token: str, *, while_present: Present | None = None) -> None:
        """Continues the attended lease of this secret: that of an earlier `Client` of this program, as its
        `lease_token`. Refused where it is held no longer, or was taken with another key.
        """
        self._stop_beating()
        self._identity.token = token
        try:
            held = self.ask("lease", action="beat")
            if held["kind"] != "attended":
                raise WrongUse(f"resume: the lease is a {held['kind']}'s; `take({held['kind']!r})` shares it")
        except HilctlError:
            self._identity.token = ""
            raise
        self._keep(held["lost_after_s"], while_present)

    @property
    def lease_token(self) -> str:
        """The secret of the lease, for `resume`; empty where this client holds none."""
        return self._identity.token

    def _keep(self, patience_s: float, while_present: Present | None) -> None:
        beats = Connection(self._wire.endpoint, self._identity)
        self._heart = Heart(beats, self.hello["heartbeat_s"], patience_s, while_present)

    def keep_console(self) -> None:
        """While this client only looks on, the console's lease is not idle, where this user knows its secret."""
        self._identity.token = secret_of(self.hello["run"])
        if self._identity.token:
            idle_s = self.hello["console_idle_s"]
            self._looking_on = Heart(Connection(self._wire.endpoint, self._identity), idle_s / _BEATS, idle_s)

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
