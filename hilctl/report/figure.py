"""A figure in a page: the picture, its claim and how to read it, and the numbers that it draws."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from hilctl.report.drawing import Picture
from hilctl.report.figure_data import Data
from hilctl.report.markup import NOTHING, Html, html, joined, table, tag

Pictures = Mapping[str, Picture]  # by name
_SHOWN = 40  # rows of numbers that a page shows; longer ones are a file
_PLAIN = " ,;:/()+*=!~'\""  # that need no mask in an address, before it is escaped for its attribute


def shown(pictures: Pictures, name: str, caption: str, claim: str = "") -> Html:
    """A figure with what it claims and how to read it; nothing where it was not drawn."""
    if name not in pictures:
        return NOTHING
    picture = pictures[name]
    svg = picture.svg.replace("<svg", f'<svg role="img" aria-label="{html(claim or caption)}"', 1)
    text = joined([tag("strong", claim), " ", caption] if claim else [caption])
    return tag("figure", Html(svg), tag("figcaption", text), _data(name, picture.data))


def _data(name: str, data: Sequence[Data]) -> Html:
    """Folded in: files of comma-separated values, which the page itself holds; short ones also as a table."""
    if not data:
        return NOTHING
    parts = []
    for number, one in enumerate(data, 1):
        file = f"{name}-{number}.csv" if len(data) > 1 else f"{name}.csv"
        address = f"data:text/csv;charset=utf-8,{quote(one.csv(), safe=_PLAIN)}"
        parts.append(tag("p", tag("a", file, href=address, download=file), f" {one.name}: {len(one.rows)} rows"))
        if len(one.rows) <= _SHOWN:
            parts.append(table([f">{cell}" for cell in one.head], one.rows))
    return tag("details", tag("summary", "Data of this figure"), *parts, class_="data")
