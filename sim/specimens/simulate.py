"""A specimen's motion as named arrays, for a notebook:

from sim.specimens import Pendulum, SpecimenConfig, Table, simulate

motion = simulate(SpecimenConfig(kind="pendulum"), seconds=30)                    released, on a fixed base
motion.angles_rad[:, 0], motion.normal_n[:, 1], motion.loss_j
simulate(config, 10, table=Table(500, force_n=lambda t: 2000 * np.sin(6 * t)))    on a table that is pushed
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError
from hilctl.machine import GRAVITY
from hilctl.params import BadValues, Problem, check, plain
from sim.specimens.fill import specimen_record
from sim.specimens.record import (
    DEFLECTION,
    DRIVE_WORK,
    LOSS,
    MASS_SPEED,
    SPECIMEN,
    STRUCTURE_LOSS,
    STRUCTURE_WORK,
    TABLE_WORK,
    TURN1,
    TURN2,
    VX1,
    VX2,
    VY1,
    VY2,
    W1,
    W2,
    Y1,
    Y2,
)
from sim.specimens.settings import SpecimenConfig
from sim.specimens.stand import (
    GAP,
    NORMAL1,
    NORMAL2,
    REACTION,
    ROW,
    STAND,
    TABLE_A,
    TABLE_V,
    TABLE_X,
    TORQUE1,
    TORQUE2,
    WORK,
    rt_stand,
)

Column = npt.NDArray[Any]  # of float64


class Table(NamedTuple):
    """A table that moves freely under a given force, friction included."""

    mass_kg: float
    force_n: float | Callable[[Column], Column] = 0.0  # constant, or over the times in seconds
    speed_m_s: float = 0.0  # at the start; the specimen moves with it


class NoSolution(HilctlError, ArithmeticError):
    """The joints' forces could not be found at some instants; what was computed is worth nothing."""


class Motion(NamedTuple):
    """What happened: a row an instant; two columns where there are two links or joints (empty for other specimens)."""

    time_s: Column
    table_m: Column
    table_m_s: Column
    table_m_s2: Column
    reaction_n: Column  # the specimen's force on the table
    angles_rad: Column
    speeds_rad_s: Column
    normal_n: Column  # normal forces of the joints
    friction_n_m: Column  # torques of friction on the outer link of either joint
    bristles_m: Column
    deflection_m: Column  # of a structure
    kinetic_j: Column  # of the specimen, as seen from the ground
    potential_j: Column
    drive_work_j: Column  # done by the driving couples
    table_work_j: Column  # done by the table on the specimen
    loss_j: Column  # taken by friction or damping
    force_work_j: Column  # done by the force on the table
    gap_m: Column  # how far the joints have come apart
    rounds: float  # of the quasi-Newton method, the mean over all solutions

    @property
    def imbalance_j(self) -> Column:
        """Input minus loss minus what is stored: what the computation has invented or lost."""
        stored = self.kinetic_j + self.potential_j
        change: Column = stored - stored[0]
        return self.drive_work_j + self.table_work_j - self.loss_j - change

    @property
    def exchanged_j(self) -> float:
        """All that went through the balance: the sum of its terms' ranges."""
        terms = (self.drive_work_j, self.table_work_j, self.loss_j, self.kinetic_j, self.potential_j)
        return float(sum(np.ptp(term) for term in terms))


def simulate(
    config: SpecimenConfig, seconds: float, *, step_s: float = 1e-4, every: int = 10, table: Table | None = None
) -> Motion:
    """The motion over so many seconds, a row after every so many steps; without a table on a base that stands still.

    BadValues where the declaration is not sound, NoSolution where the joints' forces could not be found.
    """
    config = check(SpecimenConfig, plain(config), "specimen")
    if config.kind == "chain":
        remedy = "sim.specimens.swing(chain, seconds)"
        raise BadValues([Problem("specimen.kind", config.kind, "has a function of its own", remedy)])
    memory, stand_memory = np.zeros(SPECIMEN.itemsize, np.uint8), np.zeros(STAND.itemsize, np.uint8)
    spec, stand = memory.view(SPECIMEN)[0], stand_memory.view(STAND)[0]
    specimen_record(config, table.mass_kg if table else 1.0, out=spec)
    stand.held = table is None
    count = max(1, math.ceil(seconds / (step_s * every) - 1e-9)) * every
    times = step_s * np.arange(count + 1)
    force = np.zeros(count + 1)
    if table is not None:
        force[:] = table.force_n(times) if callable(table.force_n) else table.force_n
        _start(spec, stand, table.speed_m_s)
    rows = np.zeros((count // every + 1, ROW))
    rt_stand(memory, stand_memory, step_s, every, force, rows)
    if spec.failures:
        raise NoSolution(f"no solution for the joints' forces in {spec.failures} of {spec.solves}; shorten the step")
    return _motion(config, spec, times[::every], rows)


def _start(spec: Any, stand: Any, speed_m_s: float) -> None:
    """Table and specimen move together."""
    stand.v = speed_m_s
    if spec.words:
        for word in (VX1, VX2) if spec.pivot else (MASS_SPEED,):
            spec.y[word] += speed_m_s


def _motion(config: SpecimenConfig, spec: Any, times: Column, rows: Column) -> Motion:
    y, nothing = rows[:, 10:], np.zeros(len(rows))
    kinetic = potential = drive = work = loss = nothing
    angles = speeds = bristles = np.zeros((len(rows), 0))
    joints = config.kind == "pendulum"
    if config.kind == "rigid":
        kinetic = 0.5 * spec.mass * rows[:, TABLE_V] ** 2
        work = kinetic - kinetic[0]
    elif config.kind == "structure":
        kinetic = 0.5 * spec.mass * y[:, MASS_SPEED] ** 2
        potential = 0.5 * spec.stiffness * y[:, DEFLECTION] ** 2
        work, loss = y[:, STRUCTURE_WORK], y[:, STRUCTURE_LOSS]
    elif joints:
        first, second = spec.link1, spec.link2
        kinetic = 0.5 * (
            first.m * (y[:, VX1] ** 2 + y[:, VY1] ** 2) + first.J * y[:, W1] ** 2
            + second.m * (y[:, VX2] ** 2 + y[:, VY2] ** 2) + second.J * y[:, W2] ** 2
        )  # fmt: skip
        potential = GRAVITY * (first.m * y[:, Y1] + second.m * y[:, Y2])
        drive, work, loss = y[:, DRIVE_WORK], y[:, TABLE_WORK], y[:, LOSS]
        angles, speeds, bristles = y[:, [TURN1, TURN2]], y[:, [W1, W2]], y[:, 16:18]
    return Motion(
        time_s=times,
        table_m=rows[:, TABLE_X],
        table_m_s=rows[:, TABLE_V],
        table_m_s2=rows[:, TABLE_A],
        reaction_n=rows[:, REACTION],
        angles_rad=angles,
        speeds_rad_s=speeds,
        normal_n=rows[:, [NORMAL1, NORMAL2]] if joints else angles,
        friction_n_m=rows[:, [TORQUE1, TORQUE2]] if joints else angles,
        bristles_m=bristles,
        deflection_m=y[:, DEFLECTION] if config.kind == "structure" else nothing,
        kinetic_j=kinetic,
        potential_j=potential,
        drive_work_j=drive,
        table_work_j=work,
        loss_j=loss,
        force_work_j=rows[:, WORK],
        gap_m=rows[:, GAP],
        rounds=float(spec.rounds / max(spec.solves, 1)),
    )
