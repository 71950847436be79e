"""The plant over one period: valve, chambers and mass in n substeps, leaving a history of what sensors could see.

Two loops, chosen once a period by the kind of friction: friction that jumps at v = 0 (`sliding.py`), and friction
with a deflection (`bristle.py`). The choice costs the inner loop nothing.
"""

from typing import Any

import numpy as np

from hilctl.friction import PARAMETERS, STATES
from hilctl.friction.lugre import rt_bristle_force, rt_deflect
from hilctl.friction.stribeck import rt_slip
from hilctl.params import record_of
from hilctl.rt.jit import jit
from sim.bristle import rt_bend
from sim.cylinder import CYLINDER, rt_drive, rt_edges, rt_supply_flow
from sim.sliding import rt_slide, rt_substep_with_events
from sim.valve import VALVE, rt_half_substep, rt_opening

MOST_SUBSTEPS = 1024  # in a period
POSITION, ACCELERATION, PRESSURE_A, PRESSURE_B = range(4)  # rows of the history

PLANT: "np.dtype[Any]" = record_of(
    [
        # constants
        ("valve", VALVE),
        ("cylinder", CYLINDER),
        ("substep_s", np.float64),
        ("substeps", np.int64),
        ("sticks", np.int64),  # the kind of friction
        ("p", np.float64, (PARAMETERS,)),
        # state
        ("spool", np.float64),
        ("spool_rate", np.float64),
        ("target", np.float64),
        ("pa", np.float64),
        ("pb", np.float64),
        ("x", np.float64),
        ("v", np.float64),
        ("direction", np.float64),  # of sliding, 0 while stuck
        ("z", np.float64, (STATES,)),
        ("ps", np.float64),
        ("supply_flow", np.float64),  # drawn at the end of the period
        ("history", np.float64, (4, MOST_SUBSTEPS + 1)),
    ]
)


@jit()
def rt_plant_period(plant: Any) -> None:
    """Advances the plant by a period, the spool on its way to `target`; fills the history."""
    if plant.sticks:
        _rt_sliding_period(plant)
    else:
        _rt_bristle_period(plant)
    edge, counter = rt_edges(plant.cylinder, rt_opening(plant.valve, plant.spool))
    plant.supply_flow = rt_supply_flow(plant.cylinder, plant.ps, edge, counter, plant.pa, plant.pb)


@jit()
def rt_friction_now(plant: Any) -> float:
    """The friction force as it stands: of sliding or of the bristles, or what holds the mass."""
    drive = rt_drive(plant.cylinder, plant.pa, plant.pb, plant.x, plant.v)
    force: float = drive - rt_acceleration_now(plant) * plant.cylinder.m
    return force


@jit()
def rt_acceleration_now(plant: Any) -> float:
    """The acceleration as it stands."""
    c, acceleration = plant.cylinder, 0.0
    drive = rt_drive(c, plant.pa, plant.pb, plant.x, plant.v)
    if plant.sticks == 0:
        acceleration = (drive - rt_bristle_force(plant.p, plant.z[0], plant.v)) * c.per_mass
    elif plant.direction != 0.0:
        acceleration = (drive - rt_slip(plant.p, plant.direction, plant.v)) * c.per_mass
    return acceleration


@jit()
def _rt_sliding_period(plant: Any) -> None:
    c, valve, p, history = plant.cylinder, plant.valve, plant.p, plant.history
    dt, ps, target = plant.substep_s, plant.ps, plant.target
    spool, rate, pa, pb, x, v = plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v
    direction = plant.direction
    begin = rt_opening(valve, spool)
    for j in range(plant.substeps):
        history[POSITION, j], history[PRESSURE_A, j], history[PRESSURE_B, j] = x, pa, pb
        spool, rate = rt_half_substep(valve, target, spool, rate)
        middle = rt_opening(valve, spool)
        spool, rate = rt_half_substep(valve, target, spool, rate)
        end = rt_opening(valve, spool)
        openings = (begin, middle, end)
        begin = end
        moving = direction != 0.0
        acceleration = 0.0
        if moving:
            pa_end, pb_end, x_end, v_end, acceleration = rt_slide(c, p, direction, ps, dt, openings, pa, pb, x, v)
            moving = v_end * direction > 0.0
        history[ACCELERATION, j] = acceleration
        if moving:
            pa, pb, x, v = pa_end, pb_end, x_end, v_end
        else:
            direction, pa, pb, x, v = rt_substep_with_events(c, p, direction, ps, dt, openings, pa, pb, x, v)
    plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v = spool, rate, pa, pb, x, v
    plant.direction = direction
    _rt_end_history(plant)


@jit()
def _rt_bristle_period(plant: Any) -> None:
    c, valve, p, history = plant.cylinder, plant.valve, plant.p, plant.history
    dt, ps, target = plant.substep_s, plant.ps, plant.target
    spool, rate, pa, pb, x, v = plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v
    z = plant.z[0]
    half = 0.5 * dt
    begin = rt_opening(valve, spool)
    for j in range(plant.substeps):
        history[POSITION, j], history[PRESSURE_A, j], history[PRESSURE_B, j] = x, pa, pb
        history[ACCELERATION, j] = (rt_drive(c, pa, pb, x, v) - rt_bristle_force(p, z, v)) * c.per_mass
        spool, rate = rt_half_substep(valve, target, spool, rate)
        middle = rt_opening(valve, spool)
        spool, rate = rt_half_substep(valve, target, spool, rate)
        end = rt_opening(valve, spool)
        z = rt_deflect(p, z, v, half)
        pa, pb, x, v, _ = rt_bend(c, p, z, ps, dt, (begin, middle, end), pa, pb, x, v)
        z = rt_deflect(p, z, v, half)
        begin = end
    plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v = spool, rate, pa, pb, x, v
    plant.z[0] = z
    _rt_end_history(plant)


@jit()
def _rt_end_history(plant: Any) -> None:
    """The truth at the period's end, as the history's last column."""
    n, history = plant.substeps, plant.history
    history[POSITION, n], history[PRESSURE_A, n], history[PRESSURE_B, n] = plant.x, plant.pa, plant.pb
    history[ACCELERATION, n] = rt_acceleration_now(plant)
