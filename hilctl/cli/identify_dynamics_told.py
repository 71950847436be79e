"""The result of a study of a rig's dynamics as tables in the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hilctl.cli import identify_parts as parts
from hilctl.cli.output import say, show
from hilctl.report.dynamics import tables

if TYPE_CHECKING:
    from hilctl.identify.dynamics.study import Grey, Study
    from hilctl.results.dynamics import IdentifiedDynamics


def tell_study(study: "Study", answer: "IdentifiedDynamics") -> None:
    """The whole result, in the order of the work."""
    for name, found in study.findings.items():
        for finding in found:
            say(f"left out: {name}: {finding}")
    _show(tables.responses(study))
    for one in study.transfers:
        if one.family is None:
            say(f"no transfer function {one.pair}: {one.refused}")
        else:
            _show(tables.transfers(one))
    if study.grey is not None and study.grey.fit is not None:
        _show(tables.estimates(study.grey))
        if study.grey.fit.directions:
            _show(tables.identifiable(study.grey.fit))
        for line in _open(study.grey):
            say(line)
    for made in tables.validation(study):
        _show(made)
    if study.tuning is not None:
        from hilctl.cli.tune_told import lines

        for line in lines(study.tuning):
            say(f"gains {line}")
        say(f"gains: see study.json; `hilctl tune {study.rig} --from {answer.folder}` shows, measures and sets them")
    for remark in dict.fromkeys(study.remarks):
        say(f"note: {remark}")
    driven = sum(one.seconds for one in study.experiments)
    say(f"{driven:.0f} s of records in {answer.wall_seconds:.0f} s")
    if answer.sets:
        parts.tell_change(answer.sets, "identify dynamics", answer.applied)


def _open(grey: "Grey") -> Iterator[str]:
    """What is not identifiable, and what to do."""
    from hilctl.identify.dynamics.judge import doubt

    assert grey.fit is not None
    fit = grey.fit
    fits = ", ".join(f"{name} {percent:.2f} %" for name, percent in fit.fit_percent.items())
    gap = f", gap {fit.gap:.1g}" if fit.rank < fit.free else ""
    yield f"{fits}; {fit.iterations} iterations; rank {fit.rank} of {fit.free}{gap}"
    for one in fit.estimates:
        if one.value is None:
            yield f"{one.name} is {tables.NOT}: {one.reason}"
    yield from dict.fromkeys(f"note: {flag}" for flag in fit.flags)
    if why := doubt(grey):
        yield f"none of these values is proposed to be set: {why}"


def _show(made: "tables.Table") -> None:
    """As wide as its words; nothing without rows."""
    from rich.table import Table

    if not made.rows:
        return
    shown = Table(title=made.title, title_justify="left")
    for name in made.head:
        shown.add_column(name.removeprefix(">"), no_wrap=True, justify="right" if name.startswith(">") else "left")
    for row in made.rows:
        shown.add_row(*row)
    show(shown)
