"""Values and tables as TOML."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

SAVED = "# hilctl set --save:"  # how a file begins that keeps what was set over the wire
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_of(value: Any) -> str:
    """A value as a rig file writes it; null, where nothing is said, is no TOML and for people alone."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case Mapping():
            return "{" + ", ".join(f"{_key(key)} = {toml_of(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(toml_of(item) for item in value) + "]"
        case str() | bool() | int() | float() | None:
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)  # dates and times


def tables_of(tree: Mapping[str, Any], remarks: Mapping[str, str], at: str = "") -> Iterator[str]:
    """A table's own keys, then the tables below it, as lines; `remarks` stand behind keys, by dotted path."""
    own = {key: value for key, value in tree.items() if not isinstance(value, Mapping)}
    if own and at:
        yield ""
        yield f"[{at}]"
    for key, value in own.items():
        remark = remarks.get(f"{at}.{key}" if at else key, "")
        yield f"{_key(key)} = {toml_of(value)}" + (f"  # {remark}" if remark else "")
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from tables_of(value, remarks, f"{at}.{_key(key)}" if at else _key(key))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else toml_of(key)
