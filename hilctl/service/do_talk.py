"""Requests that ask, hold the lease, or wait."""

import time

from hilctl.friction import MODELS, linear_models
from hilctl.law.motions import MOTIONS
from hilctl.law.requests import RequestKind
from hilctl.service.lost import Restore, at_rest, put_back, until_taken
from hilctl.service.service import Asked, Service
from hilctl.service.status import status_of, wall_of
from hilctl.service.tasks import Pace, Result, Task
from hilctl.signals import CHANNELS, Arming, Mode, Trip
from hilctl.trips import TRIP_TEXTS
from hilctl.wire import MAJOR, PROTOCOL
from hilctl.wire.errors import MEANINGS, Code, Refused
from hilctl.wire.ops import OPS, Arguments, describe_leaf, describe_op, describe_table
from hilctl.wire.versions import newer_minor, other_major


def hello(s: Service, asked: Asked, given: Arguments) -> Result:
    """Who this is."""
    if given.args.protocol != MAJOR:
        raise Refused(Code.VERSION, other_major(given.args.protocol), "protocol")
    from hilctl import __version__

    identity = s.identity
    return {
        "protocol": PROTOCOL,
        "notice": newer_minor(given.args.minor),
        "version": __version__,
        "rig": s.rig.name,
        "run": identity.run,
        "schema": identity.schema,
        "clock": identity.clock,
        "rate_hz": s.rate_hz,
        "channels": [c.name for c in CHANNELS],
        "endpoints": identity.endpoints,
        "modes": {m.name.lower(): m.value for m in Mode},
        "twin": s.rig.twin,
        "heartbeat_s": s.rig.service.heartbeat_s,
        "lease_timeout_s": s.rig.service.lease_timeout_s,
        "console_idle_s": s.rig.service.console_idle_s,
        "recordings": str(s.places.recordings),
        "time_ns": time.time_ns(),
        "wall": wall_of(s),
        "who": asked.who.name,
        "role": asked.who.role.word,
    }


def describe(s: Service, asked: Asked, given: Arguments) -> Result:
    """Every declaration."""
    values = s.store.values()
    return {
        "channels": [c._asdict() for c in CHANNELS],
        "parameters": [{**describe_leaf(leaf), "value": values[leaf.path]} for leaf in s.store.leaves()],
        "friction_models": {name: describe_table(MODELS[name].Params, "friction") for name in linear_models()},
        "motions": {kind: describe_table(table) for kind, table in MOTIONS.items()},
        "ops": [describe_op(op) for op in OPS.values()],
        "codes": {str(code): meaning for code, meaning in MEANINGS.items()},
        "modes": {m.name.lower(): m.value for m in Mode},
        "arming": {a.name.lower(): a.value for a in Arming},
        "trips": {t.name.lower(): {"number": t.value, **TRIP_TEXTS[t]._asdict()} for t in Trip if t in TRIP_TEXTS},
    }


def status(s: Service, asked: Asked, given: Arguments) -> Result:
    """How things are."""
    return status_of(s)


def events(s: Service, asked: Asked, given: Arguments) -> Result:
    """What happened, and no less than a status shows that was asked for before."""
    s.hear()
    return {"events": [event.plain() for event in s.events.since(given.args.first)], "next": s.events.next}


def get(s: Service, asked: Asked, given: Arguments) -> Result:
    """Active parameters."""
    return {"epoch": s.store.epoch, "values": s.store.select(given.open["keys"])}


def lease(s: Service, asked: Asked, given: Arguments) -> Result | Task[Result]:
    """Takes, keeps, gives back."""
    args, desk = given.args, s.lease
    if args.action == "abandon":
        desk.need(asked.who.id, asked.token, "abandon")
        s.drop_queue(f"the lease was given up by {asked.sender}")
        return _abandon(s, asked)
    match args.action:
        case "beat":
            desk.need(asked.who.id, asked.token, "beat")
        case "release":
            if s.watch.mode in (Mode.TRACK, Mode.STANDBY) and s.core.ended is None:
                desk.need(asked.who.id, asked.token, "release")
                mode = s.watch.mode.name.lower()
                raise Refused(Code.WRONG_MODE, f"the lease is not given back in the mode {mode}; stop first", "mode")
            desk.need(asked.who.id, asked.token, "release")
            if s.queue.parked is not None:
                return _release(s, asked)
            _released(s, asked)
        case _:
            before, grants = desk.held, desk.grants
            force, restore = args.action == "takeover", Restore(s.store.epoch, s.store.rig) if args.restore else None
            held = desk.take(
                asked.who.id, asked.client, asked.token, args.kind, asked.now_s,
                holder=asked.sender, force=force, restore=restore,
            )  # fmt: skip
            if desk.grants != grants:
                s.core.hold(None)
                was = before.holder if before is not None else ""
                s.tell("lease", action=args.action, lease_kind=held.kind, by=asked.sender, was=was)
    return _lease_now(s)


