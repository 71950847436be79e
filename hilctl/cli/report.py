"""`hilctl report DIR|FILE`: the report of a commissioning, drawn again from its stored result."""

import argparse
from pathlib import Path

from hilctl.cli import commission_told
from hilctl.cli.files import result_folder
from hilctl.errors import DONE


def report(parser: argparse.ArgumentParser) -> None:
    """The arguments of `report`."""
    parser.add_argument("source", metavar="DIR|FILE", help="the folder of a commissioning, or its JSON file")
    parser.add_argument("--out", default="", metavar="DIR", help="for the page and its figures (beside the JSON file)")
    parser.set_defaults(do=_report)


def _report(given: argparse.Namespace) -> int:
    from hilctl.commission.notes import FILE
    from hilctl.results.stored import read

    source = Path(given.source)
    file = source / FILE if source.is_dir() else source
    result = read(file)
    folder = result_folder("--out", Path(given.out) if given.out else file.parent)
    commission_told.files(commission_told.report(result, folder))
    return DONE
