"""The declarations of the results as rows for the docs, and as JSON schemas."""

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from hilctl.results.commissioned import Commissioned
from hilctl.results.dynamics import IdentifiedDynamics
from hilctl.results.identified import IdentifiedFriction, IdentifiedPlant, IdentifiedReversals
from hilctl.results.recorded import Recorded, Tripped
from hilctl.results.refitted import Refitted
from hilctl.results.runs import StudiedRuns
from hilctl.results.verified import Verified

# The files, and what they hold.
COMMISSIONED = {"commission": Commissioned}
VERIFIED = {"verify": Verified}
IDENTIFIED = {
    "friction": IdentifiedFriction, "presliding": IdentifiedReversals, "plant": IdentifiedPlant,
    "study": IdentifiedDynamics,
}  # fmt: skip
REPORTED = {"recording": Recorded, "trip": Tripped}
STUDIED = {"study-runs": StudiedRuns}
REFITTED = (Refitted,)  # in the list of fits.json

_PRIMITIVE = {"number": "number", "integer": "whole number", "string": "text", "boolean": "yes or no", "null": "null"}


def schema(name: str = "commission") -> str:
    """Of a file by its name, without `.json`; as a file."""
    kind = {**COMMISSIONED, **VERIFIED, **IDENTIFIED, **REPORTED, **STUDIED}[name]
    titles = {
        Commissioned: "Result of a commissioning", Verified: "Result of a verification: verify.json",
        Recorded: "A recording in numbers", Tripped: "A trip in numbers",
        StudiedRuns: "A study by simulation: study-runs.json",
    }  # fmt: skip
    made = {"title": titles.get(kind, f"Result of an identification: {name}.json"), **msgspec.json.schema(kind)}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def rows(kinds: Iterable[Any] = (Commissioned,)) -> str:
    """Every object that these hold: its fields, their types, and what they mean."""
    first = [kind.__name__ for kind in kinds]
    _, objects = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    order = [*first, *sorted(name for name in objects if name not in first)]
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
