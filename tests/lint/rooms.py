"""The import linter's contract for this house: one line a room, and what that room may import.

    "law: friction signals rt"

A room is a package or module below `hilctl`, or `sim`, or `firmware_bridge`; what it may import is named by the start
of its name (`firmware_bridge.driver` allows that module only), and `*` allows everything. Itself, `params`, `machine`,
`errors` and the version in `hilctl` are open to all. Only direct imports count: what a neighbour imports does not
matter. A line about a room that does not exist, or that allows one, fails.
"""

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

HOUSES = ("hilctl", "firmware_bridge", "sim")
OPEN = ("hilctl.params", "hilctl.machine", "hilctl.errors")


class Rooms(Contract):
    """Who may import whom."""

    type_name = "rooms"

    may_import = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Every import between two rooms that no line allows, and every room without a line."""
        allowed = dict(_line(line) for line in self.may_import)  # type: ignore[attr-defined]
        broken = []
        for importer in sorted(m for m in graph.modules if m.split(".")[0] in HOUSES):
            own = _room(importer)
            for imported in sorted(graph.find_modules_directly_imported_by(importer)):
                if imported.split(".")[0] not in HOUSES or imported == "hilctl" or _within(imported, (own, *OPEN)):
                    continue
                if own not in allowed or not _within(imported, allowed[own]):
                    lines = graph.get_import_details(importer=importer, imported=imported)
                    broken.append((importer, imported, lines[0]["line_number"] if lines else 0))
        stale = sorted({name for room, others in allowed.items() for name in (room, *others)
                        if name not in (*graph.modules, "*")})  # fmt: skip
        return ContractCheck(kept=not broken and not stale, metadata={"broken": broken, "stale": stale})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """One line an import that is not allowed."""
        for importer, imported, line in check.metadata["broken"]:
            output.print_error(f"{importer} (line {line}) must not import {imported}")
        for name in check.metadata["stale"]:
            output.print_error(f"may_import names {name}, which does not exist")


def _line(line: str) -> tuple[str, tuple[str, ...]]:
    room, _, others = line.partition(":")
    return _full(room.strip()), tuple(_full(other) for other in others.split())


def _full(name: str) -> str:
    return name if name == "*" or name.split(".", maxsplit=1)[0] in HOUSES else f"hilctl.{name}"


def _room(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "hilctl" else parts[0]


def _within(module: str, places: Any) -> bool:
    return any(place == "*" or module == place or module.startswith(f"{place}.") for place in places)
