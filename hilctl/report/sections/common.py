"""What several sections share."""

from collections.abc import Iterable, Mapping

from hilctl.report.markup import NOTHING, Html, absent, bullets, code, joined, p, sentence, table, tag
from hilctl.report.numbers import quantity, with_unit
from hilctl.results.commissioned import Commissioned
from hilctl.results.quantity import Flag, Quantity

UNKNOWN = "not identified"


def missing(result: Commissioned, part: str) -> Html:
    """Why a part was not done, or not whole, and the command that measures it alone; nothing where it was."""
    gone = result.missing.get(part)
    if gone is None:
        return NOTHING
    return p(sentence(gone.reason), " ", code(gone.remedy), " measures it alone.", class_="absent")


def absence(result: Commissioned, part: str, otherwise: str) -> Html:
    """In place of a part."""
    return missing(result, part) or absent(otherwise)


def flags(found: Iterable[Flag], title: str = "") -> Html:
    """What is to be known, and what to do about it."""
    said = [joined([sentence(flag.text), " ", tag("em", sentence(flag.remedy))]) for flag in found]
    return joined([p(title), bullets(said, "flags")]) if said else NOTHING


def origins(named: Mapping[str, Quantity]) -> tuple[dict[str, str], Html]:
    """A letter for each experiment that numbers come from, and what the letters stand for."""
    said = list(dict.fromkeys(q.reason for q in named.values() if q.reason))
    letters = {reason: chr(ord("a") + index) for index, reason in enumerate(said)}
    notes = [joined([tag("sup", letter), " ", reason]) for reason, letter in letters.items()]
    return letters, p(joined(notes, "; "), class_="origins") if notes else NOTHING


def key_of(key: str, q: Quantity, letters: Mapping[str, str]) -> Html:
    """A key with its origin's letter, in one piece."""
    letter = letters.get(q.reason, "")
    return tag("span", code(key), tag("sup", letter) if letter else NOTHING, class_="key")


def measured(q: Quantity) -> tuple[str, str, str]:
    """Value, interval and unit."""
    value, interval, unit = quantity(q.value, q.low, q.high, q.unit)
    return value, interval if q.identified else UNKNOWN, unit


def quantities(named: Mapping[str, Quantity], caption: str = "") -> Html:
    """Numbers with their 95 % intervals: a table of those that there are."""
    letters, notes = origins(named)
    rows = [(key_of(key, q, letters), *measured(q), with_unit(q.before, q.unit)) for key, q in named.items()]
    return joined([table(("parameter", ">value", ">95 % interval", "unit", ">before"), rows, caption), notes])
