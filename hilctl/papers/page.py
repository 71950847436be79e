"""A case's page as HTML: the paper's results beside ours, then its tables and figures in its order."""

from collections.abc import Callable, Mapping
from typing import Any

from hilctl.papers.declaration import Block, Figure, Page, Part, Table
from hilctl.papers.words import HEAD, cells_of, summary
from hilctl.report.document import contents, document, section
from hilctl.report.drawing import inlined
from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import Html, absent, code, facts, html, joined, p, table, tag

Drawings = Mapping[str, Callable[[], Any]]


def page(made: Page, drawings: Drawings) -> tuple[str, str]:
    """The page as a text; and why it has no figures, where it has none."""
    pictures, without = inlined(lambda: ((name, draw()) for name, draw in drawings.items()))
    titles = {"results": "Results of the paper"} | {f"part-{n}": part.title for n, part in enumerate(made.parts, 1)}
    texts = [_results(made), *(_part(part, pictures) for part in made.parts)]
    sections = zip(titles.items(), texts, strict=True)
    text = document(f"{made.paper}: {made.title}", [
        tag("header", tag("h1", made.title), p(summary(made), class_="headline"), facts([
            ("Paper", made.source), ("Runs on", made.needs), ("By", code(f"hilctl paper {made.paper}")),
        ])),
        absent(without),
        contents(titles),
        *(section(n, key, title, one) for n, ((key, title), one) in enumerate(sections, 1)),
        tag("footer", html("Made by hilctl.")),
    ])  # fmt: skip
    return text, without


def _results(made: Page) -> Html:
    return table(HEAD, (cells_of(made, row) for row in made.rows))


def _part(part: Part, pictures: Pictures) -> Html:
    return joined(_block(one, pictures) for one in part.blocks)


def _block(one: Block, pictures: Pictures) -> Html:
    if isinstance(one, Table):
        return table(one.head, one.rows, one.caption)
    if isinstance(one, Figure):
        return shown(pictures, one.name, one.caption)
    return p(one.text)
