"""Drives that were learned by repeating a motion."""

from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import Html, code, joined, sentence, table
from hilctl.report.numbers import percent
from hilctl.report.sections import claims
from hilctl.report.sections.common import absence, missing
from hilctl.report.series import by_frequency
from hilctl.results.commissioned import Commissioned


def learning(result: Commissioned, pictures: Pictures) -> Html:
    """A figure, and a row a frequency."""
    if not result.learning:
        return absence(result, "learning", "No drive was learned.")
    rows = []
    for frequency, one in by_frequency(result.learning):
        left = [repeat.percent for repeat in one.repeats]
        rows.append((
            f"{frequency:g} Hz", str(len(left)), percent(left[0]), percent(min(left)), code(one.name),
            joined(["Reached. " if one.reached else "", sentence(one.why)]),
        ))  # fmt: skip
    head = ("sine", ">repeats", ">at first", ">best", "drive", "it ended because")
    return joined([
        missing(result, "learning"),
        shown(pictures, "learning", "Distortion as a sine is repeated and its drive corrected harmonic by harmonic.",
              claims.learning(result)),
        table(head, rows),
    ])  # fmt: skip
