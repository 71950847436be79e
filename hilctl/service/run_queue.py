"""What makes the motions of the queue begin: each when the one before is over, its time has come, its channel has
passed its level.

    waiting --its turn, its time, its trigger--> running --> done
    waiting --stop, off, trip, another lease, a plan that no longer fits--> cancelled

The loop is asked for each of them as by `track`. Shortly before its time, or when the turn of one with a trigger has
come, the loop gets it to keep (loop/parked.py), and begins it at exactly that tick, on both clocks. Whatever cancels
the queue, or makes the plan invalid, calls off what the loop has; until it answers, the item is undecided.
"""

from functools import partial

from hilctl.errors import HilctlError
from hilctl.law.requests import Refusal, RequestKind
from hilctl.loop.link import Answer
from hilctl.service.checked import plan_checked
from hilctl.service.core import taken
from hilctl.service.do_motion import has_begun, place_of
from hilctl.service.look import NEAR_S, Look
from hilctl.service.queue import Item, Planned
from hilctl.service.service import Service
from hilctl.service.tasks import Pace, Task
from hilctl.signals import Mode, Trip

SAME_M = 1e-9  # places that differ by less are one
OTHER_LEASE = "the lease was lost, given back or taken over"
BEGINS = "the next motion of the queue begins"
_LOST = {"done": "done", "tripped": "tripped", "gone": "gone"}  # how an item ends, by its motion's end


def run(s: Service) -> Task[dict[str, int]]:
    """Until the queue is empty and its last motion over."""
    q = s.queue
    try:
        while q.waiting or q.running is not None:
            why = _broken(s)
            if q.running is not None:
                _watch(s, q.running)
            if why:
                s.drop_queue(why)
            elif q.running is None and q.waiting and _at_rest(s):
                yield from _next(s, q.waiting[0])
            yield _pace(s, _end_tick(s, q.running))
    finally:
        q.working = False
    return {}


def _broken(s: Service) -> str:
    """Why nothing of the queue may begin any more."""
    if s.core.ended is not None or s.core.ending:
        return "the core ended"
    if s.watch.trip:
        return f"tripped: {Trip(s.watch.trip).name.lower()}"
    if s.lease.holders != s.queue.holder:
        return OTHER_LEASE
    if s.watch.mode not in (Mode.HOLD, Mode.TRACK):
        return f"the mode is {s.watch.mode.name.lower()}"
    return ""


def _end_tick(s: Service, item: Item | None) -> int:
    """The tick at which its motion should be over; 0: any time."""
    return item.tick + int((item.seconds or 0.0) * s.rate_hz) if item is not None else 0


def _pace(s: Service, tick: int) -> Pace:
    """How soon to look again for what comes at this tick; in virtual time it may come at any moment."""
    far = not s.virtual and tick - s.core.link.status.tick > NEAR_S * s.rate_hz
    return Pace.SLOW if far else Pace.FAST


def _at_rest(s: Service) -> bool:
    """By the samples, and by the core itself, whose word is newer."""
    return bool(s.watch.mode == Mode.HOLD and s.core.link.status.mode == Mode.HOLD and not s.core.link.status.motion_id)


def _watch(s: Service, item: Item) -> None:
    """Whether the motion of this item is over."""
    seen, gone = s.watch.motions.get(item.motion), s.core.ended is not None
    if not gone and (seen is None or seen.end < 0 or s.watch.mode in (Mode.TRACK, Mode.STOP, Mode.NULL)):
        return
    s.queue.running = None
    why = seen.why if seen is not None and seen.end >= 0 else "gone"
    if seen is not None:
        item.first, item.last = seen.first, seen.end - 1 if seen.end >= 0 else s.core.history.end - 1
    s.queue.end(item, _LOST.get(why, "stopped"), why if why != "done" else "")
    if why != "done":
        s.drop_queue(f"motion {item.motion} ended before its end: {why}")


def _next(s: Service, item: Item) -> Task[None]:
    """Begins it when it is due. What cancels the queue meanwhile is seen here as well."""
    cancels = s.queue.cancels
    look = Look(s, item)
    while True:
        why = _broken(s) or look.why
        if why:
            s.drop_queue(why)
        if s.queue.cancels != cancels:
            return
        if not _at_rest(s) or s.occupied or s.changing:
            yield Pace.FAST
        elif look.near():
            try:
                if (yield from _begin(s, item, look, cancels)):
                    return
            except HilctlError as error:
                if s.queue.cancels == cancels:
                    s.drop_queue(f"item {item.number} ({item.kind}): {error}")
                return
        else:
            yield _pace(s, item.due_tick)


def _begin(s: Service, item: Item, look: Look, cancels: int) -> Task[bool]:
    """As planned; planned again where that is no longer valid. The loop is given it ahead of its time; False where it
    was called off because it is not valid any more."""
    assert item.planned is not None
    q, s.occupied = s.queue, BEGINS
    try:
        place_m = place_of(s)
        if not _valid(s, item.planned):
            epoch = s.store.epoch
            plan, _ = yield from s.planning.plan(partial(plan_checked, s, item.kind, item.parameters, place_m, 0))
            item.planned = Planned(plan, place_m, epoch)
        if q.cancels != cancels or _broken(s) or not _at_rest(s):
            return True
        plan = item.planned.plan
        plan.motion.id = s.last_motion + 1
        begin = look.begin()
        if begin.edge:  # nothing else is kept waiting for what may never come
            s.occupied = ""
        id = s.core.send(RequestKind.TRACK, motion=plan.motion, knots=plan.knots, begin=begin)
        q.parked = item
        try:
            answer = yield from _answered(s, item, id, look)
        finally:
            q.parked, why, q.undecided = None, q.undecided, ""
        if why and answer.refusal:
            q.waiting.remove(item)
            q.end(item, "cancelled", why)
            s.tell("queue_cancelled", items=[item.number], why=why)
            return True
        if answer.refusal == Refusal.CALLED_OFF:
            return False
        item.tick = taken(answer)
        s.occupied = s.occupied or BEGINS
        q.waiting.remove(item)
        item.state, item.rest_m, q.running = "running", item.planned.rest_m, item
        item.motion, item.planned = int(plan.motion.id), None
        yield from has_begun(s, plan, item.parameters, place_m, item.by, item.tick)
        seen = s.watch.motions.get(item.motion)
        item.first = seen.first if seen is not None else -1
        look.passed()  # at which sample, where the loop has waited for one
        late = max(0, item.tick - item.due_tick) if item.due_tick else 0
        s.tell("queue_started", item=item.number, motion=item.motion, due_tick=item.due_tick, late_ticks=late)
        return True
    finally:
        if s.occupied == BEGINS:
            s.occupied = ""


def _valid(s: Service, planned: Planned) -> bool:
    return s.store.epoch == planned.epoch and abs(place_of(s) - planned.from_m) <= SAME_M


def _answered(s: Service, item: Item, id: int, look: Look) -> Task[Answer]:
    """What the loop says of it: when it has begun, or will not. It is called off where it is not valid any more, and
    where its level was passed in a sample before the loop had it."""
    assert item.planned is not None
    ours, told = s.occupied, False
    while (answer := s.core.answer(id)) is None:
        s.core.need()
        why = _broken(s) or look.why
        if why and not s.queue.undecided:
            s.drop_queue(why)
        stale = s.changing or s.occupied != ours or not _valid(s, item.planned) or look.missed()
        if stale and not told:
            told = True
            s.core.call_off()
        look.pass_time()
        yield _pace(s, item.due_tick)
    return answer
