"""How well motions are tracked, before and after."""

from collections.abc import Callable

from hilctl.report.markup import Html, absent, joined, table
from hilctl.report.numbers import percent, plain
from hilctl.report.part import Part
from hilctl.report.sections.common import Pictures, shown

_PERCENT = (
    ("flatness_percent", "speed on the straights, rms off"),
    ("acceleration_percent", "acceleration"),
    ("displacement_percent", "displacement"),
)


def tracking(told: Part, pictures: Pictures) -> Html:
    """A figure and a table."""
    found = told["tracking"].parts
    if not any(one["before"] or one["after"] for one in found):
        return absent("Tracking was not compared: no motion was driven before and after.")
    there = [(key, name) for key, name in _PERCENT if any(one[s][key].number is not None for one in found
             for s in ("before", "after"))]  # fmt: skip
    rows = [
        (one["name"].text or one["kind"].text or "motion", _amplitude(one["amplitude_m"].number),
         _both(one, "rms_um", lambda x: plain(x, 3)), *(_both(one, key, percent) for key, _ in there))
        for one in found
    ]  # fmt: skip
    head = ["motion", ">amplitude", ">rms error, µm", *(f">{name}" for _, name in there)]
    return joined([
        shown(pictures, "tracking", "Rms of the tracking error of displacement: open without friction compensation, "
              "filled with it."),
        table(head, rows, "Before → after"),
    ])  # fmt: skip


def _amplitude(amplitude_m: float | None) -> str:
    return "–" if amplitude_m is None else f"±{plain(1e3 * amplitude_m, 3)} mm"


def _both(one: Part, key: str, told: Callable[[float | None], str]) -> str:
    values = [one[state][key].number for state in ("before", "after")]
    if all(value is None for value in values):
        return "–"
    return " → ".join(told(value) for value in values)
