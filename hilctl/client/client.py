"""One method an operation; telemetry as an iterator."""

import logging
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

from hilctl import __version__
from hilctl.client.access import place, telemetry_at
from hilctl.client.attention import Attention
from hilctl.client.connection import Connection, Identity, NoReply
from hilctl.client.lease import Lease
from hilctl.client.queue import Queue
from hilctl.client.recordings import Recordings
from hilctl.client.samples import Samples
from hilctl.client.save import Saved, save
from hilctl.client.telemetry import Block, Event, Status, listen
from hilctl.client.wall import ClockGap, WallClock
from hilctl.wire import MAJOR
from hilctl.wire.encode import arrays_of
from hilctl.wire.errors import Code, Refused
from hilctl.wire.op import LAST
from hilctl.wire.versions import older_service, other_program, refused_by

log = logging.getLogger(__name__)

_TIMEOUT_S = 10.0  # of what is answered at once; planning a motion is the longest of it
_LOOK_S = 20.0  # a wait without end asks again this often: a service that died is noticed
_LONGEST_S = 86_400.0  # as the operation `wait` declares
_SLOW = 2.0  # how much longer than the rig's own time a wait for time may take
_SUPPLY_S = 600.0  # for a pressure to come: arming.timeout_s bounds it
_HANDSHAKE_S = 60.0  # of a link that is opened again, and the device set up

_noticed: set[str] = set()  # a process that connects often says it once

LeaseKind = Literal["attended", "console", "none"]


class Motion(NamedTuple):
    """A motion that was accepted: its number, its first sample, how long it takes (inf: until stopped)."""

    id: int
    first: int
    seconds: float
    text: str
    facts: dict[str, float]
    extremes: dict[str, float]
    warnings: Sequence[str] = ()  # what the rig will not do as it is asked


class Outcome(NamedTuple):
    """How a wait ended: done, stopped, tripped, dry, mode, time, timeout, gone; and the samples meanwhile."""

    why: str
    first: int
    last: int
    tick: int
    trip: str
    mode: str

    @property
    def done(self) -> bool:
        """Whether what was waited for came."""
        return self.why in ("done", "mode", "time")


class Ended(Refused):
    """Arming or a motion that was accepted, and did not come to its end; `outcome` says why."""

    def __init__(self, what: str, outcome: Outcome) -> None:
        self.outcome = outcome
        super().__init__(Code.TRIPPED, f"{what} ended: {outcome.why} {outcome.trip}".strip(), outcome.trip)


