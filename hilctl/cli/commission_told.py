"""The result of a commissioning, for a person: a few lines, two tables, and the files."""

from pathlib import Path
from typing import TYPE_CHECKING

from hilctl.cli.identify_parts import figure, interval
from hilctl.cli.output import note, say, show
from hilctl.errors import NoFigures
from hilctl.results.commissioned import Commissioned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from hilctl.commission.notes import Notes
    from hilctl.results.proof import Thd, Tracked, Worth


def keep(notes: "Notes", besides: str) -> list[Path]:
    """Writes the JSON object into the folder, and where it was asked for."""
    from hilctl.commission.notes import FILE

    files = [notes.folder / FILE]
    if besides and Path(besides).resolve() != files[0].resolve():
        files.append(Path(besides))
    return [notes.write(file) for file in files]


def report(result: Commissioned, folder: Path) -> list[Path]:
    """Writes the page and its figures; a note where matplotlib is missing."""
    from hilctl.report import drawn, figures, write

    folder.mkdir(parents=True, exist_ok=True)
    made = None
    try:
        made = drawn(result)
        figures(made, folder / "figures")
    except NoFigures as none:
        note(str(none))
    return [write(result, folder / "report.html", made)]


def tell(result: Commissioned) -> None:
    """The answer."""
    law = result.friction
    if law:
        say(f"friction: {law.law}" + ("" if law.certain else ", not certain") + f"; {law.why}")
        for name, p in law.parameters.items():
            known = "" if p.identified else "   not identified"
            say(f"  {name:12} {figure(p.value)} {p.unit}   {interval(p.low, p.high)}{known}".rstrip())
    if result.plant:
        say("machine:")
        for name, p in result.plant.items():
            if p.before is not None and p.identified:
                say(f"  {name:12} {figure(p.value)} {p.unit}   {interval(p.low, p.high)}, was {figure(p.before)}")
    if result.choice:
        say(f"compensation: {result.choice.why}")
    show(*(table for table in (_distortion(result.thd), _tracking(result.tracking)) if table is not None))
    for flag in result.not_identified:
        say(f"not identified: {flag.key}: {flag}")
    for warning in result.warnings:
        say(f"warning: {warning}")
    told = "\n".join(result.warnings)
    for part, gone in result.missing.items():
        if gone.reason not in told:
            say(f"missing: {part}: {gone.reason}; `{gone.remedy}` measures it alone")
    if result.sent:
        say(f"active since epoch {result.sent.epoch} (`hilctl set --undo`), saved in {result.sent.file}")
    say(f"rig time {result.rig_seconds:.0f} s, elapsed {result.wall_seconds:.0f} s")


def files(paths: list[Path]) -> None:
    """Their paths."""
    for path in paths:
        say(str(path))


def _distortion(thd: "Mapping[str, Thd]") -> "Table | None":
    from rich.table import Table

    from hilctl.results.distortion import HIGHEST_HZ, is_hidden

    if not thd:
        return None
    learned = any(one.learned is not None for one in thd.values())
    title = f"Sines: distortion (THD) of the acceleration, harmonics up to {HIGHEST_HZ:g} Hz"
    made = Table(title=title, title_justify="left")
    for name in ("Hz", "±, mm", "before, %", "after, %", "times less", *(["learned, %"] if learned else [])):
        made.add_column(name, justify="right")
    for key, one in thd.items():
        least = one.after is not None and is_hidden(one.after, one.resolution_after or 0.0)
        made.add_row(
            key, f"{1e3 * one.amplitude_m:g}", _cell(one.before, "{:.3g}"),
            _cell(one.after, "≤ {:.2g}" if least else "{:.3g}"), _cell(one.factor, "≥ {:.3g}" if least else "{:.3g}"),
            *([_cell(one.learned, "{:.2g}")] if learned else []),
        )  # fmt: skip
    return made


_WHENS = {"pid": "PID", "before": "before", "after": "after"}


def _tracking(rows: "Sequence[Tracked]") -> "Table | None":
    from rich.table import Table

    if not rows:
        return None
    whens = [when for when in _WHENS if any(getattr(row, when) for row in rows)]
    made = Table(title="Tracking: rms error; ripple of the speed, THD, or error of the acceleration",
                 title_justify="left")  # fmt: skip
    made.add_column("motion")
    for when in whens:
        made.add_column(f"{_WHENS[when]}\nrms, µm", justify="right")
        made.add_column("\n%", justify="right")
    for row in rows:
        cells = [row.name]
        for when in whens:
            cells += _worth(getattr(row, when))
        made.add_row(*cells)
    return made


def _worth(found: "Worth | None") -> list[str]:
    if found is None:
        return ["", ""]
    shares = (found.flatness_percent, found.thd_percent, found.acceleration_percent)
    share = next((one for one in shares if one is not None), None)
    return [found.outcome or _cell(found.rms_um, "{:.0f}"), _cell(share, "{:.2g}")]


def _cell(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)
