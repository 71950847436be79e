"""What follows when the commanding client has fallen silent, or gives up its lease.

the motion      ends as service.lease_lost says; asked for again in every cycle until the loop has taken it or is off
the parameters  of who took the lease with `restore`: as they were at the take, in one set, once the table is at rest;
                in off, where that shifts the measured position or protects less
"""

import logging
from typing import NamedTuple

from hilctl.law.requests import RequestKind
from hilctl.rig import Rig
from hilctl.service.do_change import adopted, put
from hilctl.service.lease import Held
from hilctl.service.off_only import bound_to_off, need_no_fault
from hilctl.service.service import Asked, Service
from hilctl.service.tasks import Pace, Task
from hilctl.signals import Action, Mode, Trip
from hilctl.wire.errors import Refused
from hilctl.wire.roles import Role, Who

log = logging.getLogger(__name__)

SERVICE = "service"  # the author of what it does by itself
ACTIONS = {"stop": Action.STOP, "null": Action.NULL}


class Restore(NamedTuple):
    """The parameters at the take of a lease."""

    epoch: int
    rig: Rig


def after_loss(s: Service, lost: Held) -> Task[dict[str, int]]:
    """The lease was lost: the motion ends, then the parameters are put back."""
    policy = s.rig.service.lease_lost
    if policy in ACTIONS:
        yield from until_taken(s, RequestKind.TRIP, trip=Trip.LEASE_LOST, action=ACTIONS[policy])
    if lost.restore is not None:
        yield from put_back(s, lost.restore, f"the lease of {lost.holder} was lost")
    return {}


def put_back(s: Service, restore: Restore, why: str) -> Task[int]:
    """The parameters as they were; the epoch that is active then. Nobody begins a motion or a set meanwhile."""
    while s.occupied or s.changing:
        if s.core.ended is not None:
            return s.store.epoch
        yield Pace.FAST
    proposed = s.store.as_before(restore.rig)
    if not proposed.edits:
        return s.store.epoch
    s.occupied = f"the parameters of epoch {restore.epoch} are being put back, for {why}"
    s.changing = True
    try:
        bound = bound_to_off(s.store.rig, restore.rig)
        off = bool(bound) or (proposed.remodels and _inverse(s.rig) + _inverse(restore.rig) > 0)
        yield from at_rest(s, off=off)
        if s.core.ended is not None:
            return s.store.epoch
        need_no_fault(s, bound)
        asked = Asked(Who("", SERVICE, Role.COMMISSIONER), "", "", 0.0)
        put(s, asked, proposed, f"{why}: back to epoch {restore.epoch}"[:80])
        yield from adopted(s, proposed, blended=off or proposed.remodels)
        s.tell("restored", epoch=proposed.epoch, as_of=restore.epoch, why=why)
        return proposed.epoch
    except Refused as refused:
        s.tell("restore_failed", as_of=restore.epoch, why=why, reason=refused.message)
        return s.store.epoch
    finally:
        s.occupied, s.changing = "", False


def _inverse(rig: Rig) -> float:
    return float(rig.controller.law.feed.inverse)


def at_rest(s: Service, *, off: bool = False) -> Task[None]:
    """Until the table is at rest: held, or switched off where it has to be. What was asked before is waited for."""
    before, asked = s.core.link.asked, False
    while s.core.ended is None:
        status = s.core.link.status
        mode = Mode(status.mode) if status.request >= before else None
        if mode == Mode.OFF or (mode == Mode.HOLD and not off):
            return
        if mode == Mode.HOLD and not asked:
            yield from until_taken(s, RequestKind.OFF)
            asked = True
        yield Pace.FAST


def until_taken(s: Service, kind: RequestKind, *, trip: int = 0, action: int = 0) -> Task[None]:
    """Asks the loop in every cycle until it has taken the request, the rig is off, or the core is ending anyway."""
    told = False
    while s.core.ended is None and not s.core.ending:
        if Mode(s.core.link.status.mode) == Mode.OFF and not s.core.arming_asked:
            return
        try:
            yield from s.core.ask(kind, trip=trip, action=action)
            return
        except Refused as refused:
            if not told:
                log.error("%s is asked for again until the loop takes it: %s", kind.name.lower(), refused)
            told = True
        yield Pace.FAST
