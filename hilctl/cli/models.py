"""`hilctl models`: every friction law tried for every phenomenon of friction; a table, its reasons, and pictures."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from hilctl.cli.files import result_folder
from hilctl.cli.output import as_json, note, say, show
from hilctl.errors import DONE, NoFigures, WrongUse

if TYPE_CHECKING:
    from rich.table import Table as Printed

    from hilctl.papers.phenomena.table import Table


def models(parser: argparse.ArgumentParser) -> None:
    """The arguments of `models`."""
    parser.add_argument("--out", default="out/models", metavar="DIR", help="for the table and pictures (out/models)")
    parser.add_argument("--laws", default="", metavar="A,B", help="only these, by the models' names (all)")
    parser.add_argument("--json", action="store_true", help="the table as one JSON object on standard output")
    parser.set_defaults(do=_models)


def _models(given: argparse.Namespace) -> int:
    from rich.console import Console

    from hilctl.papers.phenomena.figures import draw
    from hilctl.papers.phenomena.table import as_object, computed, page
    from hilctl.params.finite import finite

    laws, folder, without = _chosen(given.laws), result_folder("--out", Path(given.out)), ""
    with Console(stderr=True).status("trying every law"):
        table = computed(laws)
        answer = finite(as_object(table))
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / "phenomena.md", folder / "phenomena.json"]
        written[0].write_text(page(table), encoding="utf-8")
        written[1].write_text(json.dumps(answer, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        try:
            written += draw(laws, folder)
        except NoFigures as none:
            without = str(none)
    if given.json:
        as_json(answer)
    else:
        show(_printed(table))
        for path in written:
            say(str(path))
    if without:
        note(without)
    return DONE


def _chosen(text: str) -> tuple[str, ...]:
    from hilctl.friction import MODELS
    from hilctl.params import nearest

    asked = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in asked:
        if name not in MODELS:
            hint = nearest(name, tuple(MODELS))
            raise WrongUse(f"--laws: no friction model {name!r}; {hint}")
    return asked or tuple(MODELS)


def _printed(table: "Table") -> "Printed":
    from rich.table import Table as Rows

    from hilctl.papers.phenomena.table import PHENOMENA

    rows = Rows("", "shown by", "not by", show_lines=True)
    for one in PHENOMENA:
        named = {word: ", ".join(law for law in table if table[law][one.key].word == word) for word in ("yes", "no")}
        rows.add_row(one.title, named["yes"], named["no"])
    return rows
