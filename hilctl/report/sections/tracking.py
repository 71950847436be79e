"""How well motions are tracked, before and after."""

from collections.abc import Callable

from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import Html, joined, table
from hilctl.report.numbers import percent, plain
from hilctl.report.sections import claims
from hilctl.report.sections.common import absence, missing
from hilctl.results.commissioned import Commissioned
from hilctl.results.proof import Tracked, Worth

Figure = Callable[[Worth], float | None]

_PERCENT: dict[str, Figure] = {
    "speed on the straights, rms off": lambda one: one.flatness_percent,
    "acceleration": lambda one: one.acceleration_percent,
    "displacement": lambda one: one.displacement_percent,
}


def tracking(result: Commissioned, pictures: Pictures) -> Html:
    """A figure and a table."""
    found = result.tracking
    if not any(one.before or one.after for one in found):
        return absence(result, "tracking", "Tracking was not compared: no motion was driven before and after.")
    there = {name: of for name, of in _PERCENT.items() if any(x is not None for one in found for x in _pair(one, of))}
    rows = [
        (one.name, _amplitude(one.amplitude_m),
         _both(one, lambda worth: worth.rms_um, lambda x: plain(x, 3)),
         *(_both(one, of, percent) for of in there.values()))
        for one in found
    ]  # fmt: skip
    head = ["motion", ">amplitude", ">rms error, µm", *(f">{name}" for name in there)]
    return joined([
        missing(result, "tracking"),
        shown(pictures, "tracking", "Rms of the tracking error of displacement: open without friction compensation, "
              "filled with it.", claims.tracking(result)),
        table(head, rows, "Before → after"),
    ])  # fmt: skip


def _amplitude(amplitude_m: object) -> str:
    return f"±{plain(1e3 * amplitude_m, 3)} mm" if isinstance(amplitude_m, (int, float)) else "–"


def _pair(one: Tracked, of: Figure) -> list[float | None]:
    return [of(worth) if worth else None for worth in (one.before, one.after)]


def _both(one: Tracked, of: Figure, told: Callable[[float | None], str]) -> str:
    values = _pair(one, of)
    return "–" if all(value is None for value in values) else " → ".join(told(value) for value in values)
