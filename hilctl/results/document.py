"""The declaration of a result as rows for the docs, and as a JSON schema."""

import json
from typing import Any

import msgspec

from hilctl.results.commissioned import Commissioned

_PRIMITIVE = {"number": "number", "integer": "whole number", "string": "text", "boolean": "yes or no", "null": "null"}


def schema() -> str:
    """Of `commission.json`, as a file."""
    made = {"title": "Result of a commissioning", **msgspec.json.schema(Commissioned)}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def rows() -> str:
    """Every object that the file holds: its fields, their types, and what they mean."""
    objects = msgspec.json.schema(Commissioned)["$defs"]
    first = Commissioned.__name__
    order = [first, *sorted(name for name in objects if name != first)]
    return "\n\n".join(_table(name, objects[name]) for name in order)


def _table(name: str, table: dict[str, Any]) -> str:
    lines = [
        f"| `{key}` | {_type(field)} | {field.get('description', '')} |" for key, field in table["properties"].items()
    ]
    head = ["| field | holds | meaning |", "|---|---|---|"]
    return "\n".join([f"### {name}", "", table.get("description", "").split("\n")[0], "", *head, *lines])


def _type(field: dict[str, Any]) -> str:
    """In words; an object by its name, with a link to it."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(_type(one) for one in field["anyOf"])
    if "enum" in field:
        return " or ".join(f"`{one}`" for one in field["enum"])
    if field.get("type") == "array":
        return f"list of {_type(field['items'])}" if field.get("items") else "pair of numbers"
    if field.get("type") == "object":
        of = field.get("additionalProperties")
        return f"{_type(of)} by name" if of else "values by name"
    return _PRIMITIVE.get(field.get("type", ""), "any value")
