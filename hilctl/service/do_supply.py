"""The supply's level, commanded while the table is held: low to work at the table, high to drive it."""

from hilctl.law.requests import RequestKind
from hilctl.service.do_motion import off
from hilctl.service.service import Asked, Service
from hilctl.service.status import supply_of
from hilctl.service.tasks import Pace, Result, Task
from hilctl.signals import Mode
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import Arguments

LEVELS = ("off", "low", "high")  # by the supply output
_NEARLY = 0.97  # of what counts as there: the next samples have their noise


def supply(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Another level; answers when its pressure is there, or what has ended the way to it."""
    level = given.args.level
    s.core.need()
    _need_calm(s, level)
    if level == "off":
        if s.watch.mode == Mode.OFF:
            return {"tick": s.watch.tick, **supply_of(s.core.history.last()), "why": "there"}
        return {**(yield from off(s, asked, given)), **supply_of(s.core.history.last()), "level": level, "why": "there"}
    machine = s.store.controller.machine
    if level == "low" and machine.Ps_low >= machine.Ps:
        told = f"the rig has no low setting: machine.Ps_low = machine.Ps = {machine.Ps:g} Pa"
        raise Refused(Code.BAD_VALUE, told, "machine.Ps_low")
    s.occupied = f"the supply goes to its {level} level"
    try:
        tick = yield from s.core.ask(RequestKind.SUPPLY, action=LEVELS.index(level))
        s.tell("supply", level=level, by=asked.sender)
        why = yield from _there(s, level)
    finally:
        s.occupied = ""
    return {"tick": tick, **supply_of(s.core.history.last()), "why": why}


def _need_calm(s: Service, level: str) -> None:
    """No motion runs, is planned or waits: it was checked against what the supply gives now."""
    op = f"supply {level}"
    s.need_mode(op, Mode.HOLD, *((Mode.OFF,) if level == "off" else ()))
    if len(s.queue):
        told = f"{len(s.queue)} motions wait in the queue, planned for the level of now; `unqueue` them first"
        raise Refused(Code.WRONG_MODE, told, op)
    if s.occupied:
        raise Refused(Code.BUSY, f"{s.occupied}; ask again in a moment", op)


def _there(s: Service, level: str) -> Task[str]:
    """Until the pressure is there, and the samples show it; or what has ended that."""
    asked = s.core.link.asked
    while True:
        status = s.core.link.status
        if s.core.ended is not None:
            s.core.need()
        if status.request >= asked and s.core.history.end >= status.rows:
            if status.trip:
                return "tripped"
            if status.mode != Mode.HOLD:
                return "off"
            if not status.supply_changes:
                return "late" if _is_short(s, level) else "there"
        yield Pace.FAST


def _is_short(s: Service, level: str) -> bool:
    """Whether the measured pressure is not there, although it was given its time."""
    pressure_pa, machine = supply_of(s.core.history.last())["pressure_pa"], s.store.controller.machine
    share = _NEARLY * s.store.controller.arming.supply_share
    if pressure_pa is None:
        return False
    return bool(pressure_pa < share * machine.Ps if level == "high" else share * pressure_pa > machine.Ps_low)
