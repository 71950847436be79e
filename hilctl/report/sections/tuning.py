"""Gains that were tuned: what the loop was predicted to be worth, and what was measured."""

from hilctl.report.markup import NOTHING, Html, code, joined, p, table
from hilctl.report.numbers import plain
from hilctl.report.part import Part

_STATES = (("before", "predicted, before"), ("measured_before", "measured, before"),
           ("predicted", "predicted, now"), ("measured_after", "measured, now"))  # fmt: skip


def tuning(told: Part) -> Html:
    """Two tables; nothing where gains were not tuned."""
    found = told["tuning"]
    if not found:
        return NOTHING
    rows = [_row(name, found[key]) for key, name in _STATES if found[key]]
    head = ("the loop", ">crossover, Hz", ">-3 dB, Hz", ">gain margin, dB", ">phase margin, °", ">modulus margin")
    gains = [(code(key), plain(value.number)) for key, value in found["values"].named.items()]
    return joined([
        table(head, rows, "Gains tuned: what the loop is worth"),
        table(("key", ">value"), gains, "The gains found"),
        p(found["taken_back"].text) if found["taken_back"] else NOTHING,
    ])  # fmt: skip


def _row(name: str, one: Part) -> tuple[str, ...]:
    margins = one["margins"] or one["nominal"]
    gains = [x for x in (margins["rise_db"].number, margins["fall_db"].number) if x is not None]
    return (
        name, plain(one["crossover_hz"].number, 3), plain(one["minus_3_db_hz"].number, 3),
        plain(min(gains) if gains else None, 3), plain(margins["phase_deg"].number, 3),
        plain(margins["modulus"].number, 3),
    )  # fmt: skip
