"""docs/protocol.md's tables, from the declarations. `python -m hilctl.wire.document` writes them into the page."""

import sys
from pathlib import Path

from hilctl.params import leaves
from hilctl.signals import Mode, Trip, document
from hilctl.trips import TRIP_TEXTS
from hilctl.wire.errors import MEANINGS
from hilctl.wire.op import Op
from hilctl.wire.ops import OPS, describe_op
from hilctl.wire.roles import Role

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"


def _bounds(item: dict[str, object]) -> str:
    if "choices" in item:
        return ", ".join(f"`{c}`" for c in item["choices"])  # type: ignore[attr-defined]
    if "low" in item:
        high = item["high"]
        return f"{item['low']:g} to {'2^62' if high == 1 << 62 else f'{high:g}'} {item['unit']}".strip()
    return ""


def _default(item: dict[str, object]) -> str:
    default = item["default"]
    if item["required"]:
        return "required"
    return "2^62" if default == 1 << 62 else "" if default in (None, "") else f"`{str(default).lower()}`"


def _op(op: Op) -> str:
    told = describe_op(op)
    lease = "Needs the lease." if op.lease else "Needs no lease."
    who = f"For {op.role.word}s." if op.role == max(Role) else f"For {op.role.word}s and above."
    lines = [f"### `{op.name}`", f"{op.meaning[0].upper()}{op.meaning[1:]}. {who} {lease}", ""]
    if told["args"]:
        lines += ["| argument | type | bounds | default | meaning |", "|---|---|---|---|---|"]
        lines += [
            f"| `{a['key']}` | {a['kind']} | {_bounds(a)} | {_default(a)} | {a['meaning']} |" for a in told["args"]
        ]
    else:
        lines.append("No arguments.")
    return "\n".join([*lines, "", f"Result: {op.result or 'nothing'}."])


def ops() -> str:
    """Every operation."""
    return "\n\n".join(_op(op) for op in OPS.values())


def codes() -> str:
    """The codes of refusals."""
    rows = ["| code | meaning |", "|---|---|", *(f"| `{code}` | {meaning} |" for code, meaning in MEANINGS.items())]
    return "\n".join(rows)


def modes() -> str:
    """The numbers of the modes."""
    return ", ".join(f"{m.value} {m.name.lower()}" for m in Mode)


def trips() -> str:
    """The numbers of the trips."""
    rows = ["| number | trip | rig file's key | meaning |", "|---|---|---|---|"]
    rows += [
        f"| {t.value} | `{t.name.lower()}` | {TRIP_TEXTS[t].key} | {TRIP_TEXTS[t].meaning} |"
        for t in Trip
        if t in TRIP_TEXTS
    ]
    return "\n".join(rows)


SECTIONS = {"codes": codes, "operations": ops, "modes": modes, "trips": trips, "channels": document}


def filled(page: str) -> str:
    """The page with every generated section regenerated. A section stands between its two marks."""
    for name, make in SECTIONS.items():
        begin, end = f"<!-- {name}: generated -->", f"<!-- {name}: end -->"
        head, _, rest = page.partition(begin)
        _, mark, tail = rest.partition(end)
        if not mark:
            raise ValueError(f"the page has no section {name}")
        page = f"{head}{begin}\n{make()}\n{mark}{tail}"
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
    print(
        f"wrote {PAGE}: {len(OPS)} operations, {sum(len(leaves(op.args)) for op in OPS.values())} arguments",
        file=sys.stderr,
    )
