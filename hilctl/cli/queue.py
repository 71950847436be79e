"""The verb `queue`, and what `move` and `track` take to put their motion into the queue."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import connect
from hilctl.cli.arguments import count, number
from hilctl.cli.files import source_file
from hilctl.cli.output import json_line, note, say
from hilctl.cli.times import rig_time_ns
from hilctl.errors import DONE, HilctlError, WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client

_EDGES = ("above", "below", "rising", "falling")


def queue(parser: argparse.ArgumentParser) -> None:
    """The arguments of `queue`."""
    connect.options(parser, moves=True)
    parser.add_argument("file", nargs="?", default="", metavar="FILE",
                        help="JSON: a list of motions, as docs/protocol.md has them; all or none")  # fmt: skip
    parser.add_argument("--clear", action="store_true", help="cancel all that wait; the motion that runs goes on")
    parser.add_argument("--wait", action="store_true", help="return when all of it is over; Ctrl-C stops it in order")
    parser.add_argument("--json", action="store_true", help="the queue, as JSON")
    parser.set_defaults(do=_queue)


def options(parser: argparse.ArgumentParser) -> None:
    """What puts one motion into the queue."""
    group = parser.add_argument_group("queue")
    group.add_argument("--queue", action="store_true", help="begin when the motions before it are over")
    group.add_argument("--at", metavar="WHEN", default="",
                       help="with --queue: not before 90s, 10m or 2h from now, or a date and time")  # fmt: skip
    group.add_argument("--at-tick", type=count(0, 1 << 62), metavar="N", default=0,
                       help="with --queue: not before this tick")  # fmt: skip
    group.add_argument("--trigger", nargs=3, metavar=("CHANNEL", "EDGE", "LEVEL"),
                       help=f"with --queue: when this channel passes a level; EDGE is {', '.join(_EDGES)}")  # fmt: skip
    group.add_argument("--within", type=number(0, 86_400, "s"), metavar="S", default=0.0,
                       help="with --trigger: cancel it if it does not come in this time (0: no end)")  # fmt: skip


def asked_for(given: argparse.Namespace) -> bool:
    """Whether this motion is for the queue; wrong use where it says when, and not that."""
    if given.queue:
        return True
    for name in ("at", "at_tick", "trigger", "within"):
        if getattr(given, name):
            raise WrongUse(f"--{name.replace('_', '-')} is for a motion of the queue; give --queue as well")
    return False


def put(given: argparse.Namespace, rig: "Client", kind: str, parameters: dict[str, Any]) -> int:
    """Into the queue; waits for its end where that was asked for."""
    one: dict[str, Any] = {"kind": kind, "parameters": parameters}
    if given.at:
        at_ns = rig_time_ns(given.at, rig, 1)
        if at_ns is None:
            raise WrongUse(f"--at {given.at}: must be a duration like 90s, or a date and time like 2026-11-26T08:30")
        one["at_ns"] = at_ns
    if given.at_tick:
        one["at_tick"] = given.at_tick
    if given.trigger:
        channel, edge, level = given.trigger
        if edge not in _EDGES:
            raise WrongUse(f"--trigger {channel} {edge} {level}: EDGE must be {', '.join(_EDGES)}")
        try:
            one |= {"channel": channel, "edge": edge, "level": float(level), "within_s": given.within}
        except ValueError:
            raise WrongUse(f"--trigger {channel} {edge} {level}: LEVEL must be a number") from None
    return _follow(given, rig, rig.queue(one))


def _queue(given: argparse.Namespace) -> int:
    if given.file and given.clear:
        raise WrongUse("--clear empties the queue, FILE fills it: give one of them")
    if not given.file and not given.clear:
        with connect.looking_on(given) as rig:
            items = rig.queued()
            if given.wait:
                items = _waited(rig, [item["item"] for item in items if item["state"] in ("waiting", "running")])
        return _show(given, items)
    motions = _read(given.file) if given.file else []
    with connect.attended(given, "console") if given.wait else connect.command(given) as rig:
        if given.clear:
            gone = rig.unqueue()
            say(json_line(gone) if given.json else f"cancelled: {', '.join(map(str, gone)) or 'none waited'}")
            return DONE
        return _follow(given, rig, rig.queue(*motions))


def _read(file: str) -> list[dict[str, Any]]:
    path = Path(file)
    source_file("FILE", path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise WrongUse(f"FILE {file}: is not JSON: {error}") from None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        form = '{"kind": "move", "parameters": {"position_m": 0.01}}'
        raise WrongUse(f"FILE {file}: must be a list of maps like {form}")
    return found


def _follow(given: argparse.Namespace, rig: "Client", items: list[int]) -> int:
    found = [item for item in rig.queued() if item["item"] in items]
    if given.wait:
        try:
            found = _waited(rig, items)
        except KeyboardInterrupt:
            note("stopping")
            rig.stop()
            raise
    elif rig.hello["clock"] == "real":
        note(f"what waits is cancelled after {rig.hello['console_idle_s']:g} s without a command "
             "(service.console_idle_s); give --wait, or keep `hilctl watch` open")  # fmt: skip
    return _show(given, found)


def _waited(rig: "Client", items: list[int]) -> list[dict[str, Any]]:
    return [rig.wait_queued(item) for item in items]


def _show(given: argparse.Namespace, items: list[dict[str, Any]]) -> int:
    if given.json:
        say(json_line(items))
    else:
        for item in items:
            say(_line(item))
        if not items:
            say("the queue is empty")
    ended = [item for item in items if given.wait and item["state"] != "done"]
    if ended:
        raise HilctlError(f"item {ended[0]['item']} of the queue was {ended[0]['state']}: {ended[0]['why']}")
    return DONE


def _line(item: dict[str, Any]) -> str:
    start, motion = item["start"], f", motion {item['motion']}" if item["motion"] else ""
    when = f", not before tick {item['due_tick']}" if item["due_tick"] and not start and not item["motion"] else ""
    if start and not item["motion"]:
        when = f", when {start['channel']} is {start['edge']} {start['level']:g}"
    why = f": {item['why']}" if item["why"] else ""
    return f"{item['item']:>4}  {item['state']}{motion}{when}  {item['text']}{why}"
