"""Requests that move the rig, or end a motion."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from hilctl.errors import HilctlError
from hilctl.law.motions import MotionRefused, Plan, Shaping, check_plan, plan
from hilctl.law.requests import RequestKind
from hilctl.params import BadValues, Problem, plain
from hilctl.rig import flow, motion_limits
from hilctl.service.do_feed import begun
from hilctl.service.filing import start as start_recording
from hilctl.service.service import Asked, Service
from hilctl.service.stroke import refused_unshifted, shift_between, unshifted_limits
from hilctl.service.tasks import Pace, Result, Task
from hilctl.signals import Mode
from hilctl.wire.errors import Code, Refused, refusal_of
from hilctl.wire.ops import Arguments

_HALVINGS = 12  # of the size that was asked for, in search of one that fits
_SIZES = ("amplitude_m", "position_m", "peak_m")


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
    """What `track` would say, from where the table is."""
    made, extremes = yield from s.planning.check(
        asked.who.id, s.lease.allows(asked.who.id, asked.token),
        partial(plan_checked, s, given.args.kind, given.open["parameters"], place_of(s), 1),
    )  # fmt: skip
    return {
        "seconds": seconds_of(made), "extremes": extremes, "facts": made.facts, "text": made.text,
        "warnings": made.warnings,
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
    id = s.last_motion = int(made.motion.id)
    tick = yield from s.core.ask(RequestKind.TRACK, motion=made.motion, knots=made.knots)
    if made.kind == "external":
        s.external = begun(s, id, place_m, made.facts["interval_s"])
    known = made.kind != "external" and seconds_of(made) is not None
    s.resting_m = float(made.motion.out.to_m) if known else None
    s.events.tell(
        "planned", tick, motion=id, motion_kind=made.kind, parameters=parameters, text=made.text, author=author
    )
    while id not in s.watch.motions and s.watch.tick <= tick and s.core.ended is None:
        yield Pace.FAST
    return tick


def largest(key: str, parameters: Mapping[str, Any], checked: Callable[[Mapping[str, Any]], object]) -> float:
    """The largest value of this parameter that is not refused, rounded towards 0; 0 where none is, or it has none."""
    asked = parameters.get(key)
    if not isinstance(asked, float | int):
        return 0.0

    def fits(value: float) -> bool:
        try:
            checked({**parameters, key: value})
        except HilctlError:
            return False
        return True

    good, bad = 0.0, float(asked)
    for _ in range(_HALVINGS):
        middle = 0.5 * (good + bad)
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    rounded = float(f"{good:.3g}")
    return rounded if abs(rounded) <= abs(good) else float(f"{0.995 * good:.3g}")


def plan_checked(
    s: Service, kind: str, parameters: dict[str, Any], place: float, id: int, going: Callable[[], bool] = lambda: True
) -> tuple[Plan, dict[str, float]]:
    """The motion, planned from that place and checked whole, as long as it is `going`; runs on a planner's thread."""
    rig = s.store.rig
    limits = motion_limits(rig.controller, rig.dt_s)
    samples = s.waveforms.get(str(parameters.get("upload", ""))) if kind == "waveform" else None
    shift = shift_between(s.store.start.controller, rig.controller)

    extremes: dict[str, float] = {}

    def checked(parameters: Mapping[str, Any], shaping: Shaping = limits.shaping) -> Plan:
        made = plan(kind, parameters, replace(limits, shaping=shaping), place, id, samples)
        if made.kind == "external" and made.facts["interval_s"] < (1.0 - 1e-9) * rig.dt_s:
            told = f"must be at least the loop's period of {rig.dt_s:g} s"
            raise BadValues([Problem("interval_s", made.facts["interval_s"], told, "send fewer positions a second")])
        extremes.update(check_plan(made, limits, flow(rig.controller, rig.friction), going))
        if shift.any:
            try:
                check_plan(made, unshifted_limits(limits, shift), going=going)
            except MotionRefused as refused:
                raise refused_unshifted(refused, shift) from None
        return made

    try:
        made = checked(parameters)
        if rig.controller.law.feed.inverse > 0.0:
            from hilctl.law.motions.reach import within_reach

            made = within_reach(made, rig.settings(), limits.shaping, lambda shaping: checked(parameters, shaping))
            extremes.update(check_plan(made, limits, going=going))  # of the plan that is driven
        return made, extremes
    except HilctlError as error:
        refused = refusal_of(error)
        most = ""
        for key in _SIZES if refused.code == Code.LIMIT else ():
            fits = largest(key, parameters, checked)
            most += f"; the largest {key} that fits is {fits:.3g}" if fits else ""
        raise Refused(refused.code, refused.message + most, refused.key) from None


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
