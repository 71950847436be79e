"""Requests that move the rig, or end a motion."""

import math
from functools import partial
from typing import Any

from hilctl.law.motions import Plan
from hilctl.law.requests import RequestKind
from hilctl.params import plain
from hilctl.service.checked import plan_checked, plan_shown
from hilctl.service.do_feed import begun
from hilctl.service.filing import start as start_recording
from hilctl.service.service import Asked, Service
from hilctl.service.tasks import Pace, Result, Task
from hilctl.signals import Mode
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import Arguments


def arm(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """From off towards hold; with a recording, where the rig asks for one."""
    s.need_mode("arm", Mode.OFF)
    _need_link(s)
    if s.rig.recording.required and (not s.recorder.active or s.recorder.state.always):
        yield from start_recording(s, "")
        s.lease.need(asked.who.id, asked.token, "arm")
        s.need_mode("arm", Mode.OFF)
    if s.occupied:  # judged in the step that asks the loop: such a change and arming exclude each other
        raise Refused(Code.BUSY, f"{s.occupied}; ask again in a moment", "arm")
    return {"tick": (yield from s.core.ask(RequestKind.ARM, action=int(given.args.prove)))}


def _need_link(s: Service) -> None:
    """The loop would refuse as well, but can only say that no sensor answers."""
    link = s.core.link.status.device
    if link.state == "open":
        return
    again = s.rig.tables.loop.reconnect.enabled
    then = f"reconnecting, attempt {link.attempts + 1}: arm when it is open" if again else "restart the service"
    why = f" ({link.reason})" if link.reason else ""
    raise Refused(Code.WRONG_MODE, f"the link to the device is lost for {link.since_s:g} s{why}; {then}", "link")


def stop(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Decelerates and holds. There is nothing to stop where nothing moves, and that is no error."""
    s.drop_queue(f"stop by {asked.sender}")
    return {"tick": (yield from s.core.ask(RequestKind.STOP))}


def off(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Switches off in order; a console's turn is over with it."""
    s.drop_queue(f"off by {asked.sender}")
    tick = yield from s.core.ask(RequestKind.OFF)
    if s.lease.held is not None and s.lease.held.kind == "console":
        s.lease.drop()
        s.tell("lease", action="off", by=asked.sender)
    return {"tick": tick}


def reset(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Forgets the trip."""
    return {"tick": (yield from s.core.ask(RequestKind.RESET))}


def track(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Starts a motion."""
    return (yield from _start(s, asked, "track", given.args.kind, given.open["parameters"]))


def move(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Starts a move."""
    return (yield from _start(s, asked, "move", "move", plain(given.args)))


def check_motion(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """What `track` would say, from where the table is; with a picture of the motion, where points are asked for."""
    kind, points, parameters = given.args.kind, given.args.points, given.open["parameters"]
    shown = yield from s.planning.check(
        asked.who.id, s.lease.allows(asked.who.id, asked.token),
        partial(plan_shown, s, kind, parameters, place_of(s), points),
    )  # fmt: skip
    made = shown.plan
    return {
        "seconds": seconds_of(made), "extremes": shown.extremes, "facts": made.facts, "text": made.text,
        "warnings": made.warnings, **shown.picture,
    }  # fmt: skip


def _start(s: Service, asked: Asked, op: str, kind: str, parameters: dict[str, Any]) -> Task[Result]:
    s.core.need()
    s.need_mode(op, Mode.HOLD)
    if len(s.queue):
        told = f"{len(s.queue)} motions wait in the queue; queue this one as well, or `unqueue` them first"
        raise Refused(Code.WRONG_MODE, told, op)
    if s.occupied:
        raise Refused(Code.BUSY, s.occupied, op)
    s.occupied = "another motion is being planned"
    id = s.last_motion + 1
    try:
        made, extremes, tick = yield from _begin(s, asked, op, kind, parameters, id)
    finally:
        s.occupied = ""
    seen = s.watch.motions.get(id)
    first = seen.first if seen is not None else s.core.history.find_tick(tick)
    return {
        "motion": id,
        "first": first,
        "tick": tick,
        "seconds": seconds_of(made),
        "extremes": extremes,
        "facts": made.facts,
        "text": made.text,
        "warnings": made.warnings,
    }


def _begin(
    s: Service, asked: Asked, op: str, kind: str, parameters: dict[str, Any], id: int
) -> Task[tuple[Plan, dict[str, float], int]]:
    """Plans, asks the loop, and waits for its first sample."""
    place, grants = place_of(s), s.lease.grants
    made, extremes = yield from s.planning.plan(partial(plan_checked, s, kind, parameters, place, id))
    if s.lease.grants != grants:
        s.lease.need(asked.who.id, asked.token, op)
    s.need_mode(op, Mode.HOLD)
    if place_of(s) != place:
        raise Refused(Code.BUSY, "the reference moved while the motion was planned; ask again", op)
    tick = yield from begin_planned(s, made, parameters, place, asked.sender)
    return made, extremes, tick


def begin_planned(s: Service, made: Plan, parameters: dict[str, Any], place_m: float, author: str) -> Task[int]:
    """Asks the loop, and waits for its first sample; the tick at which it was taken."""
    # From here on the loop may take it; a motion that was refused before has no number.
    s.last_motion = int(made.motion.id)
    tick = yield from s.core.ask(RequestKind.TRACK, motion=made.motion, knots=made.knots)
    yield from has_begun(s, made, parameters, place_m, author, tick)
    return tick


def has_begun(
    s: Service, made: Plan, parameters: dict[str, Any], place_m: float, author: str, tick: int
) -> Task[None]:  # fmt: skip
    """What follows once the loop has taken it at this tick; until its first sample is there, or it is over without."""
    id = s.last_motion = int(made.motion.id)
    if made.kind == "external":
        s.external = begun(s, id, place_m, made.facts["interval_s"])
    known = made.kind != "external" and seconds_of(made) is not None
    s.resting_m = float(made.motion.out.to_m) if known else None
    s.events.tell(
        "planned", tick, motion=id, motion_kind=made.kind, parameters=parameters, text=made.text, author=author
    )
    while id not in s.watch.motions and s.core.ended is None:
        status = s.core.link.status
        if s.watch.tick > tick and status.motion_done_id >= id:
            first = s.core.history.find_tick(tick)
            first = s.core.history.end if first is None else first
            seen = s.watch.over_unseen(id, first, tick, status.motion_result)
            s.events.tell(seen.kind, seen.tick, **seen.body)
        else:
            yield Pace.FAST


def place_of(s: Service) -> float:
    """Where the reference stands; where the table is, while nothing holds it."""
    row = s.core.history.last()
    if row is None:
        return 0.0
    held = s.watch.mode in (Mode.HOLD, Mode.TRACK, Mode.STOP)
    x = float(row["xr_m"] if held else row["position_m"])
    return x if math.isfinite(x) else 0.0


def seconds_of(made: Plan) -> float | None:
    """None for a motion without end."""
    return made.duration_s if math.isfinite(made.duration_s) else None
