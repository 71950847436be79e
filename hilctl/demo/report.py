"""The demonstration's answer: one JSON object, and the same as a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hilctl.demo.course import LAWS, Run, Task
from hilctl.demo.measure import worth

if TYPE_CHECKING:
    from rich.table import Table

_TITLES = {
    "triangle": "Triangles: rms of the error; how flat the speed is on the straights",
    "sine": "Sine: rms of the error; distortion of the acceleration, harmonics 2 to 100 Hz",
}


def as_object(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """One entry a motion and law."""
    return [
        {"law": run.law, "kind": run.task.kind, **run.task.parameters, "outcome": run.why, **worth(run)._asdict(),
         "trip": _trip(run)}
        for run in runs
    ]  # fmt: skip


def _trip(run: Run) -> dict[str, Any] | None:
    if not run.trip:
        return None
    return {key: run.trip.get(key) for key in ("name", "value", "limit", "unit", "key")}


def tables(runs: Sequence[Run]) -> list["Table"]:
    """Triangles, and sines: each motion in a row, the laws side by side."""
    return [
        _table(runs, "triangle", ("speed, m/s", "±, mm"), "flat, %"),
        _table(runs, "sine", ("frequency, Hz", "±, mm"), "THD, %"),
    ]


def _table(runs: Sequence[Run], kind: str, first: tuple[str, str], second: str) -> "Table":
    from rich.table import Table

    made = Table(title=_TITLES[kind], title_justify="left")
    for name in first:
        made.add_column(name, justify="right")
    for name in LAWS.values():
        made.add_column(f"{name}\nrms, µm", justify="right")
        made.add_column(f"\n{second}", justify="right")
    for task in [task for task in _tasks(runs) if task.kind == kind]:
        cells: list[str] = []
        for law in LAWS:
            cells += _cells(next((run for run in runs if run.task is task and run.law == law), None))
        rate = task.parameters["speed_m_s" if kind == "triangle" else "frequency_hz"]
        made.add_row(f"{rate:g}", f"{1e3 * task.parameters['amplitude_m']:g}", *cells)
    return made


def _tasks(runs: Sequence[Run]) -> list[Task]:
    found: list[Task] = []
    for run in runs:
        if not any(run.task is task for task in found):
            found.append(run.task)
    return found


def _cells(run: Run | None) -> tuple[str, str]:
    if run is None:
        return "", ""
    if run.why != "done":
        return run.why, ""
    found = worth(run)
    second = found.thd_percent if run.task.kind == "sine" else found.flatness_percent
    return f"{found.rms_um:.0f}", f"{second:.2g}" if second is not None else ""


def remarks(runs: Sequence[Run]) -> list[str]:
    """What the table's words mean: each trip, with its limit."""
    found = []
    for run in runs:
        if run.trip:
            reached = (
                f"{run.trip['value']:.3g} {run.trip['unit']}, limit {run.trip['limit']:g}"
                if "value" in run.trip
                else ""
            )
            found.append(
                f"{LAWS[run.law]}, {run.task.text}: {run.trip['name'].replace('_', ' ')} ({reached}); "
                "reset and armed again"
            )
    return found
