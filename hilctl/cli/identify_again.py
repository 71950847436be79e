"""`hilctl identify KIND --again DIR…`: stored measurements judged again, many at once; no rig takes part."""

import argparse
from pathlib import Path
from typing import cast

from hilctl.cli import study_workers
from hilctl.cli.identify_parts import folder_of
from hilctl.cli.output import json_line, note, say
from hilctl.cli.parser import Parser
from hilctl.cli.progress import working
from hilctl.errors import DONE, RIG_SAID_NO, WrongUse

_TAKEN = ("help", "again", "workers", "cluster", "out", "json")


def options(parser: argparse.ArgumentParser, kind: str) -> None:
    """--again and its workers, for a command that is declared already."""
    group = parser.add_argument_group("stored measurements", "judged again, many at once; no rig takes part")
    group.add_argument("--again", nargs="+", default=[], metavar="DIR",
                       help=f"folders that `hilctl identify {kind}` left")  # fmt: skip
    study_workers.options(group)
    measure = parser.get_default("do")

    def do(given: argparse.Namespace) -> int:
        if given.again:
            beside = cast("Parser", parser).beside(given, _TAKEN)
            if beside:
                raise WrongUse(f"--again judges stored measurements: leave {', '.join(beside)} out")
            return _again(given, kind)
        if given.workers is not None or given.cluster:
            raise WrongUse("--workers and --cluster are for --again DIR…: a rig is measured by one process")
        return int(measure(given))

    parser.set_defaults(do=do)


def _again(given: argparse.Namespace, kind: str) -> int:
    """Does it; exit code 1 where one of them gives no model."""
    from msgspec import to_builtins

    from hilctl.study.fits import TABLE, Fits
    from hilctl.study.spread import spread

    folder = folder_of(given, "fits")
    work = Fits(kind, [Path(one) for one in given.again], folder)
    workers = study_workers.chosen(given)
    try:
        with working(f"{work.total} folders") as tell:
            spread(work, workers, tell)
    finally:
        workers.close()
    found = work.concluded()
    if given.json:
        say(json_line(to_builtins(found)))
    else:
        for one in found:
            share = "" if one.explained_percent is None else f", explains {one.explained_percent:.4g} %"
            say(f"{one.folder}: {f'no model: {one.refused}' if one.refused else one.model}{share}")
        say(str(folder / TABLE))
    without = sum(bool(one.refused) for one in found)
    if without:
        note(f"{without} of {len(found)} folders give no model")
    return RIG_SAID_NO if without else DONE
