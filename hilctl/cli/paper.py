"""`hilctl paper [NAME]`: runs the case of a paper and writes its page; without a name it lists the papers."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hilctl.cli.files import result_folder
from hilctl.cli.output import as_json, note, say, show
from hilctl.cli.progress import working
from hilctl.errors import DONE

if TYPE_CHECKING:
    from hilctl.papers.declaration import Case

ALL = "all"


def paper(parser: argparse.ArgumentParser) -> None:
    """The arguments of `paper`."""
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="000 to 004, or all (default: list them)")
    parser.add_argument("--out", default="out/papers", metavar="DIR", help="for page, JSON and records (out/papers)")
    parser.add_argument("--json", action="store_true", help="the page as one JSON object on standard output")
    parser.set_defaults(do=_paper)


def _paper(given: argparse.Namespace) -> int:
    from hilctl.papers.register import CASES, case_of

    if not given.name:
        _list([case_of(name) for name in CASES], given.json)
        return DONE
    cases = [case_of(name) for name in (CASES if given.name == ALL else [given.name])]
    folder = result_folder("--out", Path(given.out))
    answers = [_run(case, folder, given.json, done, len(cases)) for done, case in enumerate(cases)]
    if given.json:
        as_json({"papers": answers} if given.name == ALL else answers[0])
    return DONE


def _list(cases: "list[Case]", json: bool) -> None:
    from rich.table import Table

    if json:
        rows = [{"paper": case.name, "title": case.title, "source": case.paper, "needs": case.needs} for case in cases]
        as_json({"papers": rows})
        return
    table = Table("paper", "case", "published in", "runs on", show_lines=True)
    for case in cases:
        table.add_row(case.name, case.title, case.paper, case.needs)
    show(table)


def _run(case: "Case", folder: Path, json: bool, done: int, of: int) -> dict[str, object]:
    from hilctl.papers.run import run
    from hilctl.papers.words import summary

    with working(case.name) as tell:
        share: tuple[int | None, int | None] = (done, of) if of > 1 else (None, None)
        tell(*share)
        written = run(case, folder, lambda text: tell(*share, f"{case.name}: {text}"))
    if not json:
        say(f"{case.name}: {summary(written.page)}")
        for file in written.files:
            say(str(file))
    if written.without:
        note(written.without)
    return written.page.told()
