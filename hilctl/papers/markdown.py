"""A stored page as Markdown, for the documents: all of it but the figures."""

from collections.abc import Iterable, Sequence

from hilctl.papers.declaration import STEADY, Block, Figure, Page, Table
from hilctl.papers.words import HEAD, cells_of, summary


def markdown(made: Page) -> str:
    """The page."""
    again = (
        f"A later run has to give the same within {100 * STEADY:g} %; where another share is stated in the JSON file "
        "beside this page (`steady`), within that; where none is (`null`), within the figure's bounds."
    )
    lines = [
        f"# {made.paper}: {made.title}", f"{made.source}.", f"Runs on {made.needs}; with figures:",
        f"    hilctl paper {made.paper} --out out/papers", summary(made), again,
        _table(HEAD, (cells_of(made, row) for row in made.rows)),
    ]  # fmt: skip
    for part in made.parts:
        said = [text for block in part.blocks if (text := _block(block))]
        if said:
            lines += [f"## {part.title}", *said]
    return "\n\n".join(lines) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Figure):
        return ""
    if isinstance(block, Table):
        return (f"{block.caption}:\n\n" if block.caption else "") + _table(block.head, block.rows)
    return block.text


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    sides = ["---:" if cell.startswith(">") else "---" for cell in head]
    names = [cell.removeprefix(">") for cell in head]
    return "\n".join(f"| {' | '.join(_cell(x) for x in cells)} |" for cells in (names, sides, *rows))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
