"""How answers are printed: results on standard output, everything else on standard error."""

import json
import math
import sys
from typing import Any

import msgspec

_WIDE = 200  # columns: more than any table has


def say(text: str) -> None:
    """A line of the answer."""
    print(text, flush=True)


def show(*tables: Any) -> None:
    """Tables of the answer: as wide as the terminal; whole, where they go to a file or another program."""
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else _WIDE).print(*tables, sep="\n")


def note(text: str) -> None:
    """A remark beside the answer."""
    print(text, file=sys.stderr, flush=True)


def as_json(value: Any) -> None:
    """The answer as one JSON object."""
    print(text_of(value))


def text_of(value: Any) -> str:
    """As JSON; what is not a number becomes null."""
    from hilctl.params.finite import finite

    return json.dumps(finite(value), ensure_ascii=False, indent=2)


def value_of(text: str) -> Any:
    """What stands behind `KEY=`: a number, true, a list, a text; quotes are not needed."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}.get(text.lower(), text)


def pairs(words: list[str]) -> dict[str, Any]:
    """KEY=VALUE words as a map."""
    from hilctl.errors import WrongUse

    found: dict[str, Any] = {}
    for word in words:
        key, mark, text = word.partition("=")
        if not mark or not key:
            raise WrongUse(f"{word!r} is not KEY=VALUE, like machine.m=450")
        if key in found:
            raise WrongUse(f"{key} is given twice")
        found[key] = value_of(text)
    return found


def json_line(value: Any) -> str:
    """One JSON object on one line."""
    from hilctl.params.finite import finite

    return json.dumps(finite(value), ensure_ascii=False)
