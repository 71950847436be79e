"""Ticks that are missed, and what must stand still with a trip latched."""

from collections.abc import Iterator

import numpy as np

from hilctl.signals import Mode
from tests.invariants.judges.registry import first, judge, since
from tests.invariants.run import Run


@judge
def lateness(run: Run) -> Iterator[tuple[int, str]]:
    """Too many missed periods, in a row or of the last second, end in a trip; by the parameters in force."""
    rows, tick = run.rows, run.tick
    missed = np.cumsum(rows["skipped"])
    before = np.maximum(np.searchsorted(tick, tick - run.ticks(1.0), side="right") - 1, 0)
    share = (missed - missed[before]) / run.ticks(1.0)
    in_a_row = missed - np.maximum.accumulate(np.where(rows["skipped"] == 0, missed, 0))
    most = np.array([run.sets[int(e)].tables.limits.late.ticks for e in np.unique(rows["epoch"])])
    most = most[np.searchsorted(np.unique(rows["epoch"]), rows["epoch"])]
    warns = [epoch for epoch, rig in run.sets.items() if rig.tables.limits.late.action == "warn"]
    closed = np.isin(run.mode, (Mode.HOLD, Mode.TRACK)) & (run.trip == 0) & ~np.isin(rows["epoch"], warns)
    # A bucket that leaks a share of 0.2 and holds as much of a second is full when 0.4 of a second were missed.
    counted = since(run.mode != Mode.OFF, run) > run.ticks(1.0)
    late = closed & (rows["skipped"] > 0) & ((in_a_row >= most) | (counted & (share > 0.4)))
    k = first(late)
    if k >= 0:
        told = f"{share[k]:.0%} of the last second and {in_a_row[k]} periods in a row were missed"
        yield k, f"{told} (limits.late.ticks = {most[k]}), and nothing trips"


@judge
def integral(run: Run) -> Iterator[tuple[int, str]]:
    """With a trip latched nothing accumulates."""
    closed = (run.trip != 0) & np.isin(run.mode, (Mode.HOLD, Mode.STOP))
    for note in run.accepted("reset"):  # goes on with the opening that holds the table
        closed[run.at(note.first) : run.at(note.last) + 2] = False
    both = closed[1:] & closed[:-1] & (run.rows["epoch"][1:] == run.rows["epoch"][:-1])
    for name in ("u_integral", "u_pid_i"):
        step = np.abs(np.diff(run.rows[name]))
        k = first(both & (step > 0.0))
        if k >= 0:
            yield k + 1, f"{name} goes on by {step[k]:.2g} with a trip latched"
            return
