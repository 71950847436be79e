"""`hilctl VERB …`: finds the verb, loads its file, runs it, and turns an error into a line and an exit code.

A verb's file is imported only when the verb is used, and imports what it needs when it runs: `hilctl status` loads no
compiler, and `hilctl run` starts the core before anything else.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from hilctl.cli.parser import Parser
from hilctl.cli.signals import interrupted_by_signals
from hilctl.cli.verbs import VERBS, overview
from hilctl.errors import DONE, RIG_SAID_NO, explain, one_line

DESCRIPTION = "A controller service for servo-hydraulic test rigs, and for their simulated twins."


def parser_for(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser, with the arguments of the verb that is asked for."""
    from hilctl import __version__

    asked = next((a for a in arguments if not a.startswith("-")), "")
    parser = Parser(prog="hilctl", description=DESCRIPTION, epilog=overview())
    parser.add_argument("--version", action="version", version=f"hilctl {__version__}")
    verbs = parser.add_subparsers(
        metavar="VERB", required=True, parser_class=Parser, help="one of those below; `hilctl VERB --help` explains it"
    )
    nothing = Parser(add_help=False)
    for name, verb in VERBS.items():
        if name != asked:
            verbs.choices[name] = nothing  # its name is known, and nothing else is asked of it
            continue
        first = f"{verb.help[0].upper()}{verb.help[1:]}."
        below = verbs.add_parser(name, description=f"{first} {verb.does}".rstrip())
        getattr(importlib.import_module(f"hilctl.cli.{verb.module}"), verb.declare)(below)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code: 0 done, 1 the rig said no, 2 wrong use, 3 verified and no longer valid."""
    # Our matrices are small: more threads make OpenBLAS slower, and spin on the processors that a loop needs. It reads
    # this as numpy is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        given = parser_for(words).parse_args(words)
    except SystemExit as ended:  # --help, or wrong use
        return int(ended.code or DONE)
    return run(given)


def run(given: argparse.Namespace) -> int:
    """Runs a command that was read."""
    try:
        with interrupted_by_signals():
            code = int(given.do(given))
            sys.stdout.flush()
    except KeyboardInterrupt as ended:
        print(f"hilctl: {str(ended) or 'interrupted'}", file=sys.stderr)
        return RIG_SAID_NO
    except BrokenPipeError:  # the reader of our output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        told = explain(error)
        if told is None:
            raise  # a defect: its traceback says where
        print(f"hilctl: {one_line(told.text)}", file=sys.stderr)
        return told.code
    return code
