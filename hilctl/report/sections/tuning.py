"""Gains that were tuned: what the loop was predicted to be worth, and what was measured."""

from hilctl.report.figure import Pictures
from hilctl.report.markup import NOTHING, Html, code, joined, p, table
from hilctl.report.numbers import plain
from hilctl.report.sections.common import absence, missing
from hilctl.results.commissioned import Commissioned
from hilctl.results.proof import Loop


def tuning(result: Commissioned, pictures: Pictures) -> Html:
    """Two tables."""
    found = result.tuning
    if found is None:
        return absence(result, "gains", "Gains were not tuned.")
    loops = (
        ("predicted, before", found.before), ("measured, before", found.measured_before),
        ("predicted, now", found.predicted), ("measured, now", found.measured_after),
    )  # fmt: skip
    head = ("the loop", ">crossover, Hz", ">-3 dB, Hz", ">gain margin, dB", ">phase margin, °", ">modulus margin")
    return joined([
        missing(result, "gains"),
        table(head, [_row(name, loop) for name, loop in loops if loop], "Gains tuned: what the loop is worth"),
        table(("key", ">value"), [(code(key), plain(x)) for key, x in found.values.items()], "The gains found"),
        p(found.taken_back) if found.taken_back else NOTHING,
    ])  # fmt: skip


def _row(name: str, loop: Loop) -> tuple[str, ...]:
    margins = loop.margins
    gains = [x for x in (margins.rise_db, margins.fall_db) if x is not None] if margins else []
    return (
        name, plain(loop.crossover_hz, 3), plain(loop.minus_3_db_hz, 3), plain(min(gains, default=None), 3),
        plain(margins.phase_deg if margins else None, 3), plain(margins.modulus if margins else None, 3),
    )  # fmt: skip
