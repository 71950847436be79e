"""Requests that change parameters."""

import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

import numpy as np

from hilctl.params import BadValues, Problem, nearest
from hilctl.recording.layout import Change
from hilctl.service.off_only import SHIFTS, Bound, bound_to_off, need_no_fault, need_off, shifts
from hilctl.service.service import Asked, Service
from hilctl.service.store import Author, Set
from hilctl.service.tasks import Pace, Result, Task, finished
from hilctl.signals import SENSOR_KINDS, SENSORS, Mode
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import Arguments

_MOST_LOST = 0.1  # of the readings of a zero
_JOURNAL_S = 2.0  # as long an answer waits for the disk
_ADOPTION_S = 3.0  # a tick adopts a set within two periods

Kept = Future[int]  # the number of a record in the journal

# Where a sensor's corrected value stands in a sample.
_CHANNELS = {kind.name: kind.channel for kind in SENSOR_KINDS if not kind.alarm}


def set_values(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """All or none of the changes, active from one tick on."""
    args = given.args
    return (yield from change(s, asked, partial(s.store.propose, given.open["values"]), args.origin, args.expects))


def undo(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """The last change, taken back."""
    return (yield from change(s, asked, s.store.back, given.args.origin or "undo", given.args.expects))


def change(s: Service, asked: Asked, propose: Callable[[], Set], origin: str, expects: int = 0) -> Task[Result]:
    """Checks, hands over, tells; answers when the loop has adopted it, and on the virtual clock when it is blended in.

    One change after the other: each is judged against the set before it, on the planner's thread.
    """
    s.core.need()
    while s.changing:
        yield Pace.FAST
    s.changing, grants = True, s.lease.grants
    try:
        _need_epoch(s, expects)
        proposed = yield from finished(s.planning.planner.submit(propose))
        if s.lease.grants != grants:
            s.lease.need(asked.who.id, asked.token, "set")
        bound = bound_to_off(s.store.rig, proposed.rig)
        if bound:
            kept = yield from _in_off(s, asked, proposed, origin, grants, bound)
        elif proposed.remodels:
            kept = yield from _remodel(s, asked, proposed, origin, grants)
        else:
            kept = put(s, asked, proposed, origin)
    finally:
        s.changing = False
    yield from adopted(s, proposed, blended=s.virtual)
    number = yield from _kept(kept)
    return {
        "epoch": proposed.epoch,
        "journal": number,
        "undoes": proposed.undoes,
        "changed": [edit._asdict() for edit in proposed.edits],
    }


def _need_epoch(s: Service, expects: int) -> None:
    """Refuses a change that is based on another set than the newest. The next one waits until this one is over."""
    if expects and expects != s.store.epoch:
        last = s.store.done[-1] if s.store.done else None
        by = f", by {last.author.client}: {last.author.origin}" if last is not None else ""
        told = f"expects epoch {expects}, but {s.store.epoch} is active{by}; `hilctl get --changes` shows what changed"
        raise Refused(Code.STALE, told, "expects")


def _remodel(s: Service, asked: Asked, proposed: Set, origin: str, grants: int) -> Task[Kept]:
    """Another friction model: only while friction has no say, from the last blend's end to its own.

    A reference at rest needs no friction, whatever its words are on their way from one model's to the other's; so no
    motion begins before they have arrived.
    """
    _need_rest(s)
    s.occupied = "the friction model is being changed"
    try:
        yield from _blended(s, s.store.epoch)  # law.feed.inverse may still be on its way to 0
        if s.lease.grants != grants:
            s.lease.need(asked.who.id, asked.token, "set")
        s.need_mode("a change of friction.model", Mode.OFF, Mode.HOLD)
        kept = put(s, asked, proposed, origin)
        yield from adopted(s, proposed, blended=True)
        return kept
    finally:
        s.occupied = ""


def _in_off(
    s: Service, asked: Asked, proposed: Set, origin: str, grants: int, bound: tuple[Bound, ...]
) -> Task[Kept]:
    """What is bound to off. It and arming exclude each other: while it is on its way, up to its end, `arm` is refused.

    The mode is judged again in the step that hands it over, by the core's own status, with no arming unanswered.
    """
    need_off(s, bound)
    if s.occupied:
        raise Refused(Code.BUSY, f"{s.occupied}; ask again in a moment", bound[0].key)
    s.occupied = f"a change that is bound to off is on its way ({bound[0].key})"
    try:
        if proposed.remodels:
            yield from _blended(s, s.store.epoch)
        deadline_s = time.monotonic() + _ADOPTION_S
        while s.core.arming_asked:
            s.core.need()
            if time.monotonic() > deadline_s:
                raise Refused(Code.BUSY, "a request to arm has no answer yet; ask again in a moment", bound[0].key)
            yield Pace.FAST
        if s.lease.grants != grants:
            s.lease.need(asked.who.id, asked.token, "set")
        need_off(s, bound)
        need_no_fault(s, bound)
        kept = put(s, asked, proposed, origin)
        yield from adopted(s, proposed, blended=proposed.remodels or shifts(bound))
        return kept
    finally:
        s.occupied = ""


def _need_rest(s: Service) -> None:
    if s.occupied:
        raise Refused(Code.BUSY, f"{s.occupied}; friction.model changes while the rig is off or holds still", "mode")
    s.need_mode("a change of friction.model", Mode.OFF, Mode.HOLD)


def put(s: Service, asked: Asked, proposed: Set, origin: str) -> Kept:
    """Into the mailbox, activated, into the journal, and reported."""
    s.core.need()
    s.core.call_off()  # what waits in the loop was checked against the set before
    s.core.link.put_settings(s.store.record(proposed))
    author = Author(asked.sender, origin, s.watch.tick, time.time_ns(), asked.who.id)
    s.store.adopt(proposed, author)
    kept = s.journal.add(s.store.done[-1])
    edits = [edit._asdict() for edit in proposed.edits]
    s.tell("set", epoch=proposed.epoch, author=author.client, origin=origin, undoes=proposed.undoes, changed=edits)
    for edit in proposed.edits:
        s.recorder.change(
            Change(proposed.epoch, author.tick, author.time_ns, author.client, origin, edit.key, edit.old, edit.new)
        )
    return kept


def _kept(kept: Kept) -> Task[int]:
    """The number of its record in the journal, once that is on the disk; 0 where it still waits for a slow disk."""
    deadline_s = time.monotonic() + _JOURNAL_S
    while not kept.done() and time.monotonic() < deadline_s:
        yield Pace.FAST
    return kept.result() if kept.done() else 0


def adopted(s: Service, proposed: Set, *, blended: bool) -> Task[None]:
    """Until the loop has adopted this set, and where asked for is all the way in it."""
    deadline_s = time.monotonic() + _ADOPTION_S
    while s.core.link.status.epoch < proposed.epoch:
        if s.core.ended is not None:
            s.core.need()
        if time.monotonic() > deadline_s:
            raise Refused(Code.INTERNAL, f"the loop did not adopt epoch {proposed.epoch} within {_ADOPTION_S:g} s")
        yield Pace.FAST
    if blended:
        yield from _blended(s, proposed.epoch)


def _blended(s: Service, epoch: int) -> Task[None]:
    """Until the loop is all the way in this set."""
    while True:
        status = s.core.link.status
        if status.epoch >= epoch and status.blend >= 1.0:
            return
        if s.core.ended is not None:
            s.core.need()
        yield Pace.FAST


def zero(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """A sensor reads `to` from now on: its mean over the newest samples is put into its offset."""
    sensor, channel = given.args.sensor, _CHANNELS.get(given.args.sensor)
    if channel is None:
        raise BadValues([Problem("sensor", sensor, "no such sensor", nearest(sensor, tuple(_CHANNELS)))])
    if not getattr(s.store.controller.sensors, sensor).present:
        raise BadValues([Problem("sensor", sensor, "the rig has no such sensor", f"sensors.{sensor}.present is false")])
    s.need_mode("zero", Mode.OFF, Mode.HOLD)
    settings, key = getattr(s.store.controller.sensors, sensor), f"sensors.{sensor}.offset"
    if key in SHIFTS:
        why = f"it was {settings.offset!r}, and the change shifts the measured position"
        need_off(s, (Bound(key, settings.offset, f"zero to {given.args.to:g}", why),))
    mean = _mean(s, sensor, channel, given.args.samples)
    new = settings.offset + (mean - given.args.to) / settings.gain
    origin = f"zero: mean of {given.args.samples} samples was {mean:.9g}"
    changed = yield from change(s, asked, partial(s.store.propose, {key: new}), origin)
    return {"epoch": changed["epoch"], "key": key, "old": settings.offset, "new": new, "mean": mean}


def _mean(s: Service, sensor: str, channel: str, samples: int) -> float:
    """The mean of the newest samples, all of one epoch, at rest, without the few whose reading was rejected."""
    history = s.core.history
    rows = history.rows(max(history.first, history.end - samples), history.end)
    rows = rows[rows["epoch"] == s.store.epoch]
    if len(rows) < samples:
        raise Refused(
            Code.WRONG_MODE, f"only {len(rows)} of {samples} samples since the last change; let time pass", "samples"
        )
    fresh = rows[channel][rows["rejected"] >> SENSORS.index(sensor) & 1 == 0]
    lost = 1.0 - len(fresh) / len(rows)
    if lost > _MOST_LOST:
        raise Refused(
            Code.WRONG_MODE,
            f"{100 * lost:.2g} % of the readings of {sensor} were rejected meanwhile, {100 * _MOST_LOST:g} % may be; "
            "`hilctl status` shows the link, `hilctl watch` the sensor",
            sensor,
        )
    rest = s.store.controller.arming.rest_speed_m_s
    fastest = float(np.mean(np.abs(rows["velocity_m_s"])))
    travelled = abs(float(rows["position_m"][-1] - rows["position_m"][0]))
    # The speed's mean is taken, for a single estimate of it is noisy at rest.
    if not fastest <= rest or travelled > rest * len(rows) / s.rate_hz + 1e-4:
        raise Refused(Code.WRONG_MODE, f"the table moves: {fastest:.3g} m/s, arming.rest_speed_m_s is {rest:g}", sensor)
    mean = float(np.mean(fresh))
    if not math.isfinite(mean):
        raise Refused(Code.WRONG_MODE, f"{sensor} gives no value", sensor)
    return mean
