"""The first screen of every report: what was found, applied, got better, got worse, and what to do next."""

from collections.abc import Iterable
from typing import NamedTuple

from hilctl.report.markup import Html, joined, sentence, tag

NONE_WORSE = "Nothing that was measured."


class Brief(NamedTuple):
    """The five lines."""

    found: str
    applied: str
    better: str
    worse: str
    next: str


def brief(lines: Brief) -> Html:
    """As a list of five."""
    named = zip(("Found", "Applied", "Better", "Worse", "Next"), lines, strict=True)
    return tag("dl", joined(joined([tag("dt", name), tag("dd", _said(line))]) for name, line in named), class_="brief")


def _said(line: str) -> Html:
    """Commands stand in backticks, as in every message."""
    parts = sentence(line).split("`")
    return joined(tag("code", part) if at % 2 else part for at, part in enumerate(parts))


def listed(items: Iterable[str], most: int = 3) -> str:
    """The first few, and how many more there are."""
    all_of = [item for item in items if item]
    more = len(all_of) - most
    return "; ".join(all_of[:most]) + (f"; and {more} more" if more > 0 else "")


def keys(names: Iterable[str]) -> str:
    """Keys of the rig file, each once."""
    return listed(f"`{name}`" for name in dict.fromkeys(names))