def _release(s: Service, asked: Asked) -> Task[Result]:
    """Once the loop has said whether the motion that it keeps has begun: then the lease is not given back."""
    s.queue.undecided = s.queue.undecided or f"the lease was given back by {asked.sender}"
    s.core.call_off()
    while s.queue.undecided:
        yield Pace.FAST
    if s.queue.running is not None:
        told = f"the lease is not given back: motion {s.queue.running.motion} of the queue has just begun; stop first"
        raise Refused(Code.WRONG_MODE, told, "mode")
    _released(s, asked)
    return _lease_now(s)


def _released(s: Service, asked: Asked) -> None:
    s.lease.release(asked.who.id, asked.token)
    s.drop_queue(f"the lease was given back by {asked.sender}")
    s.core.hold(None)
    s.tell("lease", action="release", by=asked.sender)


def _lease_now(s: Service) -> Result:
    held_now = s.lease.held
    return {
        "held": held_now is not None,
        "kind": held_now.kind if held_now is not None else "",
        "holder": held_now.holder if held_now is not None else "",
        "token": held_now.token if held_now is not None else "",
        "lost_after_s": s.lease.patience_s(held_now.kind if held_now is not None else "attended"),
    }


def _abandon(s: Service, asked: Asked) -> Task[Result]:
    """What the loss of the lease would do, but in order and without a trip; answered when all of it is done."""
    held, grants = s.lease.held, s.lease.grants
    assert held is not None
    s.core.hold(None)
    s.tell("lease", action="abandon", by=asked.sender)
    yield from until_taken(s, RequestKind.STOP)
    yield from at_rest(s)
    if held.restore is not None:
        yield from put_back(s, held.restore, f"{held.holder} gave up")
    if s.lease.grants == grants:
        s.lease.drop()
    return {**_lease_now(s), "epoch": s.store.epoch}


def wait(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Until a motion or a job is over, some of the rig's time has passed, or a mode is reached."""
    args = given.args
    if bool(args.motion) + bool(args.seconds) + bool(args.mode) + bool(args.job) != 1:
        raise Refused(Code.BAD_VALUE, "motion, seconds, mode, job: give exactly one of them", "motion")
    job = s.jobs.get(args.job) if args.job else None
    if args.keep_lease:
        s.lease.need(asked.who.id, asked.token, "wait with keep_lease")
    first, begun_s, goal = s.core.history.end, time.monotonic(), 0
    if args.motion > s.last_motion:
        told = f"motion: {args.motion} refused, no such motion was started; the last one is {s.last_motion}"
        raise Refused(Code.BAD_VALUE, told, "motion")
    if args.seconds:
        s.core.need()
        if s.virtual:
            s.lease.need(asked.who.id, asked.token, "wait for virtual time")
        goal = max(s.watch.tick, s.core.link.status.tick) + max(1, round(args.seconds * s.rate_hz))
        if s.virtual:
            s.core.link.run_until(goal)
    while True:
        why = why_over(s, args.motion, goal, args.mode) if job is None else job.state if job.over else ""
        if not why and args.timeout_s and time.monotonic() - begun_s > args.timeout_s:
            why = "timeout"
        if why:
            return _over(s, why, args.motion, first)
        if args.keep_lease and asked.connected():
            s.lease.beat(asked.who.id, asked.token, time.monotonic())
        yield Pace.FAST if s.virtual else Pace.SLOW


def why_over(s: Service, motion: int, goal: int, mode: str) -> str:
    """Why a wait is over: for this motion, tick or mode; empty while it is not."""
    watch = s.watch
    if goal:
        return "time" if watch.tick >= goal else "gone" if s.core.ended is not None else ""
    moving = watch.mode in (Mode.TRACK, Mode.STOP, Mode.NULL)
    if motion:
        seen = watch.motions.get(motion)
        if seen is None and not s.occupied and s.core.ended is None:
            never = motion > next(iter(watch.motions), 0)  # the oldest that is still known
            forgotten = "how it ended is no longer known, so many have begun since"
            why = "it never began, for the loop refused it" if never else forgotten
            raise Refused(Code.GONE, f"motion {motion}: {why}", "motion")
        if seen is not None and seen.end >= 0 and not moving:
            return seen.why
    elif watch.mode.name.lower() == mode:
        return "mode"
    elif watch.trip and watch.mode == Mode.OFF:  # what is tripped and held is on its way to off: that is waited for
        return "tripped"
    return "gone" if s.core.ended is not None else ""


def _over(s: Service, why: str, motion: int, first: int) -> Result:
    seen = s.watch.motions.get(motion)
    return {
        "over": why not in ("timeout", "gone"),
        "why": why,
        "tick": s.watch.tick,
        "first": seen.first if seen is not None else first,
        "last": seen.end - 1 if seen is not None and seen.end >= 0 else s.core.history.end - 1,
        "trip": Trip(s.watch.trip).name.lower() if s.watch.trip else "",
        "mode": s.watch.mode.name.lower(),
    }


def shutdown(s: Service, asked: Asked, given: Arguments) -> Result:
    """Ends the service in order."""
    if s.lease.held is not None:
        s.lease.need(asked.who.id, asked.token, "shutdown")
    s.tell("shutdown", by=asked.sender)
    s.asked_to_end = True
    return {}
