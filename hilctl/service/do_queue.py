"""Requests about the queue of motions."""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from hilctl.params import BadValues, Problem, check, nearest
from hilctl.service.checked import plan_checked
from hilctl.service.do_motion import place_of, seconds_of
from hilctl.service.queue import Item, Planned
from hilctl.service.run_queue import OTHER_LEASE, SAME_M, run
from hilctl.service.service import Asked, Service
from hilctl.service.status import wall_of
from hilctl.service.tasks import Pace, Result, Task
from hilctl.signals import NAMES, Mode
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import Arguments
from hilctl.wire.ops_queue import DAY_S, MOST, Start

_SHOWN = 64
_S = 1_000_000_000


def queue(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """All of these motions, or none. One request after the other: each is planned from the end of those before."""
    s.core.need()
    s.need_mode("queue", Mode.HOLD, Mode.TRACK)
    wanted = _wanted(s, given.open["motions"])
    grants, q = s.lease.grants, s.queue
    while q.adding:
        yield Pace.FAST
    _drop_stale(s)
    while q.undecided:
        yield Pace.FAST
    cancels = q.cancels
    if len(q) + len(wanted) > MOST:
        told = f"{len(q)} motions wait, at most {MOST} may; queue these {len(wanted)} later"
        raise Refused(Code.BUSY, told, "motions")
    q.adding = True
    try:
        tail = _tail(s)
        made = yield from _planned(s, wanted, tail[1])
        if s.lease.grants != grants:
            s.lease.need(asked.who.id, asked.token, "queue")
        s.need_mode("queue", Mode.HOLD, Mode.TRACK)
        _drop_stale(s)
        now = _tail(s)
        if q.cancels != cancels or now[0] != tail[0] or abs(now[1] - tail[1]) > SAME_M:
            told = "what runs or waits has changed while these were planned; queue them again"
            raise Refused(Code.BUSY, told, "motions")
    finally:
        q.adding = False
    items = [_item(s, asked, one, parameters, due, plan)
             for (one, parameters, due), plan in zip(wanted, made, strict=True)]  # fmt: skip
    q.waiting.extend(items)
    q.holder = s.lease.holders
    s.tell("queued", items=[item.number for item in items], by=asked.sender)
    if not q.working:
        q.working = True
        s.tasks.own("the queue of motions", run(s))
    return {"items": [item.plain() for item in items]}


def _drop_stale(s: Service) -> None:
    """What another holder of the lease has queued never becomes ours."""
    if s.queue.holder != s.lease.holders:
        s.drop_queue(OTHER_LEASE)


Wanted = tuple[Start, dict[str, Any], int]  # with the tick before which it does not begin


def _wanted(s: Service, motions: list[Mapping[str, Any]]) -> list[Wanted]:
    """What each asks for, or all that is wrong with them."""
    problems: list[Problem] = []
    wanted: list[Wanted] = []
    for place, one in enumerate(motions, 1):
        at, rest = f"motions[{place}]", dict(one)
        parameters = rest.pop("parameters", {})
        if not isinstance(parameters, Mapping):
            problems.append(Problem(f"{at}.parameters", parameters, "must be a map"))
            continue
        try:
            start = check(Start, rest, at)
        except BadValues as bad:
            problems += bad.problems
            continue
        if start.kind == "external":
            remedy = "`track` it when its turn comes"
            problems.append(Problem(f"{at}.kind", start.kind, "cannot wait in the queue", remedy))
        if start.channel and start.channel not in NAMES:
            remedy = nearest(start.channel, NAMES)
            problems.append(Problem(f"{at}.channel", start.channel, "no such channel", remedy))
        wanted.append((start, dict(parameters), _due(s, start, at, problems)))
    if not motions:
        problems.append(Problem("motions", 0, "at least one is required"))
    if problems:
        raise BadValues(problems)
    return wanted


def _due(s: Service, start: Start, at: str, problems: list[Problem]) -> int:
    """The tick before which it does not begin. A wall time becomes a tick now: no step of the clock moves it later."""
    now = s.core.link.status.tick
    if start.at_tick:
        limit = now + int(DAY_S * s.rate_hz)
        if not now < start.at_tick <= limit:
            problems.append(Problem(f"{at}.at_tick", start.at_tick, f"must be {now + 1} to {limit}; now is tick {now}"))
        return start.at_tick
    if not start.at_ns:
        return 0
    wall = wall_of(s)
    if wall is None or wall["tick0_ns"] is None:
        problems.append(Problem(f"{at}.at_ns", start.at_ns, "the virtual clock has no wall time", "give at_tick"))
        return 0
    ahead_s = 1e-9 * (start.at_ns - time.time_ns())
    if not 0 < ahead_s <= DAY_S:
        when = f"{-ahead_s:.0f} s ago" if ahead_s <= 0 else f"{ahead_s:.0f} s ahead"
        told = f"is {when} by the rig PC's clock, which shows {_clock(time.time_ns())}; must be within the next day"
        problems.append(Problem(f"{at}.at_ns", start.at_ns, told, "`hilctl status` says whether the clocks differ"))
        return 0
    return -int((wall["tick0_ns"] + wall["offset_ns"] - start.at_ns) // wall["period_ns"])


def _clock(time_ns: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(time_ns // _S))


def _tail(s: Service) -> tuple[int, float]:
    """What a new motion would follow, and where the table rests then."""
    q = s.queue
    last = q.waiting[-1] if q.waiting else q.running
    if last is not None:
        if last.seconds is None:
            told = f"item {last.number} of the queue runs until it is stopped; nothing can follow it"
            raise Refused(Code.WRONG_MODE, told, "motions")
        return last.number, last.rest_m
    if s.watch.mode != Mode.TRACK:
        return -s.last_motion, place_of(s)
    if s.resting_m is None:
        told = f"motion {s.watch.motion} is external or runs until it is stopped: where it ends is not known"
        raise Refused(Code.WRONG_MODE, f"{told}; wait for its end", "motions")
    return -s.last_motion, s.resting_m


def _planned(s: Service, wanted: list[Wanted], place_m: float) -> Task[list[Planned]]:
    """Each planned from where the one before it rests; refused whole, with its place."""
    made: list[Planned] = []
    for place, (start, parameters, _) in enumerate(wanted, 1):
        epoch = s.store.epoch
        try:
            plan, _ = yield from s.planning.plan(partial(plan_checked, s, start.kind, parameters, place_m, 0))
        except Refused as refused:
            told = f"motion {place} of {len(wanted)} ({start.kind}): {refused.message}; none of them was queued"
            raise Refused(refused.code, told, refused.key) from None
        if seconds_of(plan) is None and place < len(wanted):
            told = f"motion {place} of {len(wanted)} ({start.kind}) runs until it is stopped: nothing can follow it"
            raise Refused(Code.BAD_VALUE, f"{told}; none of them was queued", "motions")
        made.append(Planned(plan, place_m, epoch))
        place_m = made[-1].rest_m
    return made


def _item(s: Service, asked: Asked, start: Start, parameters: dict[str, Any], due: int, planned: Planned) -> Item:
    seconds, text = seconds_of(planned.plan), planned.plan.text
    number = s.queue.number()
    return Item(number, start.kind, parameters, start, due, asked.sender, planned, seconds, text, planned.rest_m)


def queued(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """The queue; or one item of it, when it is over."""
    args, until_s = given.args, time.monotonic() + given.args.wait_s
    if not args.item:
        over = [item for item in s.queue.items if item.over][-_SHOWN:]
        return {"items": [item.plain() for item in (*over, *(i for i in s.queue.items if not i.over))]}
    while True:
        item = s.queue.find(args.item)
        if item is None:
            raise Refused(Code.BAD_VALUE, f"no item {args.item}; `queued` lists what is remembered", "item")
        if item.over or time.monotonic() >= until_s:
            return {"items": [item.plain()]}
        yield Pace.FAST if s.virtual else Pace.SLOW


def unqueue(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Cancels what waits; not one that has begun meanwhile."""
    item = given.args.item
    if item and item not in {one.number for one in s.queue.waiting}:
        raise Refused(Code.BAD_VALUE, f"item {item} does not wait; `queued` lists those that do", "item")
    undecided = s.queue.parked
    gone = s.drop_queue(f"cancelled by {asked.sender}", item)
    while s.queue.undecided:
        yield Pace.FAST
    if undecided is not None and undecided.state == "cancelled":
        gone = [undecided.number, *gone]
    return {"cancelled": gone}
