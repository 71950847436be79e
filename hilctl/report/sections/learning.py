"""Drives that were learned by repeating a motion."""

from hilctl.report.markup import Html, absent, code, joined, sentence, table
from hilctl.report.numbers import percent
from hilctl.report.part import Part
from hilctl.report.sections.common import Pictures, shown


def learning(told: Part, pictures: Pictures) -> Html:
    """A figure, and a row a frequency."""
    found = told["learning"].by_number
    if not found:
        return absent("No drive was learned.")
    rows = []
    for frequency, one in found:
        left = [x for x in (part["percent"].number for part in one["repeats"].parts) if x is not None]
        rows.append((
            f"{frequency:g} Hz", str(len(one["repeats"].parts)), percent(left[0] if left else None),
            percent(min(left) if left else None), code(one["name"].text),
            joined(["Reached. " if one["reached"].value is True else "", sentence(one["why"].text)]),
        ))  # fmt: skip
    head = ("sine", ">repeats", ">at first", ">best", "drive", "it ended because")
    return joined([
        shown(pictures, "learning", "Distortion as a sine is repeated and its drive corrected harmonic by harmonic."),
        table(head, rows),
    ])  # fmt: skip
