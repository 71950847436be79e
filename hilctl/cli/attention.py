"""Verbs for what asks for a person: alarms, log."""

import argparse
from typing import TYPE_CHECKING, Any

from hilctl.cli import connect
from hilctl.cli.output import json_line, note, say
from hilctl.cli.times import date_of, rig_time_ns
from hilctl.errors import DONE, WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client


def alarms(parser: argparse.ArgumentParser) -> None:
    """The arguments of `alarms`."""
    connect.options(parser)
    parser.add_argument("--acknowledge", metavar="NUMBER", default="",
                        help="say that this one was seen; `all`: every one that is listed now")  # fmt: skip
    parser.add_argument("--comment", metavar="TEXT", default="", help="with --acknowledge: what is done about it")
    parser.add_argument("--all", action="store_true", help="list those that were acknowledged as well")
    parser.add_argument("--json", action="store_true", help="the list, or the numbers acknowledged, as JSON")
    parser.set_defaults(do=_alarms)


def log(parser: argparse.ArgumentParser) -> None:
    """The arguments of `log`."""
    connect.options(parser)
    parser.add_argument("--level", choices=("debug", "info", "warning", "error"), default="info",
                        help="lines of this level and above (info)")  # fmt: skip
    parser.add_argument("--since", metavar="WHEN", default="",
                        help="lines of the last 90s, 10m, 2h or 1d, or since a date (the rig PC's)")  # fmt: skip
    parser.add_argument("--follow", action="store_true", help="those that come, too, until Ctrl-C")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(do=_log)


def _alarms(given: argparse.Namespace) -> int:
    if given.comment and not given.acknowledge:
        raise WrongUse("--comment belongs to --acknowledge NUMBER; give both")
    if given.acknowledge not in ("", "all") and not given.acknowledge.isdecimal():
        raise WrongUse(f"--acknowledge {given.acknowledge}: must be a number that `hilctl alarms` lists, or all")
    with connect.look(given) as rig:
        if given.acknowledge:
            return _acknowledge(rig, given)
        found = rig.alarms(acknowledged=given.all)
        connect.note_clock(rig)
    if given.json:
        say(json_line(found))
        return DONE
    for alarm in found:
        say(_line(alarm))
    if not found:
        say("no alarms" if given.all else "no alarms that nobody has acknowledged")
    return DONE


def _acknowledge(rig: "Client", given: argparse.Namespace) -> int:
    if given.acknowledge == "all":  # those that are there now; one that comes meanwhile was seen by nobody
        numbers = [alarm["number"] for alarm in rig.alarms()]
        seen = rig.acknowledge(numbers[-1], given.comment, before=True) if numbers else []
    else:
        seen = rig.acknowledge(int(given.acknowledge), given.comment)
    if given.json:
        say(json_line(seen))
    else:
        say(f"acknowledged: {', '.join(map(str, seen)) or 'none, there are no alarms'}")
    return DONE


def _line(alarm: dict[str, Any]) -> str:
    times = f", {alarm['count']} times, last {date_of(alarm['last_ns'])}" if alarm["count"] > 1 else ""
    seen = alarm["acknowledged"]
    state = "ACTIVE" if alarm["active"] else "over"
    run = " (earlier run)" if alarm.get("earlier") else ""
    by = f"  acknowledged by {seen['by']} {date_of(seen['time_ns'])} {seen['comment']}".rstrip() if seen else ""
    name = f"{alarm['kind']} {alarm['key']}".strip()
    return f"{alarm['number']:>5}  {date_of(alarm['time_ns'])}  {state:<6}  {name}{run}: {alarm['text']}{times}{by}"


def _log(given: argparse.Namespace) -> int:
    with connect.look(given) as rig:
        connect.note_clock(rig)
        since_ns = _since_ns(given.since, rig)
        read = rig.follow_log if given.follow else rig.log
        try:
            for line in read(given.level, since_ns=since_ns):
                text = f"{date_of(line['time_ns'])}  {line['level'].upper():<7}  {line['logger']}: {line['text']}"
                say(json_line(line) if given.json else text)
        except KeyboardInterrupt:
            note("")
    return DONE


def _since_ns(text: str, rig: "Client") -> int:
    since_ns = rig_time_ns(text, rig, -1) if text else 0
    if since_ns is None:
        form = "a duration like 90s, 10m, 2h or 1d, or a date and time like 2026-11-26T08:30"
        raise WrongUse(f"--since {text}: must be {form}")
    return since_ns
