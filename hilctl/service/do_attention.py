"""Requests about what asks for a person: alarms, and the log."""

import time
from typing import Any

from hilctl.service.service import Asked, Service
from hilctl.service.tasks import Pace, Result, Task
from hilctl.signals import Trip
from hilctl.wire.ops import Arguments

_DISK_S = 2.0


def alarms(s: Service, asked: Asked, given: Arguments) -> Result | Task[Result]:
    """Those that nobody has acknowledged, and if asked for the others. What is shown outlasts this process."""
    trip = Trip(s.watch.trip).name.lower() if s.watch.trip else ""
    warnings = [t.name.lower() for t in Trip if s.watch.warnings >> t.value & 1]
    found = s.alarms.plain(trip, warnings, acknowledged=given.args.acknowledged)
    shown = {"alarms": found, "unacknowledged": len(s.alarms)}
    return shown if s.alarm_file.has(s.alarms.version) else _when_kept(s, shown)


def _when_kept(s: Service, result: Result) -> Task[Result]:
    """Once the alarms are on the disk as they are now; for one that is slow or fails is not waited long."""
    version, until_s = s.alarms.version, time.monotonic() + _DISK_S
    s.alarm_file.look(s.alarms)
    while not s.alarm_file.has(version) and not s.alarm_file.problem and time.monotonic() < until_s:
        yield Pace.FAST
        s.alarm_file.look(s.alarms)
    return result


def acknowledge(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Somebody has seen it."""
    args, by = given.args, asked.sender
    numbers = s.alarms.acknowledge(args.number, by, time.time_ns(), args.comment, before=args.before)
    s.tell("acknowledged", alarms=numbers, by=by, comment=args.comment)
    seen = {"acknowledged": numbers, "unacknowledged": len(s.alarms)}
    return (yield from _when_kept(s, seen))


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
