"""The result of a commissioning, for a person: a few lines, two tables, and the files."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli.identify_parts import figure, interval
from hilctl.cli.output import note, say, show
from hilctl.errors import NoFigures

if TYPE_CHECKING:
    from rich.table import Table

    from hilctl.commission.notes import Notes


def keep(notes: "Notes", besides: str) -> list[Path]:
    """Writes the JSON object into the folder, and where it was asked for."""
    files = [notes.folder / "commission.json"]
    if besides and Path(besides).resolve() != files[0].resolve():
        files.append(Path(besides))
    return [notes.write(file) for file in files]


def report(told: dict[str, Any], folder: Path) -> list[Path]:
    """Writes the page and its figures; a note where matplotlib is missing."""
    from hilctl.params.finite import finite
    from hilctl.report import figures, write

    plain = finite(told)
    folder.mkdir(parents=True, exist_ok=True)
    made = [write(plain, folder / "report.html")]
    try:
        figures(plain, folder / "figures")
    except NoFigures as none:
        note(str(none))
    return made


def tell(told: dict[str, Any]) -> None:
    """The answer."""
    law = told.get("friction")
    if law:
        say(f"friction: {law['law']}" + ("" if law["certain"] else ", not certain") + f"; {law['why']}")
        for name, p in law["parameters"].items():
            known = "" if p["identified"] else "   not identified"
            say(f"  {name:12} {figure(p['value'])} {p['unit']}   {interval(p['low'], p['high'])}{known}".rstrip())
    if told.get("plant"):
        say("machine:")
        for name, p in told["plant"].items():
            if p["before"] is not None and p["identified"]:
                ends = interval(p["low"], p["high"])
                say(f"  {name:12} {figure(p['value'])} {p['unit']}   {ends}, was {figure(p['before'])}")
    if told.get("choice"):
        say(f"compensation: {told['choice']['why']}")
    show(*(table for table in (_distortion(told), _tracking(told)) if table is not None))
    for flag in told["not_identified"]:
        say(f"not identified: {flag['key']}: {flag['text']}; {flag['remedy']}".removesuffix("; "))
    for warning in told["warnings"]:
        say(f"warning: {warning}")
    if told.get("sent"):
        say(f"active since epoch {told['sent']['epoch']} (`hilctl set --undo`), saved in {told['sent']['file']}")
    say(f"rig time {told['rig_seconds']:.0f} s, elapsed {told['wall_seconds']:.0f} s")


def files(paths: list[Path]) -> None:
    """Their paths."""
    for path in paths:
        say(str(path))


def _distortion(told: dict[str, Any]) -> "Table | None":
    from rich.table import Table

    from hilctl.results.distortion import HIGHEST_HZ, is_hidden

    if not told.get("thd"):
        return None
    learned = any("learned" in one for one in told["thd"].values())
    title = f"Sines: distortion (THD) of the acceleration, harmonics up to {HIGHEST_HZ:g} Hz"
    made = Table(title=title, title_justify="left")
    for name in ("Hz", "±, mm", "before, %", "after, %", "times less", *(["learned, %"] if learned else [])):
        made.add_column(name, justify="right")
    for key, one in told["thd"].items():
        cells = [key, f"{1e3 * one['amplitude_m']:g}"]
        least = one.get("after") is not None and is_hidden(one["after"], one.get("resolution_after") or 0.0)
        cells += [_cell(one.get("before"), "{:.3g}")]
        cells += [_cell(one.get("after"), "≤ {:.2g}" if least else "{:.3g}")]
        cells += [_cell(one.get("factor"), "≥ {:.3g}" if least else "{:.3g}")]
        made.add_row(*cells, *([_cell(one.get("learned"), "{:.2g}")] if learned else []))
    return made


_WHENS = {"pid": "PID", "before": "before", "after": "after"}


def _tracking(told: dict[str, Any]) -> "Table | None":
    from rich.table import Table

    rows = told.get("tracking")
    if not rows:
        return None
    whens = [when for when in _WHENS if any(when in row for row in rows)]
    made = Table(title="Tracking: rms error; ripple of the speed, THD, or error of the acceleration",
                 title_justify="left")  # fmt: skip
    made.add_column("motion")
    for when in whens:
        made.add_column(f"{_WHENS[when]}\nrms, µm", justify="right")
        made.add_column("\n%", justify="right")
    for row in rows:
        cells = [row["name"]]
        for when in whens:
            found = row.get(when) or {}
            share = next((found[key] for key in _SHARES if found.get(key) is not None), None)
            cells += [found.get("outcome") or _cell(found.get("rms_um"), "{:.0f}"), _cell(share, "{:.2g}")]
        made.add_row(*cells)
    return made


_SHARES = ("flatness_percent", "thd_percent", "acceleration_percent")


def _cell(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)
