"""One run of a study: arm, track every motion, rest; and what came of it."""

import math
import time
from typing import Any, NamedTuple

from hilctl.errors import HilctlError
from hilctl.law.motions import Plan as MotionPlan
from hilctl.law.motions import check_plan, plan
from hilctl.law.motions.reach import within_reach
from hilctl.law.requests import REFUSAL_TEXTS, Refusal, RequestKind
from hilctl.loop.status import CoreStatus
from hilctl.params import BadValues
from hilctl.rig import Rig, flow, motion_limits, refuse_unstable
from hilctl.signals import SENSORS, Mode, Trip
from hilctl.study.outcomes import OF_REST, Rows, of_motion, of_rest, track_names
from hilctl.study.plan import Motion, Plan
from hilctl.study.private import Private
from hilctl.study.recorded import Recorded
from hilctl.trips import TRIP_TEXTS

# How a run may end.
DONE = "done"
TRIPPED = "tripped"  # a limit or a fault stopped it
REFUSED = "refused"  # the controller takes the values, but not the gains, the arming or the motion
IMPOSSIBLE = "impossible"  # the rig file's own checks refuse these values
OUTCOMES = (DONE, TRIPPED, REFUSED, IMPOSSIBLE)
HEAD = ("outcome", "why", "trip", "trip_key", "trip_s", "trip_value", "trip_limit")


class Ran(NamedTuple):
    """A run, or its half with or without compensation."""

    values: dict[str, Any]  # by column
    simulated_s: float
    spent_s: float  # of the processor
    rig: Rig | None
    plans: list[MotionPlan]


def names_of(study: Plan) -> list[str]:
    """The columns of what comes of a run."""
    return [*HEAD, *track_names([one.name for one in study.motions]), *OF_REST]


def run(study: Plan, number: int, compensation: str, recorded: Recorded | None = None) -> Ran:
    """The run of this number."""
    began_s = time.thread_time()
    values: dict[str, Any] = dict.fromkeys(names_of(study), math.nan)
    values |= {"outcome": DONE, "why": "", "trip": "", "trip_key": ""}
    outcome = IMPOSSIBLE
    try:
        rig = study.build(study.changes_of(number, compensation), told=recorded is not None)
        outcome = REFUSED
        if any(not one.key.startswith("twin.") for one in study.varied):
            refuse_unstable(rig)
    except BadValues as error:
        return Ran({**values, "outcome": outcome, "why": _short(error)}, 0.0, time.thread_time() - began_s, None, [])
    rows = Rows()
    try:
        controller = Private(rig, rows.take, recorded)
    except HilctlError as error:  # the twin's own refusal, of a friction too stiff for its step
        values |= {"outcome": IMPOSSIBLE, "why": _short(error)}
        return Ran(values, 0.0, time.thread_time() - began_s, rig, [])
    plans: list[MotionPlan] = []
    with controller:
        try:
            ended = _drive(study, controller, plans, recorded)
            values |= _trip(ended, rig.dt_s)
            if recorded is not None:
                recorded.tripped(ended, rig)
        except HilctlError as error:
            values |= {"outcome": REFUSED, "why": _short(error)}
    seen, rate_hz = rows.all(), rig.tables.loop.rate_hz
    for motion, made in zip(study.motions, plans, strict=False):
        values |= {f"{motion.name}.{name}": x for name, x in of_motion(seen, made, rate_hz).items()}
    if values["outcome"] == DONE:
        count = round(study.rest_s * rate_hz)
        values |= of_rest(seen, count, rig.tables.arming.rest_speed_m_s, rate_hz)
    spent_s = time.thread_time() - began_s + controller.spent_s
    return Ran(values, controller.ticks * rig.dt_s, spent_s, rig, plans)


def _drive(study: Plan, controller: Private, plans: list[MotionPlan], recorded: Recorded | None) -> CoreStatus:
    """Arms and tracks, until the end or a trip. HilctlError where something is refused."""
    status = controller.settle()
    _taken(controller.ask(RequestKind.ARM).refusal, "arming")
    status = controller.settle()
    for number, motion in enumerate(study.motions, 1):
        if status.trip or status.mode != Mode.HOLD:
            return status
        place_m = float(controller.link.memory.rows["xr_m"][(status.rows - 1) % len(controller.link.memory.rows)])
        plans.append(planned(motion, controller.rig, place_m, number))
        answer = controller.ask(RequestKind.TRACK, plans[-1])
        _taken(answer.refusal, motion.name)
        status = controller.settle()
        if recorded is not None:
            recorded.planned(motion, plans[-1], answer.tick)
            recorded.over(plans[-1], status)
    return controller.rest(study.rest_s) if study.rest_s and not status.trip else status


def _taken(refusal: int, what: str) -> None:
    if refusal:
        raise HilctlError(f"{what}: {REFUSAL_TEXTS[Refusal(refusal)]}")


def planned(motion: Motion, rig: Rig, place_m: float, number: int) -> MotionPlan:
    """The motion as a service would plan it on this rig, checked whole against its limits."""
    from msgspec.structs import replace

    limits = motion_limits(rig.controller, rig.dt_s)

    def made(shaping: Any) -> MotionPlan:
        planned = plan(motion.kind, motion.parameters, replace(limits, shaping=shaping), place_m, number,
                       motion.samples)  # fmt: skip
        check_plan(planned, limits, flow(rig.controller, rig.friction))
        return planned

    first = made(limits.shaping)
    first = within_reach(first, rig.settings(), limits.shaping, made)
    check_plan(first, limits)
    return first


def _trip(status: CoreStatus, dt_s: float) -> dict[str, Any]:
    """The trip that is latched, if any."""
    if not status.trip:
        return {}
    trip = Trip(status.trip)
    text = TRIP_TEXTS[trip]
    sensor = SENSORS[status.trip_sensor] if text.key == "sensors" and status.trip_sensor >= 0 else ""
    key = f"sensors.{sensor}" if sensor else text.key
    return {
        "outcome": TRIPPED, "why": text.meaning, "trip": trip.name.lower(), "trip_key": key,
        "trip_s": status.trip_tick * dt_s, "trip_value": status.trip_value, "trip_limit": status.trip_limit,
    }  # fmt: skip


def _short(error: HilctlError) -> str:
    return error.text.splitlines()[0][:200]
