"""Enable, supply and valve in each mode, and what becomes of them after a trip, the emergency stop, the end."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from hilctl.signals import Arming, Mode
from tests.invariants.driver import NO_EXCHANGE
from tests.invariants.judges.causes import STOPS_S
from tests.invariants.judges.registry import first, judge, since
from tests.invariants.run import Run

LATE_S = 0.05  # the command's lag, and the ramp to null
SEEN = 3  # ticks within which a pressed emergency stop has switched off: it is read in the one, and sent in the next


@judge
def outputs(run: Run) -> Iterator[tuple[int, str]]:
    """Enable, supply and valve as docs/safety.md tabulates them for each mode."""
    rows, mode, arming = run.rows, run.mode, run.rows["arming"]
    enable, supply = np.ones(len(mode), int), np.full(len(mode), 2)
    standby, off = mode == Mode.STANDBY, mode == Mode.OFF
    enable[off | (standby & (arming < Arming.ENABLE))] = 0
    supply[off | (standby & (arming <= Arming.REST))] = 0
    supply[standby & (arming > Arming.REST) & (arming < Arming.HIGH_PRESSURE)] = 1
    known = mode != Mode.NULL  # by way of null, the supply stays as it was
    _asked_for(run, supply, known)
    wrong = (rows["enabled"] != enable) | ((rows["supply"] != supply) & known)
    wrong |= off & (np.abs(rows["u_cmd"]) > run.rig.tables.arming.null_max + abs(run.rig.tables.law.valve.null_bias))
    k = first(wrong)
    if k >= 0:
        told = f"enable {rows['enabled'][k]}, supply {rows['supply'][k]}, valve {rows['u_cmd'][k]:.3g}"
        yield k, f"{told}; the mode's are {enable[k]}, {supply[k]}"
        return
    sent = (run.truth["tick"][1:] == rows["tick"][1:]) & (run.truth["status"][1:] != NO_EXCHANGE)
    other = (run.truth["enable"][1:] != rows["enabled"][:-1]) | (run.truth["valve"][1:] != rows["u_cmd"][:-1])
    k = first(sent & other)
    if k >= 0:
        yield k + 1, "the device was sent another command than the sample before says"


def _asked_for(run: Run, supply: Any, known: Any) -> None:
    """The level that somebody has asked for in hold, until the rig leaves the closed loop."""
    closed = np.isin(run.mode, (Mode.HOLD, Mode.TRACK, Mode.STOP))
    for note in run.notes:
        words = note.line.split()
        if words[1:2] == ["supply"] and note.ok:
            begin = run.at(note.last)
            left = np.flatnonzero(~closed[begin:])
            supply[begin : begin + left[0] if len(left) else None] = 2 if "level=high" in words else 1
            known[run.shown(note) : begin] = False


@judge
def energy_with_trip(run: Run) -> Iterator[tuple[int, str]]:
    """With a trip latched the loop does not stay closed: hold, then null, then off, by the rig file's times."""
    escalation = getattr(run.limits, "escalation", None)
    most_s = (escalation.hold_s if escalation is not None else 10.0) + STOPS_S
    closed = (run.trip != 0) & (run.mode != Mode.OFF) & (run.mode != Mode.NULL)
    k = first(since(closed, run) > run.ticks(most_s))
    if k >= 0:
        yield k, f"the loop is still closed {most_s:g} s after the trip"


@judge
def open_for_nothing(run: Run) -> Iterator[tuple[int, str]]:
    """The valve does not stay open for a motion that does not come: `limits.holding`, half as much again and 50 ms."""
    tables, rule = run.rig.tables, run.limits.holding
    gain = rule.share * tables.machine.Qn / tables.machine.A
    opening = np.abs(run.truth["spool"] - run.rig.driver_config.valve.null_bias)
    beyond = opening - max(tables.machine.overlaps) - run.moving / gain
    closed = (run.mode == Mode.HOLD) | (run.mode == Mode.TRACK) | (run.mode == Mode.STOP)
    warns = run.epochs(lambda tables: tables.limits.holding.action == "warn")
    open_s = since(closed & (beyond > 1.5 * rule.opening) & (run.rows["status"] == 0) & ~warns, run) * run.dt_s
    k = first(open_s > rule.max_s / 1.5 + LATE_S)
    if k >= 0:
        yield k, f"the valve has been open by {opening[k]:.3g} for {open_s[k]:.3g} s, and the table does not move"


@judge
def emergency(run: Run) -> Iterator[tuple[int, str]]:
    """While the emergency stop is pressed, the rig is off; unless the rig had no such input when it was pressed."""
    pressed = np.zeros(len(run.tick), bool)
    for note in run.notes:
        if note.line.startswith("stop "):
            k = run.at(note.last)
            has = k < len(run.tick) and run.sets[int(run.rows["epoch"][k])].tables.sensors.emergency_stop.present
            pressed[k:] = note.line == "stop pressed" and has
    for note in run.notes:  # an input that cannot be read is another fault
        if note.line.startswith("sensor emergency_stop"):
            pressed[run.at(note.first) : run.at(note.first + int(note.line.split()[-1]) + 5)] = False
    k = first((since(pressed, run) > SEEN) & (run.mode != Mode.OFF) & _exchanged(run))
    if k >= 0:
        yield k, "the emergency stop is pressed, and the rig is not off"


def _exchanged(run: Run) -> Any:
    """The device has told its readings in this tick and the three before."""
    good = (run.truth["status"] == 0) & (run.truth["tick"] == run.tick)
    return good & np.concatenate(([False] * 3, good[2:-1])) & np.concatenate(([False], good[:-1]))


@judge
def end(run: Run) -> Iterator[tuple[int, str]]:
    """The run ends off and at rest."""
    if run.mode[-1] != Mode.OFF:
        yield len(run.tick) - 1, "the run has ended, and the rig is not off"
