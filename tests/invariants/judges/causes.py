"""What explains that the table moves, though no request of that moment asks for it."""

from typing import Any

import numpy as np

from hilctl.signals import Arming, Mode
from tests.invariants.run import Run

STOPS_S = 0.5  # from the request, or the trip, to rest: at 1 m/s and 40 m/s² a stop takes 35 ms, the ramp to null 40
SETTLES_S = 0.5  # of the closed loop after a motion, a push, a change of the supply
OVERSHOOTS = 2.0  # an undamped mode, in its answer to a step
SHOWN = ("spike", "offset", "drift")  # a sensor that shows another value than the true one


def disturbed(run: Run) -> Any:
    """Somebody pushes, or a sensor shows the table where it is not; and a while after."""
    out = run.noted("push", after_s=SETTLES_S)
    for _sensor, _by, begin, end in shifts(run):
        out[begin:end] = True
    for note in run.notes:  # a loop that runs now and then does not settle
        begin, end = run.at(note.first), run.at(note.last + run.ticks(SETTLES_S))
        if note.line.startswith("stalls") and out[begin:end].any():
            out[begin:end] = True
    return out


def shifts(run: Run) -> list[tuple[str, float, int, int]]:
    """Sensors that showed another value: which, by how much at the most, and the rows until that has settled."""
    found = []
    for note in run.notes:
        words = note.line.split()
        if words[0] == "sensor" and words[2] in SHOWN:
            ticks = int(words[-1]) if words[2] != "spike" else 1
            by = abs(float(words[3])) * (ticks * run.dt_s if words[2] == "drift" else 1.0)
            found.append((words[1], by, run.at(note.first), run.at(note.first + ticks + run.ticks(SETTLES_S))))
    return found


def explained(run: Run) -> Any:
    """A motion that was accepted and runs, a stop, a ramp to null, arming; and what disturbs, or lets go."""
    mode = run.mode
    stopping = (mode == Mode.STOP) | (mode == Mode.NULL)
    begun = np.concatenate(([False], stopping[1:] & ~stopping[:-1]))
    runs = (mode == Mode.TRACK) | (stopping & run.within(begun, STOPS_S))
    arming = (mode == Mode.STANDBY) & (run.rows["arming"] >= Arming.ENABLE)
    switched_off = np.concatenate(([False], (mode[1:] == Mode.OFF) & (mode[:-1] != Mode.OFF)))
    return run.within(runs | arming | switched_off, SETTLES_S) | disturbed(run) | supply_within(run)


def supply_unjudged(run: Run) -> Any:
    """Where nobody measures the supply, or its limit only warns, what follows when it comes back."""
    measured = run.rig.tables.sensors.supply_pressure.present
    warns = [epoch for epoch, rig in run.sets.items() if rig.tables.limits.supply.action == "warn"]
    back = run.noted("supply", "back", after_s=SETTLES_S)
    unseen = run.epochs(lambda tables: not tables.sensors.emergency_stop.present)  # it takes the pressure away, too
    back |= run.noted("stop", "released", after_s=SETTLES_S) & unseen
    return back if not measured else back & np.isin(run.rows["epoch"], warns)


def supply_speed_m_s(run: Run) -> float:
    """It finds a valve opened by whatever the integral has come to.

    How far, and for how long, is what `open_for_nothing` judges.
    """
    machine = run.rig.tables.machine
    opening = np.max(np.abs(run.rows["u_cmd"]), where=supply_unjudged(run), initial=0.0)
    return float(OVERSHOOTS * opening * machine.Qn / machine.A)


def supply_within(run: Run) -> Any:
    """The same, where it moves no faster than that."""
    return supply_unjudged(run) & (run.moving < supply_speed_m_s(run))
