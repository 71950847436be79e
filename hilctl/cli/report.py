"""`hilctl report DIR|FILE`: the report of a commissioning, drawn again from its stored result; the page of a trip."""

import argparse
from pathlib import Path

from hilctl.cli import commission_told
from hilctl.cli.files import result_folder, source_file
from hilctl.cli.output import say
from hilctl.cli.progress import working
from hilctl.errors import DONE


def report(parser: argparse.ArgumentParser) -> None:
    """The arguments of `report`."""
    parser.add_argument("source", metavar="DIR|FILE",
                        help="the folder of a commissioning, its JSON file, or a `trip-…` recording")  # fmt: skip
    parser.add_argument("--out", default="", metavar="DIR", help="for the page and its figures (beside the JSON file)")
    parser.set_defaults(do=_report)


def _report(given: argparse.Namespace) -> int:
    from hilctl.commission.notes import FILE
    from hilctl.results.stored import read

    source = Path(given.source)
    if source.suffix == ".h5":
        return _trip(source_file("FILE", source), given.out)
    file = source / FILE if source.is_dir() else source
    result = read(file)
    folder = result_folder("--out", Path(given.out) if given.out else file.parent)
    with working("drawing the report"):
        files = commission_told.report(result, folder)
    commission_told.files(files)
    return DONE


def _trip(source: Path, out: str) -> int:
    from hilctl.recording.reader import open_recording
    from hilctl.report.trip.page import write

    folder = result_folder("--out", Path(out) if out else source.parent)
    with open_recording(source) as recording, working("drawing the page of the trip"):
        page = write(recording, folder / source.with_suffix(".html").name)
    say(str(page))
    return DONE
