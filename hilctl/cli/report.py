"""`hilctl report PATH`: the page of a result or of a recording, whichever kind PATH holds."""

import argparse
from pathlib import Path

from hilctl.cli.files import result_folder
from hilctl.cli.output import say
from hilctl.cli.progress import working
from hilctl.cli.report_of import recognised, written
from hilctl.errors import DONE


def report(parser: argparse.ArgumentParser) -> None:
    """The arguments of `report`."""
    parser.add_argument("source", metavar="PATH",
                        help="the folder or the JSON file of a commissioning, of what `hilctl identify` measured, or "
                        "of a study by simulation; a recording; the black box of a trip (`trip-…`)")  # fmt: skip
    parser.add_argument("--out", default="", metavar="DIR", help="for the page and its figures (beside what it shows)")
    parser.set_defaults(do=_report)


def _report(given: argparse.Namespace) -> int:
    kind, file = recognised(Path(given.source))
    folder = result_folder("--out", Path(given.out) if given.out else file.parent)
    with working("drawing the report"):
        page = written(kind, file, folder)
    say(str(page))
    return DONE
