"""Requests about what asks for a person: alarms, and the log."""

import time
from typing import Any

from hilctl.service.service import Asked, Service
from hilctl.service.tasks import Pace, Result, Task
from hilctl.signals import Trip
from hilctl.wire.ops import Arguments


def alarms(s: Service, asked: Asked, given: Arguments) -> Result:
    """Those that nobody has acknowledged, and if asked for the others."""
    trip = Trip(s.watch.trip).name.lower() if s.watch.trip else ""
    warnings = [t.name.lower() for t in Trip if s.watch.warnings >> t.value & 1]
    found = s.alarms.plain(trip, warnings, acknowledged=given.args.acknowledged)
    return {"alarms": found, "unacknowledged": len(s.alarms)}


def acknowledge(s: Service, asked: Asked, given: Arguments) -> Result:
    """Somebody has seen it."""
    args, by = given.args, asked.sender
    numbers = s.alarms.acknowledge(args.number, by, time.time_ns(), args.comment, before=args.before)
    s.tell("acknowledged", alarms=numbers, by=by, comment=args.comment)
    return {"acknowledged": numbers, "unacknowledged": len(s.alarms)}


def log(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Lines; where there is none yet, those that come."""
    args, until_s = given.args, time.monotonic() + given.args.wait_s
    first, lost = args.first, None
    while True:
        page: dict[str, Any] = s.logbook.page(first, args.level, args.since_ns)
        first, lost = page["next"], page["lost"] if lost is None else lost
        if page["lines"] or time.monotonic() >= until_s:
            return {**page, "lost": lost}
        yield Pace.SLOW
