"""What several sections share."""

from collections.abc import Mapping

from hilctl.report.markup import NOTHING, Html, bullets, code, html, joined, p, sentence, table, tag
from hilctl.report.numbers import quantity, with_unit
from hilctl.report.part import Part

Pictures = Mapping[str, str]  # SVG elements by name


def shown(pictures: Pictures, name: str, caption: str) -> Html:
    """A figure with what it shows; nothing where it was not drawn."""
    if name not in pictures:
        return NOTHING
    svg = pictures[name].replace("<svg", f'<svg role="img" aria-label="{html(caption)}"', 1)
    return tag("figure", Html(svg), tag("figcaption", caption))


def flags(part: Part, title: str = "") -> Html:
    """What is to be known, and what to do about it."""
    said = [
        joined([sentence(flag["text"].text), " ", tag("em", sentence(flag["remedy"].text))])
        for flag in part.parts
        if flag["text"].text
    ]
    return joined([p(title), bullets(said, "flags")]) if said else NOTHING


def origins(named: Mapping[str, Part]) -> tuple[dict[str, str], Html]:
    """A letter for each origin, and what the letters stand for."""
    said = list(dict.fromkeys(q["origin"].text for q in named.values() if q["origin"].text))
    letters = {origin: chr(ord("a") + index) for index, origin in enumerate(said)}
    notes = [joined([tag("sup", letter), " ", origin]) for origin, letter in letters.items()]
    return letters, p(joined(notes, "; "), class_="origins") if notes else NOTHING


def key_of(key: str, q: Part, letters: Mapping[str, str]) -> Html:
    """A key with its origin's letter, in one piece."""
    letter = letters.get(q["origin"].text, "")
    return tag("span", code(key), tag("sup", letter) if letter else NOTHING, class_="key")


def quantities(named: Mapping[str, Part], caption: str = "") -> Html:
    """Numbers with their 95 % intervals: a table of those that there are."""
    letters, notes = origins(named)
    rows = []
    for key, q in named.items():
        low, high, unit = q["low"].number, q["high"].number, q["unit"].text
        value, interval, scale = quantity(q["value"].number, low, high, unit)
        if q["identified"].value is False:
            interval = "not identified"
        rows.append((key_of(key, q, letters), value, interval, scale, with_unit(q["before"].number, unit)))
    return joined([table(("parameter", ">value", ">95 % interval", "unit", ">before"), rows, caption), notes])
