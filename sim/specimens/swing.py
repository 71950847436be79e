"""A chain's motion on a base that stands still, as named arrays, for a notebook, a command and a yardstick:

    from sim.specimens import Chain, Hinge, swing

    motion = swing(Chain(links=3, joint2=Hinge(law="coulomb")), seconds=10)
    motion.angles_rad[:, 2], motion.normal_n[:, 0], motion.loss_j

Classical Runge–Kutta steps; the bristles before and after each, as in `specimen.py`. Where a joint whose law jumps
turns back or breaks away inside a step, the step is taken in parts that end there: so nothing is lost of its order.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.machine import GRAVITY
from hilctl.params import check, plain
from hilctl.rt.jit import jit
from hilctl.rt.records import as_record
from sim.specimens.chain.fill import fill_chain
from sim.specimens.chain.forces import rt_accelerate_chain
from sim.specimens.chain.laws import Bearing
from sim.specimens.chain.modes import rt_decide, rt_jumps, rt_margin, rt_relax_chain
from sim.specimens.chain.record import CHAIN_WORDS, DRIVE_WORK, LOSS, MOST, NO_LAW, SPEED, TURN
from sim.specimens.chain.settings import Chain
from sim.specimens.record import SPECIMEN, Kind
from sim.specimens.simulate import NoSolution
from sim.specimens.specimen import rt_commit, rt_end, rt_stage

_EVENTS = 20  # of a step at most; more of them are taken at its end
_HALVINGS = 50  # of a step, to find one

# One row of the result: time, then a column for each of the joints.
ANGLE, TURNING, NORMAL, TORQUE, STUCK, DRIVEN, LOST = 0, MOST, 2 * MOST, 3 * MOST, 4 * MOST, 5 * MOST, 5 * MOST + 1
ROW = LOST + 1

Column = npt.NDArray[Any]  # of float64


class Swing(NamedTuple):
    """What happened: a row an instant, a column a link or its upper joint."""

    time_s: Column
    angles_rad: Column
    speeds_rad_s: Column
    normal_n: Column
    friction_n_m: Column  # on the joint's outer link
    stuck: Column  # 1 where a law that jumps holds the joint
    kinetic_j: Column
    potential_j: Column
    drive_work_j: Column
    loss_j: Column  # taken by friction
    solves: int  # of the equations
    rounds: float  # of Newton's method, the mean
    events: int  # a joint has turned back or broken away, of a law that jumps

    @property
    def imbalance_j(self) -> Column:
        """Input minus loss minus what is stored: what the computation has invented or lost."""
        stored = self.kinetic_j + self.potential_j
        change: Column = self.drive_work_j - self.loss_j - (stored - stored[0])
        return change

    @property
    def greatest_j(self) -> float:
        """The greatest energy stored, from hanging at rest."""
        return float((self.kinetic_j + self.potential_j).max())


def swing(
    own: Chain, seconds: float, *, step_s: float = 1e-4, every: int = 10, bearings: Sequence[Bearing] | None = None
) -> Swing:
    """The motion over so many seconds, a row after every so many steps; `bearings` are laws of their own in the joints.

    BadValues where the declaration is not sound, NoSolution where the joints' forces could not be found.
    """
    own = check(Chain, plain(own), "chain")
    memory = np.zeros(SPECIMEN.itemsize, np.uint8)
    spec = memory.view(SPECIMEN)[0]
    spec.kind, spec.per_table, spec.gravity, spec.words = Kind.CHAIN, 1.0, GRAVITY, CHAIN_WORDS
    fill_chain(spec, own, bearings)
    count = max(1, math.ceil(seconds / (step_s * every) - 1e-9))
    rows = np.zeros((count + 1, ROW))
    events = rt_swing(memory, step_s, every, rows)
    if spec.failures:
        raise NoSolution(
            f"no solution for the joints' forces in {spec.failures} of {spec.chain.solves}; shorten the step"
        )
    return _motion(own, spec.chain, step_s * every * np.arange(count + 1), rows, events)


def energies(own: Chain, angles: Column, speeds: Column) -> tuple[Column, Column]:
    """Kinetic and potential energy of these poses, the latter from hanging, link by link."""
    kinetic = potential = np.zeros(len(angles))
    x = y = np.zeros(len(angles))  # speed of the upper joint
    drop = np.zeros(len(angles))  # its height above where it hangs
    for k, link in enumerate(own.bodies):
        theta, w, a = angles[:, k], speeds[:, k], link.centre
        vx, vy = x + a * np.cos(theta) * w, y + a * np.sin(theta) * w
        rise = 2.0 * np.sin(theta / 2) ** 2
        kinetic = kinetic + 0.5 * link.m * (vx**2 + vy**2) + 0.5 * link.inertia * w**2
        potential = potential + link.m * GRAVITY * (drop + a * rise)
        length = link.length_m
        x, y, drop = x + length * np.cos(theta) * w, y + length * np.sin(theta) * w, drop + length * rise
    return kinetic, potential


def _motion(own: Chain, c: Any, times: Column, rows: Column, events: int) -> Swing:
    def of(first: int) -> Column:
        columns: Column = rows[:, first : first + own.links]
        return columns

    angles, speeds = np.cumsum(of(ANGLE), axis=1), np.cumsum(of(TURNING), axis=1)
    kinetic, potential = energies(own, angles, speeds)
    return Swing(
        time_s=times, angles_rad=angles, speeds_rad_s=speeds, normal_n=of(NORMAL), friction_n_m=of(TORQUE),
        stuck=of(STUCK), kinetic_j=kinetic, potential_j=potential, drive_work_j=rows[:, DRIVEN], loss_j=rows[:, LOST],
        solves=int(c.solves), rounds=float(c.rounds / max(c.solves, 1)), events=events,
    )  # fmt: skip


@jit()
def _rt_try(spec: Any, dt: float) -> float:
    """A step of this length from y to `end`; the margin there, where a joint can stick."""
    half = 0.5 * dt
    rt_accelerate_chain(spec, spec.y, spec.rates[0], 0.0, 0.0, True)
    rt_stage(spec, 0, half)
    rt_accelerate_chain(spec, spec.trial, spec.rates[1], 0.0, 0.0, True)
    rt_stage(spec, 1, half)
    rt_accelerate_chain(spec, spec.trial, spec.rates[2], 0.0, 0.0, True)
    rt_stage(spec, 2, dt)
    rt_accelerate_chain(spec, spec.trial, spec.rates[3], 0.0, 0.0, True)
    rt_end(spec, dt)
    if spec.chain.jumps == 0:
        return math.inf
    rt_accelerate_chain(spec, spec.end, spec.rates[0], 0.0, 0.0, True)
    margin: float = rt_margin(spec.chain, spec.end)
    return margin


@jit()
def _rt_settle(spec: Any) -> None:
    """What has just turned back stands still, exactly, and all that can stick is decided on."""
    c = spec.chain
    for j in range(c.links):
        hinge = c.hinge[j]
        if rt_jumps(hinge) and hinge.mode != 0.0 and hinge.mode * spec.y[SPEED + j] <= 0.0:
            spec.y[SPEED + j] = 0.0
    rt_decide(spec, spec.y, 0.0, 0.0, True)


@jit()
def _rt_whole_step(spec: Any, dt: float) -> int:
    """A step, in parts that end where a joint turns back or breaks away; how many did."""
    left, events = dt, 0
    while left > 0.0:
        margin = _rt_try(spec, left)
        if margin >= 0.0 or events >= _EVENTS:
            rt_commit(spec)
            if margin < 0.0:
                _rt_settle(spec)
            return events
        before, after = 0.0, left
        for _ in range(_HALVINGS):
            middle = 0.5 * (before + after)
            if _rt_try(spec, middle) < 0.0:
                after = middle
            else:
                before = middle
        _rt_try(spec, after)
        rt_commit(spec)
        _rt_settle(spec)
        events += 1
        left -= after
    return events


@jit()
def _rt_note(spec: Any, row: Any) -> None:
    c = spec.chain
    rt_accelerate_chain(spec, spec.y, spec.rates[0], 0.0, 0.0, True)
    for j in range(c.links):
        hinge = c.hinge[j]
        row[ANGLE + j], row[TURNING + j] = spec.y[TURN + j], spec.y[SPEED + j]
        normal, torque = c.force[j], c.torque[j]
        if hinge.law != NO_LAW and hinge.per_load > 0.0:  # friction is a part of the resultant
            share = torque / (hinge.radius * normal) if normal > 0.0 else 0.0
            normal *= math.sqrt(max(1.0 - share * share, 0.0))
        row[NORMAL + j], row[TORQUE + j] = normal, torque
        row[STUCK + j] = 1.0 if rt_jumps(hinge) and hinge.mode == 0.0 else 0.0
    row[DRIVEN], row[LOST] = spec.y[DRIVE_WORK], spec.y[LOSS]


@jit(lambda: "int64(uint8[::1], float64, int64, float64[:, ::1])", cached=True)
def rt_swing(memory: Any, dt: float, every: int, rows: Any) -> int:
    """A row before the first step and after each `every` of them; how many events there were."""
    spec, events = as_record(memory, SPECIMEN), 0
    if spec.chain.jumps > 0:
        rt_decide(spec, spec.y, 0.0, 0.0, True)
    _rt_note(spec, rows[0])
    for k in range(1, rows.shape[0]):
        for _ in range(every):
            rt_relax_chain(spec, spec.y, 0.5 * dt)
            events += _rt_whole_step(spec, dt)
            rt_relax_chain(spec, spec.y, 0.5 * dt)
        _rt_note(spec, rows[k])
    return events
