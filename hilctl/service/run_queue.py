"""What makes the motions of the queue begin: each when the one before is over, its time has come, its channel has
passed its level.

    waiting --its turn, its time, its trigger--> running --> done
    waiting --stop, off, trip, another lease, a plan that no longer fits--> cancelled

The loop is asked for each of them as by `track`: nothing of the queue lies in the loop. So a motion begins a few
milliseconds after the instant that it waits for, never before; on the virtual clock at exactly that tick.
"""

from functools import partial

import numpy as np

from hilctl.errors import HilctlError
from hilctl.service.checked import plan_checked
from hilctl.service.do_motion import begin_planned, place_of
from hilctl.service.queue import Item, Planned
from hilctl.service.service import Service
from hilctl.service.tasks import Pace, Task
from hilctl.signals import Mode, Trip

SAME_M = 1e-9  # places that differ by less are one
OTHER_LEASE = "the lease was lost, given back or taken over"
_NEAR_S = 0.1  # to what is waited for: from then on it is looked for every millisecond
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
    far = not s.virtual and tick - s.core.link.status.tick > _NEAR_S * s.rate_hz
    return Pace.SLOW if far else Pace.FAST


def _at_rest(s: Service) -> bool:
    """By the samples, and by the core itself, whose word is newer."""
    return bool(s.watch.mode == Mode.HOLD and s.core.link.status.mode == Mode.HOLD and not s.core.link.status.motion_id)


def _watch(s: Service, item: Item) -> None:
    """Whether the motion of this item is over."""
    seen, gone = s.watch.motions.get(item.motion), s.core.ended is not None
    if seen is None and not gone and not s.watch.trip and s.watch.mode == Mode.TRACK:
        return
    if seen is not None and not gone and (seen.end < 0 or s.watch.mode in (Mode.TRACK, Mode.STOP, Mode.NULL)):
        return
    s.queue.running = None
    why = "gone" if gone and (seen is None or seen.end < 0) else seen.why if seen is not None else "tripped"
    if seen is not None:
        item.first, item.last = seen.first, seen.end - 1 if seen.end >= 0 else s.core.history.end - 1
    s.queue.end(item, _LOST.get(why, "stopped"), why if why != "done" else "")
    if why != "done":
        s.drop_queue(f"motion {item.motion} ended before its end: {why}")


def _next(s: Service, item: Item) -> Task[None]:
    """Begins it when it is due. What cancels the queue meanwhile is seen here as well."""
    cancels = s.queue.cancels
    look = _Look(s, item)
    while True:
        why = _broken(s) or look.why
        if why:
            s.drop_queue(why)
        if s.queue.cancels != cancels:
            return
        if not _at_rest(s) or s.occupied or s.changing:
            yield Pace.FAST
            continue
        if look.due():
            break
        yield _pace(s, item.due_tick)
    try:
        yield from _begin(s, item, cancels)
    except HilctlError as error:
        if s.queue.cancels == cancels:
            s.drop_queue(f"item {item.number} ({item.kind}): {error}")


class _Look:
    """Whether the time of an item has come, or its channel has passed its level since its turn came."""

    def __init__(self, s: Service, item: Item) -> None:
        self._s, self._item = s, item
        self._first = s.core.history.end - 1
        self._begun = s.core.link.status.tick
        self._step = max(1, round(s.rig.service.block_s * s.rate_hz))
        self.why = ""  # it will not come

    def due(self) -> bool:
        """True once it may begin with the next tick."""
        s, item = self._s, self._item
        now = s.core.link.status
        if item.due_tick:
            self._pass_time(item.due_tick - 1)
            return bool(now.tick >= item.due_tick - 1)
        if not item.start.channel:
            return True
        if self._passed():
            return True
        if item.start.within_s and now.tick - self._begun > item.start.within_s * s.rate_hz:
            start = item.start
            self.why = f"{start.channel} was not {start.edge} {start.level:g} within {start.within_s:g} s"
        elif s.core.history.end >= now.rows:
            self._pass_time(now.tick + self._step)
        return False

    def _passed(self) -> bool:
        """In the samples that have come since the last look; the one before them is kept for an edge."""
        history, start = self._s.core.history, self._item.start
        first = max(self._first, history.first, 0)
        if history.end - first < 2:
            return False
        values = history.rows(first, history.end)[start.channel].astype(np.float64)
        self._first = history.end - 1
        there = values >= start.level if start.edge in ("above", "rising") else values <= start.level
        there &= np.isfinite(values)
        if start.edge in ("rising", "falling"):
            there[1:] &= ~there[:-1] & np.isfinite(values[:-1])
        hits = np.flatnonzero(there[1:]) + 1
        if len(hits):
            self._item.due_tick = int(history.rows(first + int(hits[0]), first + int(hits[0]) + 1)["tick"][0])
        return bool(len(hits))

    def _pass_time(self, tick: int) -> None:
        """Virtual time passes only for what waits for it."""
        s = self._s
        if s.virtual and s.core.link.status.standing and s.core.link.status.tick < tick:
            s.core.hold(None)
            s.core.link.run_until(tick)


def _begin(s: Service, item: Item, cancels: int) -> Task[None]:
    """As planned; planned again where that is no longer valid."""
    assert item.planned is not None
    planned, s.occupied = item.planned, "the next motion of the queue begins"
    try:
        place_m, epoch = place_of(s), s.store.epoch
        if epoch != planned.epoch or abs(place_m - planned.from_m) > SAME_M:
            plan, _ = yield from s.planning.plan(partial(plan_checked, s, item.kind, item.parameters, place_m, 0))
            planned = Planned(plan, place_m, epoch)
        if s.queue.cancels != cancels or _broken(s) or not _at_rest(s):
            return
        s.queue.waiting.popleft()
        item.state, item.planned, item.rest_m, s.queue.running = "running", None, planned.rest_m, item
        item.motion = planned.plan.motion.id = s.last_motion + 1
        try:
            item.tick = yield from begin_planned(s, planned.plan, item.parameters, place_m, item.by)
        except HilctlError as error:
            s.queue.running = None
            s.queue.end(item, "cancelled", str(error))
            raise
        seen = s.watch.motions.get(item.motion)
        item.first = seen.first if seen is not None else -1
        late = max(0, item.tick - item.due_tick) if item.due_tick else 0
        s.tell("queue_started", item=item.number, motion=item.motion, due_tick=item.due_tick, late_ticks=late)
    finally:
        s.occupied = ""