class Client(Lease, Samples, Recordings, Attention, Queue):
    """A connection to a service. `lease="attended"` takes the lease on entry and keeps it; `none` only looks.

    `restore`: should this process end without giving the lease back, the service puts the parameters back as they are
    at the take. `key`: a key file, for a service that asks for keys. `telemetry`: its address, behind a tunnel or a
    NAT that moves the ports apart.
    """

    def __init__(
        self,
        where: str | None = None,
        *,
        lease: LeaseKind = "attended",
        name: str = "",
        takeover: bool = False,
        restore: bool = False,
        timeout_s: float = _TIMEOUT_S,
        key: str | Path = "",
        telemetry: str = "",
    ) -> None:
        found = place(where, key)
        self.timeout_s = timeout_s
        self._telemetry = telemetry
        self._identity = Identity(name, found.access)
        self._wire = Connection(found.commands, self._identity)
        self._lease_kind, self._takeover, self._restore = lease, takeover, restore
        try:
            before_ns = time.time_ns()
            # Without `minor`, which a service of 1.1 refuses: what its notice would say, `older_service` says.
            self.hello = self.ask("hello", protocol=MAJOR)
            self.clock_gap = ClockGap.measured(before_ns, self.hello, time.time_ns())
            _say_once(other_program(self.hello.get("version"), __version__))
        except NoReply:
            self._wire.close()
            raise
        except Refused as refused:
            self._wire.close()
            if refused.code == Code.VERSION:
                raise Refused(Code.VERSION, refused_by(refused.message), refused.key) from None
            raise

    # --- life

    def __enter__(self) -> Self:
        if self._lease_kind != "none":
            try:
                self.take(self._lease_kind, takeover=self._takeover, restore=self._restore)
            except (Refused, NoReply):
                self.close()
                raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self.release()
        except (Refused, NoReply):
            pass  # the service may be gone; without beats the lease ends by itself
        self.close()

    def close(self) -> None:
        """Gives the sockets back. A lease that was not released is lost when its beats stop."""
        self._end_beats()
        self._wire.close()

    def ask(self, op: str, *, timeout_s: float | None = None, **args: Any) -> dict[str, Any]:
        """Any operation, as docs/protocol.md has it."""
        try:
            return self._wire.request(op, args, self.timeout_s if timeout_s is None else timeout_s)
        except Refused as refused:
            why = older_service(self.hello["protocol"]) if refused.code == Code.UNKNOWN_OP else ""
            if not why:
                raise
            raise Refused(Code.UNKNOWN_OP, f"{op}: {why}", refused.key) from None

    # --- looking

    def status(self) -> dict[str, Any]:
        """Mode, trip, counts, times, lease, recording."""
        return self.ask("status")

    def wall_clock(self) -> WallClock:
        """What turns ticks and the samples' times into wall time, by now; Refused on the virtual clock."""
        return WallClock.of(self.status())

    def describe(self) -> dict[str, Any]:
        """Every declaration: channels, parameters, motions, operations."""
        return self.ask("describe")

    def events(self, first: int = 0) -> list[dict[str, Any]]:
        """What happened."""
        found: list[dict[str, Any]] = self.ask("events", first=first)["events"]
        return found

    def get(self, *keys: str) -> dict[str, Any]:
        """Active parameters, by dotted key; a table gives every key in it."""
        values: dict[str, Any] = self.ask("get", keys=list(keys))["values"]
        return values

    def subscribe(
        self, *topics: Literal["block", "event", "status"], timeout_s: float | None = None,
        rest: Callable[[], None] = lambda: None,
    ) -> Iterator[Block | Event | Status]:  # fmt: skip
        """Telemetry as it comes; ends when nothing came for `timeout_s`. `rest` is called when all of it is taken."""
        where = self._telemetry or telemetry_at(self._wire.endpoint, self.hello["endpoints"])
        return listen(where, topics or ("block", "event", "status"), timeout_s, self._identity.access, rest)

    # --- moving

    def arm(self, *, wait: bool = True, prove: bool = False) -> Outcome | None:
        """From off to hold. Raises Refused when it ends in a trip. `prove`: signs and null are found again."""
        self.ask("arm", **({"prove": True} if prove else {}))
        return self._settle("hold", "arming") if wait else None

    def reconnect(self) -> dict[str, Any]:
        """Opens the link to the device again, now; the link as it is then. In off only."""
        return self.ask("reconnect", timeout_s=_HANDSHAKE_S)

    def supply(self, level: Literal["off", "low", "high"]) -> dict[str, Any]:
        """Brings the supply to another level while the table is held, and waits for its pressure; `level` and
        `pressure_pa` then. `off` switches the rig off."""
        found = self.ask("supply", level=level, timeout_s=_SUPPLY_S)
        if found["why"] != "there":
            raise Refused(
                Code.TRIPPED,
                f"the supply did not come to its {level} level: {found['why']}; "
                "`hilctl status` shows its pressure, and a trip",
                "supply",
            )
        if level != "off":
            return found
        self.wait_mode("off", 60.0)
        return {**found, **self.status()["supply"]}

    def track(self, kind: str, **parameters: Any) -> Motion:
        """Starts a motion and returns at once."""
        return _motion(self.ask("track", kind=kind, parameters=parameters))

    def check_motion(self, kind: str, preview_points: int = 0, /, **parameters: Any) -> dict[str, Any]:
        """Whether `track` would accept it; Refused with the limit and the instant otherwise.

        With `preview_points` also its picture, as docs/protocol.md has it: `preview` as arrays, `limits`, and `refused`
        instead of an error where it passes a limit.
        """
        asked = {"points": preview_points} if preview_points else {}
        found = self.ask("check_motion", kind=kind, parameters=parameters, **asked)
        return {**found, "preview": arrays_of(found["preview"])} if "preview" in found else found

    def move(self, position_m: float, *, speed_m_s: float = 0.0, duration_s: float = 0.0) -> Motion:
        """Starts a move and returns at once."""
        return _motion(self.ask("move", position_m=position_m, speed_m_s=speed_m_s, duration_s=duration_s))

    def wait(self, motion: Motion | int, timeout_s: float = 0.0) -> Outcome:
        """Until the motion is over and the table at rest."""
        id = motion.id if isinstance(motion, Motion) else motion
        return self._wait({"motion": id}, timeout_s)

    def wait_job(self, job: int, timeout_s: float = 0.0) -> Outcome:
        """Until a job is over; `why` is then its state."""
        return self._wait({"job": job}, timeout_s)

    def pass_time(self, seconds: float) -> Outcome:
        """Until so much of the rig's time has passed; on the virtual clock this is what makes it pass."""
        # What is no number of seconds is for the service to refuse.
        patience_s = min(_SLOW * seconds + _LOOK_S, _LONGEST_S) if math.isfinite(seconds) else _LOOK_S
        return self._wait({"seconds": seconds}, patience_s)

    def wait_mode(self, mode: Literal["off", "hold"], timeout_s: float = 0.0) -> Outcome:
        """Until the mode is reached, or a trip came in between."""
        return self._wait({"mode": mode}, timeout_s)

    def run(self, kind: str, **parameters: Any) -> tuple[Motion, Outcome]:
        """Starts a motion and waits for its end; Refused when it trips."""
        motion = self.track(kind, **parameters)
        outcome = self.wait(motion)
        if outcome.why != "done":
            raise Ended(kind, outcome)
        return motion, outcome

    def hold(self) -> None:
        """Ends the motion in order."""
        self.ask("hold")

    def stop(self, *, wait: bool = True) -> Outcome | None:
        """Decelerates and holds; needs no lease."""
        self.ask("stop")
        closed_loop = wait and self.status()["mode"] in ("track", "stop", "hold")
        return self.wait_mode("hold", 60.0) if closed_loop else None

    def off(self, *, wait: bool = True) -> Outcome | None:
        """Ramps to null and switches off; needs no lease."""
        self.ask("off")
        return self.wait_mode("off", 60.0) if wait else None

    def reset(self) -> None:
        """Forgets the trip."""
        self.ask("reset")

    def shutdown(self) -> None:
        """Ends the service in order, and the lease with it."""
        self.ask("shutdown")
        self._stop_beating()
        self._granted = False

    def _settle(self, mode: Literal["off", "hold"], what: str) -> Outcome:
        outcome = self.wait_mode(mode)
        if not outcome.done:
            raise Ended(what, outcome)
        return outcome

    def _wait(self, what: dict[str, Any], timeout_s: float) -> Outcome:
        first = -1
        while True:
            until_s = timeout_s or _LOOK_S
            r = self._wire.request("wait", {**what, "timeout_s": until_s}, until_s + self.timeout_s)
            first = r["first"] if first < 0 or "motion" in what else first
            if timeout_s or r["why"] != "timeout":
                return Outcome(r["why"], first, r["last"], r["tick"], r["trip"], r["mode"])

    # --- changing

    def set(self, values: Mapping[str, Any], origin: str = "", *, expects: int = 0) -> int:
        """Changes parameters, all or none; returns the epoch from which on they hold. `expects`: refused if another
        epoch than this one is active."""
        based = {"expects": expects} if expects else {}
        return int(self.ask("set", values=dict(values), origin=origin, **based)["epoch"])

    def undo(self, origin: str = "") -> int:
        """Takes the last set back, whole; again, the one before it."""
        return int(self.ask("undo", origin=origin)["epoch"])

    def changes(self, first: int = 0, last: int = LAST) -> dict[str, Any]:
        """Every set from this epoch on: `sets`; and the active values that differ from the rig file: `differs`."""
        found = self.ask("changes", first=first)
        page = found
        while page["next"] is not None and page["next"] <= last:
            page = self.ask("changes", first=page["next"])
            found = {**page, "sets": found["sets"] + page["sets"]}
        return found

    def journal(self, first: int = 0, newest: int = 0) -> Iterator[dict[str, Any]]:
        """Every set of this rig since its first start, oldest first; `newest`: only so many."""
        at: int | None = first
        while at is not None:
            page = self.ask("journal", first=at, newest=newest)
            yield from page["records"]
            at, newest = page["next"], 0

    def save(self, path: str | Path) -> Saved:
        """Writes what differs from the rig file into a file that it can include, whole or not at all."""
        return save(self, path)

    def zero(self, sensor: str, to: float = 0.0, samples: int = 1000) -> dict[str, Any]:
        """A sensor reads `to` from now on."""
        return self.ask("zero", sensor=sensor, to=to, samples=samples)


def _motion(r: dict[str, Any]) -> Motion:
    seconds = math.inf if r["seconds"] is None else float(r["seconds"])
    return Motion(r["motion"], r["first"], seconds, r["text"], r["facts"], r["extremes"], r["warnings"])


def _say_once(notice: str) -> None:
    if notice and notice not in _noticed:
        _noticed.add(notice)
        log.warning(notice)
