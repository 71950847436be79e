"""Verbs that only look: status, get, lease, events."""

import argparse
import time
from typing import Any

from hilctl.cli import connect
from hilctl.errors import DONE, WrongUse

_SHOWN_FIRST = ("number", "time_ns", "kind")  # of an event


def status(parser: argparse.ArgumentParser) -> None:
    """The arguments of `status`."""
    connect.options(parser)
    parser.add_argument("--json", action="store_true", help="everything, as one JSON object")
    parser.set_defaults(do=_status)


def get(parser: argparse.ArgumentParser) -> None:
    """The arguments of `get`."""
    connect.options(parser)
    parser.add_argument("keys", nargs="*", metavar="KEY", help="dotted keys, or tables of them; none: all")
    parser.add_argument(
        "--changes", action="store_true", help="who changed what and why, and what differs from the rig file"
    )
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    parser.set_defaults(do=_get)


def lease(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lease`."""
    connect.options(parser, moves=True)
    parser.add_argument("--release", action="store_true", help="give the console's lease back; not while the rig moves")
    parser.add_argument("--json", action="store_true", help="as one JSON object, null where it is free")
    parser.set_defaults(do=_lease)


def events(parser: argparse.ArgumentParser) -> None:
    """The arguments of `events`."""
    connect.options(parser)
    parser.add_argument("--follow", action="store_true", help="those that come, too, until Ctrl-C")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(do=_events)


def _lease(given: argparse.Namespace) -> int:
    from hilctl.cli.output import as_json, say
    from hilctl.client.status_text import lease_text

    if given.release and given.takeover:
        raise WrongUse("--release gives the lease back, --takeover takes it: give one of them")
    with connect.look(given) as rig:
        if given.release or given.takeover:
            rig.take("console", takeover=given.takeover)
        if given.release:
            rig.ask("lease", action="release")
        found = rig.status()["lease"]
    if given.json:
        as_json(found)
    else:
        say(lease_text(found))
    return DONE


def _events(given: argparse.Namespace) -> int:
    from hilctl.cli.output import json_line, note, say
    from hilctl.client.telemetry import Event

    def show(event: dict[str, Any]) -> None:
        if given.json:
            say(json_line(event))
            return
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event["time_ns"] * 1e-9))
        rest = {key: value for key, value in event.items() if key not in _SHOWN_FIRST and value not in ("", None)}
        say(f"{when}  {event['kind']}  {' '.join(f'{key}={value}' for key, value in rest.items())}".rstrip())

    with connect.look(given) as rig:
        # Before those that were: none is missed between the two.
        coming = rig.subscribe("event") if given.follow else iter(())
        connect.note_clock(rig)
        seen = -1
        for event in rig.events():
            show(event)
            seen = event["number"]
        if not given.follow:
            return DONE
        try:
            for told in coming:
                if isinstance(told, Event) and told.body["number"] > seen:
                    show(told.body)
        except KeyboardInterrupt:
            note("")
    return DONE


def _status(given: argparse.Namespace) -> int:
    from hilctl.cli.output import as_json, say
    from hilctl.client.status_text import lines

    with connect.look(given) as rig:
        found, hello = rig.status(), rig.hello
    if given.json:
        gap = rig.clock_gap._asdict()
        as_json({**found, "rate_hz": hello["rate_hz"], "twin": hello["twin"], "endpoints": hello["endpoints"],
                 "clock_gap": gap})  # fmt: skip
    else:
        for line in lines(found, hello):
            say(line)
        connect.note_clock(rig)
    return DONE


def _get(given: argparse.Namespace) -> int:
    from hilctl.cli.output import as_json, say
    from hilctl.wire.toml import toml_of

    if given.changes and given.keys:
        raise WrongUse(f"--changes lists all changes and takes no KEY: leave {' '.join(given.keys)} out")
    with connect.look(given) as rig:
        if given.changes:
            return _changes(rig.changes(), as_json_object=given.json)
        values = rig.get(*given.keys)
    if given.json:
        as_json(values)
    else:
        for key, value in values.items():
            say(f"{key} = {toml_of(value)}")
    return DONE


def _changes(found: dict[str, Any], *, as_json_object: bool) -> int:
    from hilctl.cli.output import as_json, say
    from hilctl.wire.toml import toml_of

    if as_json_object:
        as_json(found)
        return DONE
    for made in found["sets"]:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(made["time_ns"] * 1e-9))
        undoes = f" takes epoch {made['undoes']} back;" if made["undoes"] else ""
        say(f"epoch {made['epoch']}  {when}  {made['author']}:{undoes} {made['origin'] or 'no origin given'}")
        for edit in made["changed"]:
            say(f"    {edit['key']}: {toml_of(edit['old'])} → {toml_of(edit['new'])}")
    for edit in found["differs"]:
        say(f"{edit['key']} = {toml_of(edit['new'])}, in the rig file {toml_of(edit['old'])}")
    if not found["differs"]:
        say("nothing differs from the rig file")
    return DONE
