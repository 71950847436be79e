"""The plant over one period: valve, chambers and mass in n substeps, leaving a history of what sensors could see.

Two loops: under friction that jumps at v = 0 (`sliding.py`), and under friction that does not (`bristle.py`). Either is
compiled for one model, whose law stands inlined in it: another model costs the inner loop nothing.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from hilctl.friction import MODELS, PARAMETERS, STATES, Kind
from hilctl.friction.model import Advance, Force, Hold, Slip
from hilctl.params import record_of
from hilctl.rt.jit import jit
from sim.bristle import bending
from sim.cylinder import CYLINDER, rt_drive, rt_edges, rt_supply_flow
from sim.sliding import sliding
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
        ("acceleration", np.float64),  # then
        ("friction", np.float64),
        ("history", np.float64, (4, MOST_SUBSTEPS + 1)),
    ]
)


@cache
def plant_under(friction: str) -> Callable[[Any], None]:
    """Advances the plant by a period under this model, the spool on its way to `target`; fills the history."""
    model = MODELS[friction]
    if model.kind == Kind.JUMPS and model.hold is not None:
        return _sliding_plant(model.slip, model.hold)
    if model.advance is not None and model.force is not None:
        return _bristle_plant(model.advance, model.force)
    return _smooth_plant(model.slip)


def _sliding_plant(slip: Slip, hold: Hold) -> Callable[[Any], None]:
    rt_slide, rt_substep_with_events = sliding(slip, hold)

    @jit()
    def rt_period(plant: Any) -> None:
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
        drive = rt_drive(c, pa, pb, x, v)
        rt_end_period(plant, drive if direction == 0.0 else slip(p, direction, v))

    return rt_period


def _bristle_plant(advance: Advance, force: Force) -> Callable[[Any], None]:
    rt_substep = bending(advance, force)

    @jit()
    def rt_period(plant: Any) -> None:
        c, valve, p, z, history = plant.cylinder, plant.valve, plant.p, plant.z, plant.history
        dt, ps, target = plant.substep_s, plant.ps, plant.target
        spool, rate, pa, pb, x, v = plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v
        begin = rt_opening(valve, spool)
        for j in range(plant.substeps):
            history[POSITION, j], history[PRESSURE_A, j], history[PRESSURE_B, j] = x, pa, pb
            history[ACCELERATION, j] = (rt_drive(c, pa, pb, x, v) - force(p, z, v)) * c.per_mass
            spool, rate = rt_half_substep(valve, target, spool, rate)
            middle = rt_opening(valve, spool)
            spool, rate = rt_half_substep(valve, target, spool, rate)
            end = rt_opening(valve, spool)
            pa, pb, x, v, _ = rt_substep(c, p, z, ps, dt, (begin, middle, end), pa, pb, x, v)
            begin = end
        plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v = spool, rate, pa, pb, x, v
        rt_end_period(plant, force(p, z, v))

    return rt_period


def _smooth_plant(slip: Slip) -> Callable[[Any], None]:
    @jit()
    def rt_nothing(p: Any, z: Any, v: float, dt: float) -> None:
        """No state."""

    @jit()
    def rt_force(p: Any, z: Any, v: float) -> float:
        return slip(p, 0.0, v)

    return _bristle_plant(rt_nothing, rt_force)


@jit()
def rt_end_period(plant: Any, friction: float) -> None:
    """The truth at the period's end: the history's last column, and what no sensor shows."""
    n, history, c = plant.substeps, plant.history, plant.cylinder
    plant.friction = friction
    plant.acceleration = (rt_drive(c, plant.pa, plant.pb, plant.x, plant.v) - friction) * c.per_mass
    history[POSITION, n], history[PRESSURE_A, n], history[PRESSURE_B, n] = plant.x, plant.pa, plant.pb
    history[ACCELERATION, n] = plant.acceleration
    edge, counter = rt_edges(c, rt_opening(plant.valve, plant.spool))
    plant.supply_flow = rt_supply_flow(c, plant.ps, edge, counter, plant.pa, plant.pb)
