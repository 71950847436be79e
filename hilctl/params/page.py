"""A table as a page: what the documents say about parameters."""

import msgspec

from hilctl.params.declare import Params, leaves


def document(table: type[Params], at: str = "") -> str:
    """A markdown table of every parameter below a table."""
    rows = ["| key | unit | from | to | default | meaning |", "|---|---|---|---|---|---|"]
    for leaf in leaves(table, at):
        low, high = f"{leaf.low:g}", f"{leaf.high:g}"
        if leaf.kind in ("bool", "text"):
            low = high = ""
        elif leaf.kind in ("choice", "choices"):
            low, high = " \\| ".join(leaf.choices), ""
        default = "required" if leaf.default is msgspec.UNSET else _shown(leaf.default)
        rows.append(f"| `{leaf.path}` | {leaf.unit} | {low} | {high} | {default} | {leaf.meaning} |")
    return "\n".join(rows)


def _shown(value: object) -> str:
    if value is None:
        return "open"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)
