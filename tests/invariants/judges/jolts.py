"""How hard the table is accelerated: as the reference asks, and what friction and oil add to it.

Friction. A table that breaks away, or turns, is freed of static less kinetic friction, (fs - fc)/m, which the oil
answers with as much again: KICKS of them, the most that was seen of motions that nothing disturbs being 1.7.
Oil. A step of the valve by u is a step of speed u Qn/A, which the undamped mode w answers with w u Qn/A.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from hilctl.machine import hydraulic_frequency
from hilctl.signals import Mode
from tests.invariants.judges.causes import SETTLES_S, shifts, supply_speed_m_s, supply_unjudged
from tests.invariants.judges.registry import first, judge
from tests.invariants.run import Run

KICKS = 2.0
TWICE = 2.0  # what a stall may add, from docs/safety.md: as much as the motion's own
LATELY_S = 0.1  # four periods of the hydraulic mode
STALLED_S = 0.3  # after a stall, until the motion is rejoined
_RAMPED = 4  # periods by which the ramp to null goes on at once after a stall (hilctl/law/tick_output.py)


@judge
def acceleration(run: Run) -> Iterator[tuple[int, str]]:
    """Nothing is accelerated more than its motion, or the stop, explains."""
    allowed = _allowed(run)
    over = run.truth["a_most"] > allowed
    k = first(over)
    if k >= 0:
        most = int(np.argmax(np.where(over, run.truth["a_most"], 0)))
        yield (
            k,
            (
                f"{run.truth['a_most'][k]:.3g} m/s², allowed are {allowed[k]:.3g} m/s²; "
                f"up to {run.truth['a_most'][most]:.3g} at tick {run.tick[most]}"
            ),
        )


def _allowed(run: Run) -> Any:
    kick = KICKS * (run.rig.friction.params.fs - run.rig.friction.params.fc) / run.rig.tables.machine.m
    allowed = np.maximum(_motion(run), _stop(run))
    stalled = run.within(run.rows["skipped"] > 0, STALLED_S)
    allowed = np.where(stalled, np.maximum(allowed, _rejoined(run, kick)), allowed)
    allowed[stalled & run.epochs(lambda tables: tables.limits.late.action == "warn")] = np.inf  # as was asked for
    allowed[_rammed(run)] = np.inf
    return kick + allowed + _arming(run) + _stepped(run) + _pushed(run) + _shown(run)


def _motion(run: Run) -> Any:
    """The reference, and what is added to it to rejoin a motion: that is judged by the motion's own."""
    asked = np.abs(run.rows["ar_m_s2"])
    for motion in run.motions:
        at = slice(motion.begin, motion.end)
        tracks = run.mode[at] == Mode.TRACK
        asked[at] = np.where(tracks, np.minimum(asked[at], TWICE * motion.peak_m_s2), asked[at])
    return run.highest(asked, LATELY_S)


def _rejoined(run: Run, kick: float) -> Any:
    """Twice the motion's own, with what friction does to it; and what the inverse model was doing when it stalled.

    It turns friction within a few ticks: the oil is compressed by a pulse of the valve, which a stall holds.
    """
    own = np.zeros(len(run.tick))
    for motion in run.motions:
        own[motion.begin : motion.end] = TWICE * motion.peak_m_s2 + (TWICE - 1.0) * kick
    pulse = np.abs(run.rows["u_cmd"] - run.rows["u_linear"]) * run.epochs(lambda tables: tables.law.feed.inverse > 0)
    held = np.concatenate(([0.0], pulse[:-1])) * (run.rows["skipped"] > 0)
    return own + run.highest(_jolt(run, held), STALLED_S)


def _rammed(run: Run) -> Any:
    """At the end of the stroke, where a stall has left too little of it to stop in. A PID lags by v/kp."""
    deceleration, machine, law = run.limits.stopping.deceleration_m_s2, run.rig.tables.machine, run.rig.tables.law
    place = np.abs(run.truth["x"])
    follows_s = machine.A / (machine.Qn * law.pid.kp_per_m) if law.feedback == "pid" else 0.0
    reach = run.moving**2 / (2.0 * deceleration) + run.moving * follows_s
    too_far = (run.rows["skipped"] > 0) & (place + reach > machine.stroke_m)
    return run.within(too_far, STALLED_S) & (place > machine.stroke_m)


def _stop(run: Run) -> Any:
    """Stop and ramp to null decelerate by the limit; the ramp goes on by some periods at once after a stall."""
    deceleration = run.limits.stopping.deceleration_m_s2
    off = run.mode == Mode.OFF  # a ramp may be over within its first tick
    ramps = (run.mode == Mode.NULL) | (off & ~np.concatenate(([True], off[:-1])))
    null = run.within(ramps, LATELY_S)
    stops = run.within(run.mode == Mode.STOP, LATELY_S) | null
    late = null & run.within(run.rows["skipped"] > 0, LATELY_S)
    step_m_s = deceleration * _RAMPED * run.dt_s
    return stops * deceleration + late * step_m_s * hydraulic_frequency(run.rig.tables.machine)


def _jolt(run: Run, opening: Any) -> Any:
    machine = run.rig.tables.machine
    return opening * (machine.Qn / machine.A * hydraulic_frequency(machine))


def _arming(run: Run) -> Any:
    """From one bump to the other, at low pressure."""
    tables = run.rig.tables
    share = np.sqrt(tables.machine.Ps_low / tables.machine.Ps)
    return run.within(run.mode == Mode.STANDBY, LATELY_S) * _jolt(run, 2.0 * tables.arming.bump * share)


def _stepped(run: Run) -> Any:
    """Emergency stop, and a device that has no command: the valve closes in one step, and opens in one again."""
    machine = run.rig.tables.machine
    steps = run.noted("stop", after_s=1.0) | run.noted("unplug", after_s=1.0)
    for note in run.notes:
        if note.line.startswith("mute"):
            ticks = int(note.line.split()[2])
            steps[run.at(note.first) : run.at(note.first + ticks + run.ticks(SETTLES_S))] = True
    speed = np.maximum(run.moving, np.abs(run.rows["u_cmd"]) * machine.Qn / machine.A)
    out = steps * run.highest(speed, LATELY_S) * hydraulic_frequency(machine)
    back = supply_unjudged(run)
    return out + back * supply_speed_m_s(run) * hydraulic_frequency(machine)


def _pushed(run: Run) -> Any:
    """A force that begins and ends in a step."""
    out = np.zeros(len(run.tick))
    for note in run.notes:
        if note.line.startswith("push") and note.ok:
            at = slice(run.shown(note), run.at(note.last + run.ticks(SETTLES_S)))
            out[at] = 2.0 * abs(float(note.line.split()[1])) / run.rig.tables.machine.m
    return out


def _shown(run: Run) -> Any:
    """What the feedback makes of a sensor that shows another value: at most a step of the valve to where it is."""
    shown = np.zeros(len(run.tick), bool)
    for _sensor, _by, begin, end in shifts(run):
        shown[begin:end] = True
    return shown * run.highest(_jolt(run, np.abs(run.rows["u_cmd"])), LATELY_S)


@judge
def slew(run: Run) -> Iterator[tuple[int, str]]:
    """The valve's command changes no faster than its limit, a period at a time."""
    rows = run.rows
    most = run.rig.tables.limits.command.slew_per_s * run.dt_s
    step = np.abs(np.diff(rows["u_cmd"]))
    k = first((step > most + 1e-9) & (run.mode[1:] != Mode.OFF))
    if k >= 0:
        yield k + 1, f"the command jumps by {step[k]:.3g}, limits.command.slew_per_s allows {most:.3g} a tick"
