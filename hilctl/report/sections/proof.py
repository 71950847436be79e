"""The proof: sines without compensation and with it."""

import numpy as np

from hilctl.report.markup import Html, absent, joined, p, table, tag
from hilctl.report.numbers import percent, plain, with_unit
from hilctl.report.part import Part
from hilctl.report.sections.common import Pictures, shown

_STATES = ("before", "after", "learned")


def proof(told: Part, pictures: Pictures) -> Html:
    """The preview that was found, then the sines."""
    return joined([_preview(told["preview"], pictures), _sines(told, pictures)])


def _preview(preview: Part, pictures: Pictures) -> Html:
    title = tag("h3", "The compensation's preview")
    if not preview:
        return joined([title, absent("The preview was not searched.")])
    shift_s, left = preview["extra_preview_s"].number, preview["percent"].number
    kept = f"Kept: {with_unit(1e3 * shift_s, 'ms', 3)}" if shift_s is not None else ""
    kept += f", where the distortion is {percent(left)}" if kept and left is not None else ""
    return joined([
        title, p(kept, "." if kept else ""),
        shown(pictures, "preview", "Distortion over the shift in time of the compensation, beyond what the parameters "
              "ask for."),
    ])  # fmt: skip


def _sines(told: Part, pictures: Pictures) -> Html:
    title = tag("h3", "The acceleration of sines")
    if not told["thd"].by_number and not told["sines"].by_number:
        return joined([title, absent("No sine was driven to prove the compensation.")])
    return joined([
        title,
        shown(pictures, "acceleration", "One cycle of the measured acceleration, the mean of the cycles that were "
              "driven, and the reference."),
        shown(pictures, "harmonics", "Harmonics of the acceleration from the second on, in % of the first. Odd "
              "ones, which friction makes, are joined; even ones are dots."),
        _strongest(told),
    ])  # fmt: skip


def _strongest(told: Part) -> Html:
    """The harmonic that is greatest before, and what is left of it."""
    rows = []
    for frequency, sine in told["sines"].by_number:
        before = sine["before"]["harmonics_percent"].row
        if not np.any(np.isfinite(before)):
            continue
        at = int(np.nanargmax(before))
        order = at + 2
        states = [sine[state]["harmonics_percent"].row for state in _STATES]
        cells = [percent(float(row[at])) if len(row) > at else "–" for row in states]
        rows.append([f"{frequency:g} Hz", f"{order}", plain(order * frequency, 3), *cells])
    head = ["sine", ">harmonic", ">at, Hz", ">before", ">after", ">learned"]
    if all(row[-1] == "–" for row in rows):
        head, rows = head[:-1], [row[:-1] for row in rows]
    return table(head, rows, "The harmonic that was greatest before")
