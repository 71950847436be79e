"""Nothing happens but by a request that was accepted, from somebody who is there; and protection is not taken away."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from hilctl.params import flatten
from hilctl.signals import Mode
from tests.invariants.judges.causes import STOPS_S
from tests.invariants.judges.registry import first, judge, since
from tests.invariants.run import Run


@judge
def order(run: Run) -> Iterator[tuple[int, str]]:
    """Ticks advance by what was skipped; epochs only grow, and none is one that nobody set."""
    rows = run.rows
    k = first(np.diff(rows["tick"]) != 1 + rows["skipped"][1:])
    if k >= 0:
        yield k + 1, f"tick {rows['tick'][k + 1]} follows {rows['tick'][k]}, {rows['skipped'][k + 1]} skipped"
        return
    k = first((np.diff(rows["epoch"]) < 0) | ~np.isin(rows["epoch"][1:], list(run.sets)))
    if k >= 0:
        yield k + 1, f"epoch {rows['epoch'][k + 1]} after {rows['epoch'][k]}"


@judge
def by_itself(run: Run) -> Iterator[tuple[int, str]]:
    """Nothing is armed, moved or reset but by a request that was accepted."""
    was, now, trip = run.mode[:-1], run.mode[1:], run.trip
    for verbs, changed in (
        (("arm",), (was == Mode.OFF) & (now != Mode.OFF)),
        (("track", "move"), (now == Mode.TRACK) & (was != Mode.TRACK)),
        (("reset",), (trip[:-1] != 0) & (trip[1:] == 0)),
    ):
        asked = run.accepted(*verbs)
        for k in np.flatnonzero(changed):
            if not any(run.at(note.first) <= k + 1 <= run.at(note.last) + 2 for note in asked):
                what = f"{Mode(int(was[k])).name} to {Mode(int(now[k])).name}, trip {trip[k]} to {trip[k + 1]}"
                yield int(k) + 1, f"{what} without an accepted {' or '.join(verbs)}"
                return


@judge
def nobody_there(run: Run) -> Iterator[tuple[int, str]]:
    """No motion goes on after whoever commanded it has been lost, where the rig file says that it ends."""
    if run.rig.service.lease_lost == "continue" or not run.leases:
        return
    alone = np.zeros(len(run.tick), bool)
    for tick, heard in run.leases:
        alone[run.at(tick) :] = not heard
    k = first((since(alone, run) > run.ticks(STOPS_S)) & (run.mode == Mode.TRACK))
    if k >= 0:
        yield k, f"a motion runs, and nobody has held the lease, or been heard, for {STOPS_S:g} s"


@judge
def protection(run: Run) -> Iterator[tuple[int, str]]:
    """What protects is loosened in `off` only."""
    epochs = run.rows["epoch"]
    for k in np.flatnonzero(np.diff(epochs)) + 1:
        if run.mode[k - 1] == Mode.OFF:
            continue
        old, new = run.sets[int(epochs[k - 1])], run.sets[int(epochs[k])]
        before, after = _values(old), _values(new)
        looser = [key for key in before if _looser(key, before[key], after[key])]
        if looser:
            yield int(k), f"{', '.join(looser)} was loosened while the rig was armed"
            return


def _values(rig: Any) -> dict[str, Any]:
    found = flatten(rig.controller)
    return {key: value for key, value in found.items() if key.startswith("limits.") or key.endswith(".present")}


def _looser(key: str, old: Any, new: Any) -> bool:
    if old == new or key.startswith(("limits.stopping", "limits.shaping", "limits.command")):
        return False
    if key.endswith(".present"):
        return bool(old and not new)
    if key.endswith(".action"):
        order = ("warn", "stop", "null")
        return order.index(new) < order.index(old)
    if key.endswith((".min_m", ".low")):
        return bool(new < old)
    return bool(new > old)


@judge
def armed_with_wrong_wiring(run: Run) -> Iterator[tuple[int, str]]:
    """Arming proves each sign: nothing holds the table that is wired the wrong way."""
    wrong: dict[str, str] = {}
    holds = np.flatnonzero((run.mode == Mode.HOLD) & (np.concatenate(([0], run.mode[:-1])) == Mode.STANDBY))
    wires = [note for note in run.notes if note.line.startswith("wire") and note.ok]
    for k in holds:
        wrong.clear()
        for note in wires:
            if note.last < run.tick[k]:
                part, what = note.line.split()[1:-1], note.line.split()[-1]
                wrong[" ".join(part)] = what
        amiss = [f"{part} {what}" for part, what in wrong.items() if what != "right"]
        if amiss:
            yield int(k), f"armed with {', '.join(amiss)}"
            return
