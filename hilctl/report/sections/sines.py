"""The acceleration of sines, without compensation and with it."""

import numpy as np

from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import Html, joined, table
from hilctl.report.numbers import percent, plain
from hilctl.report.sections import claims
from hilctl.report.sections.common import absence, missing
from hilctl.report.series import by_frequency, row
from hilctl.results.commissioned import Commissioned


def sines(result: Commissioned, pictures: Pictures) -> Html:
    """Cycles, harmonics, and the greatest of these."""
    if not result.sines:
        return absence(result, "sines", "No sine was driven to prove the compensation.")
    return joined([
        missing(result, "sines"),
        shown(pictures, "acceleration", "One cycle of the measured acceleration, the mean of the cycles that were "
              "driven, and the reference.", claims.acceleration(result)),
        shown(pictures, "harmonics", "Harmonics of the acceleration from the second on, in % of the first. Odd "
              "ones, which friction makes, are joined; even ones are dots.", claims.harmonics(result)),
        _strongest(result),
    ])  # fmt: skip


def _strongest(result: Commissioned) -> Html:
    """The harmonic that is greatest before, and what is left of it."""
    rows = []
    for frequency, sine in by_frequency(result.sines):
        lines = [row(cycle.harmonics_percent if cycle else None) for cycle in (sine.before, sine.after)]
        if not np.any(np.isfinite(lines[0])):
            continue
        at = int(np.nanargmax(lines[0]))
        cells = [percent(float(one[at])) if len(one) > at else "–" for one in lines]
        rows.append((f"{frequency:g} Hz", f"{at + 2}", plain((at + 2) * frequency, 3), *cells))
    head = ("sine", ">harmonic", ">at, Hz", ">before", ">after")
    return table(head, rows, "The harmonic that was greatest before")
