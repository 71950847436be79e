"""A specimen on a plain table: a mass under a given force, or no table that moves at all.

For notebooks, tests and figures; in the twin the same functions go along with the hydraulics' own step.
"""

from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit
from hilctl.rt.records import as_record
from sim.specimens.pendulum import rt_gap_pendulum
from sim.specimens.record import SIZE, SPECIMEN, Kind
from sim.specimens.specimen import rt_accelerate, rt_commit, rt_end, rt_project, rt_relax, rt_stage

STAND: "np.dtype[Any]" = record_of(
    [
        ("held", np.int64),  # the table does not move
        ("x", np.float64),
        ("v", np.float64),
        ("work", np.float64),  # of the given force
    ]
)

# One row of the result; the specimen's state follows.
TABLE_X, TABLE_V, TABLE_A, REACTION, WORK, NORMAL1, NORMAL2, TORQUE1, TORQUE2, GAP = range(10)
ROW = 10 + SIZE


@jit()
def rt_stand_step(spec: Any, stand: Any, dt: float, force: float, force_end: float) -> None:
    """One step; the force on the table goes in a straight line."""
    held, x, v, work = stand.held != 0, stand.x, stand.v, stand.work
    half, middle = 0.5 * dt, 0.5 * (force + force_end)
    rt_relax(spec, spec.y, half)
    a1, _ = rt_accelerate(spec, spec.y, spec.rates[0], v, force, held)
    rt_stage(spec, 0, half)
    v2 = v + half * a1
    a2, _ = rt_accelerate(spec, spec.trial, spec.rates[1], v2, middle, held)
    rt_stage(spec, 1, half)
    v3 = v + half * a2
    a3, _ = rt_accelerate(spec, spec.trial, spec.rates[2], v3, middle, held)
    rt_stage(spec, 2, dt)
    v4 = v + dt * a3
    a4, _ = rt_accelerate(spec, spec.trial, spec.rates[3], v4, force_end, held)
    rt_end(spec, dt)
    rt_commit(spec)
    sixth = dt / 6.0
    stand.x = x + sixth * (v + 2.0 * (v2 + v3) + v4)
    stand.v = v + sixth * (a1 + 2.0 * (a2 + a3) + a4)
    stand.work = work + sixth * (force * v + 2.0 * middle * (v2 + v3) + force_end * v4)
    rt_project(spec, spec.y, stand.v)
    rt_relax(spec, spec.y, half)  # at the speeds that the next step begins with: it need not look them up again


@jit()
def _rt_note(spec: Any, stand: Any, force: float, row: Any) -> None:
    acceleration, reaction = rt_accelerate(spec, spec.y, spec.rates[0], stand.v, force, stand.held != 0)
    row[TABLE_X], row[TABLE_V], row[TABLE_A] = stand.x, stand.v, acceleration
    row[REACTION], row[WORK] = reaction, stand.work
    row[NORMAL1], row[NORMAL2] = spec.normal[0], spec.normal[1]
    row[TORQUE1], row[TORQUE2] = spec.torque[0], spec.torque[1]
    row[GAP] = rt_gap_pendulum(spec, spec.y) if spec.kind == Kind.PENDULUM.value else 0.0
    for i in range(SIZE):
        row[10 + i] = spec.y[i]


@jit(lambda: "void(uint8[::1], uint8[::1], float64, int64, float64[::1], float64[:, ::1])", cached=True)
def rt_stand(specimen: Any, table: Any, dt: float, every: int, force: Any, rows: Any) -> None:
    """len(force) - 1 steps under the force at their ends; a row before the first and after each `every` of them."""
    spec, stand = as_record(specimen, SPECIMEN), as_record(table, STAND)
    _rt_note(spec, stand, force[0], rows[0])
    for k in range(force.size - 1):
        rt_stand_step(spec, stand, dt, force[k], force[k + 1])
        if (k + 1) % every == 0:
            _rt_note(spec, stand, force[k + 1], rows[(k + 1) // every])
