"""`hilctl VERB …`: finds the verb, loads its file, runs it, and turns what went wrong into a line and an exit code.

A verb's file is imported only when the verb is used, and imports what it needs when it runs: `hilctl status` loads no
compiler, and `hilctl run` starts the core before anything else.
"""

import argparse
import importlib
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from hilctl.cli.errors import explain, one_line
from hilctl.cli.signals import interrupted_by_signals
from hilctl.errors import DONE, RIG_SAID_NO

DESCRIPTION = "A controller service for servo-hydraulic test rigs, and for their simulated twins."


class Verb(NamedTuple):
    """A verb: the module and the function that declare its arguments, and what it does."""

    module: str
    declare: str
    help: str


VERBS: dict[str, Verb] = {
    "run": Verb("run", "run", "start the service of a rig, or of its twin"),
    "status": Verb("look", "status", "mode, trip, loop, lease and recording of a running service"),
    "arm": Verb("motion", "arm", "from off to hold, step by step"),
    "hold": Verb("motion", "hold", "end the motion in order and hold"),
    "move": Verb("motion", "move", "go to a position and rest there"),
    "track": Verb("track", "track", "follow a triangle, a sine, a sweep or an uploaded history"),
    "wait": Verb("motion", "wait", "until a motion is over, or some of the rig's time has passed"),
    "stop": Verb("motion", "stop", "decelerate to rest and hold; never needs the lease"),
    "off": Verb("motion", "off", "ramp the valve to null and switch off; never needs the lease"),
    "lease": Verb("look", "lease", "who may command; take it, or give it back"),
    "shutdown": Verb("motion", "shutdown", "end the motion in order, then the service"),
    "reset": Verb("motion", "reset", "forget the latched trip"),
    "set": Verb("change", "set_values", "change parameters, all or none, or take the last change back"),
    "get": Verb("look", "get", "parameters in force"),
    "watch": Verb("look", "watch", "channels as they change, until Ctrl-C"),
    "events": Verb("look", "events", "what happened: requests, trips, leases, the link"),
    "zero": Verb("change", "zero", "make a sensor read a value from now on"),
    "check": Verb("rigs", "check", "validate a rig file, print its margins, reach its device"),
    "tune": Verb("tune", "tune", "gains with margins, predicted and measured; notches"),
    "presets": Verb("rigs", "presets", "the rig files that come with the program"),
    "record": Verb("recordings", "record", "start or stop a recording"),
    "export": Verb("recordings", "export", "a recording as text"),
    "identify": Verb("identify", "identify", "measure the rig and identify what it is: friction"),
    "commission": Verb("commission", "commission", "measure friction, identify it, compensate it, prove it, report"),
    "demo": Verb("demo", "demo", "a twin commissioned: friction measured, identified, compensated, with a report"),
    "emulate": Verb("emulate", "emulate", "a rig's plant behind Modbus or our firmware, with faults on command"),
    "doctor": Verb("doctor", "doctor", "is this host fit for real time, and what to change"),
    "models": Verb("models", "models", "what each friction law shows of real friction: a table, and pictures"),
    "bench": Verb("bench", "bench", "measure this program against its yardsticks"),
}


class Parser(argparse.ArgumentParser):
    """argparse, but whole options only, and -1e-3 is a number."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        named.setdefault("allow_abbrev", False)
        super().__init__(*arguments, **named)
        self._negative_number_matcher = re.compile(r"^-\.?\d")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """argparse's own answer lists all choices; the nearest one comes first."""
        choices = [str(choice) for choice in action.choices or ()]
        if choices and str(value) not in choices:
            from hilctl.params import nearest

            name = action.metavar if isinstance(action.metavar, str) else action.dest
            self.error(f"{name}: no {value!r}; {nearest(str(value), tuple(choices))}")
        super()._check_value(action, value)


def parser_for(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser, with the arguments of the verb that is asked for."""
    from hilctl import __version__

    asked = next((a for a in arguments if not a.startswith("-")), "")
    parser = Parser(prog="hilctl", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"hilctl {__version__}")
    verbs = parser.add_subparsers(metavar="VERB", required=True, parser_class=Parser)
    for name, verb in VERBS.items():
        below = verbs.add_parser(name, help=verb.help, description=f"{verb.help[0].upper()}{verb.help[1:]}.")
        if name == asked:
            getattr(importlib.import_module(f"hilctl.cli.{verb.module}"), verb.declare)(below)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code: 0 done, 1 the rig said no, 2 wrong use."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    given = parser_for(words).parse_args(words)
    try:
        with interrupted_by_signals():
            code = int(given.do(given))
            sys.stdout.flush()
    except KeyboardInterrupt as ended:
        print(f"hilctl: {str(ended) or 'interrupted'}", file=sys.stderr)
        return RIG_SAID_NO
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        told = explain(error)
        if told is None:
            raise  # a defect: its traceback is what mends it
        print(f"hilctl: {one_line(told.text)}", file=sys.stderr)
        return told.code
    return code
