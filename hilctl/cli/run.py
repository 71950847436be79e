"""`hilctl run`: the service in the foreground, until Ctrl-C."""

import argparse
import logging

from hilctl.cli import rig_options

LEVELS = ("debug", "info", "warning", "error")


def run(parser: argparse.ArgumentParser) -> None:
    """The arguments of `run`."""
    rig_options.options(parser, twin="drive the simulated twin instead of the rig")
    parser.add_argument(
        "--clock",
        choices=("real", "virtual"),
        default="real",
        help="virtual: as fast as the processor allows, and only while something moves",
    )
    parser.add_argument("--recordings", default="", metavar="FOLDER", help="instead of the rig file's")
    parser.add_argument("--log", choices=LEVELS, default="info", help="how much is logged on standard error")
    parser.set_defaults(do=_run)


def _run(given: argparse.Namespace) -> int:
    from hilctl.cli.output import pairs
    from hilctl.service.run import Choice
    from hilctl.service.run import run as serve

    if given.recordings:
        from pathlib import Path

        from hilctl.cli.files import result_folder

        result_folder("--recordings", Path(given.recordings))
    logging.basicConfig(level=given.log.upper(), format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S")
    return serve(Choice(given.rig, given.twin, given.clock, pairs(given.changes), given.recordings))
