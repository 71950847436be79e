"""What every verb takes that reads a rig file: which one, what is laid over it, and its twin instead."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hilctl.rig import Rig


def options(parser: argparse.ArgumentParser, *, twin: str = "", optional: bool = False) -> None:
    """RIG and --set; --twin where it has a meaning, which is its help."""
    count = "?" if optional else None
    parser.add_argument("rig", metavar="RIG", nargs=count, help="a rig file, or a preset's name (`hilctl presets`)")
    if twin:
        parser.add_argument("--twin", action="store_true", help=twin)
    changes(parser, "values laid over the rig file")
    parser.set_defaults(twin=False)


def changes(parser: argparse.ArgumentParser, help: str) -> None:
    """--set."""
    parser.add_argument("--set", dest="changes", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help=help)


def load(given: argparse.Namespace) -> "Rig":
    """The rig that was asked for."""
    from hilctl import rig
    from hilctl.cli.output import pairs

    return rig.load(given.rig, twin=given.twin, changes=pairs(given.changes))
