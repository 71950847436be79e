"""Verbs that change parameters: set, zero."""

import argparse
from pathlib import Path

from hilctl.cli import connect
from hilctl.cli.arguments import count, declared
from hilctl.cli.files import result_file
from hilctl.cli.output import json_line, pairs, say
from hilctl.errors import DONE, WrongUse
from hilctl.wire.toml import toml_of


def set_values(parser: argparse.ArgumentParser) -> None:
    """The arguments of `set`."""
    connect.options(parser, moves=True)
    parser.add_argument("values", nargs="*", metavar="KEY=VALUE", help="a dotted key of the rig file and its new value")
    parser.add_argument("--undo", action="store_true", help="take the last set back; again: the one before it")
    parser.add_argument(
        "--save", metavar="FILE", help="write what differs from the rig file, as TOML that it can include"
    )
    parser.add_argument("--origin", default="command line", metavar="TEXT", help="why; it is recorded with the change")
    parser.add_argument("--expects", type=count(0, 1 << 62), default=0, metavar="EPOCH",
                        help="refuse the change if another epoch is active by now")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="epoch and changes as one JSON object")
    parser.set_defaults(do=_set)


def zero(parser: argparse.ArgumentParser) -> None:
    """The arguments of `zero`."""
    connect.options(parser, moves=True)
    parser.add_argument("sensor", metavar="SENSOR", help="a sensor of the rig file")
    from hilctl.wire.ops import Zero

    parser.add_argument("--to", type=declared(Zero, "to"), default=0.0, metavar="VALUE",
                        help="what it should read now, in the sensor's unit (0)")  # fmt: skip
    parser.add_argument("--samples", type=declared(Zero, "samples"), default=1000, metavar="N",
                        help="how many of the newest samples are averaged (1000)")  # fmt: skip
    parser.set_defaults(do=_zero)


def _set(given: argparse.Namespace) -> int:
    if [given.undo, bool(given.save), bool(given.values)].count(True) != 1:
        raise WrongUse("give KEY=VALUE …, or --undo, or --save FILE")
    if given.save:
        return _save(given)
    values = pairs(given.values)
    with connect.command(given) as rig:
        if given.undo:
            made = rig.ask("undo", origin=given.origin, expects=given.expects)
        else:
            made = rig.ask("set", values=values, origin=given.origin, expects=given.expects)
    if given.json:
        say(json_line(made))
        return DONE
    for edit in made["changed"]:
        say(f"{edit['key']}: {toml_of(edit['old'])} → {toml_of(edit['new'])}")
    say(f"epoch {made['epoch']}" + (f" takes epoch {made['undoes']} back" if made["undoes"] else ""))
    return DONE


def _save(given: argparse.Namespace) -> int:
    result_file("--save", Path(given.save))
    with connect.look(given) as rig:
        saved = rig.save(given.save)
    if given.json:
        say(json_line({"path": saved.path, "keys": saved.keys, "included": saved.included, "rig_file": saved.rig_file}))
        return DONE
    say(f"{saved.path}: {len(saved.keys)} values")
    if not saved.included:
        say(f"to start with them, put into {saved.rig_file}, above its first table: {saved.line}")
    return DONE


def _zero(given: argparse.Namespace) -> int:
    with connect.command(given) as rig:
        made = rig.zero(given.sensor, given.to, given.samples)
    say(f"{made['key']}: {made['old']:.9g} → {made['new']:.9g} (it read {made['mean']:.9g}); epoch {made['epoch']}")
    return DONE
