"""The plant over one period: valve, chambers and mass in n substeps, leaving a history of what sensors could see.

Two loops: under friction that jumps at v = 0 (`sliding.py`), and under friction that does not: a function of the speed,
or bristles with a state, which is stiff and solved by its model while the speed is held.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from hilctl.friction import MODELS, PARAMETERS, STATES
from hilctl.friction import Kind as Friction
from hilctl.friction.model import Advance, Force, Hold, Slip
from hilctl.params import record_of
from hilctl.rt.jit import jit
from sim.body import Body, bare
from sim.cylinder import CYLINDER, rt_edges, rt_supply_flow
from sim.loaded import loaded
from sim.sliding import starting_and_stopping
from sim.specimens.record import SPECIMEN, Kind
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
        ("target", np.float64),  # where it goes,
        ("turns_to", np.float64),  # and where from that substep of the period on
        ("turns_at", np.int64),
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
        ("specimen", SPECIMEN),
    ]
)


@cache
def plant_under(friction: str, specimen: Kind) -> Callable[[Any], None]:
    """Advances the plant by a period, the spool on its way to `target`, then to `turns_to`; fills the history.

    Compiled for one friction model and one kind of specimen, whose laws stand inlined in it: others cost it nothing.
    """
    model = MODELS[friction]
    if model.kind == Friction.JUMPS and model.hold is not None:
        return _sliding_plant(model.slip, model.hold, specimen)
    if model.advance is not None and model.force is not None:
        return _bristle_plant(model.advance, model.force, specimen)
    return _smooth_plant(model.slip, specimen)


def _body(force: Callable[[Any, Any, float], float], specimen: Kind) -> Body:
    return bare(force) if specimen == Kind.NONE else loaded(force, specimen)


def _sliding_plant(slip: Slip, hold: Hold, specimen: Kind) -> Callable[[Any], None]:
    body = _body(slip, specimen)
    of, slide, push, accept, accelerate = body.of, body.step, body.push, body.accept, body.accelerate
    relax, settle = body.relax, body.settle
    rt_substep_with_events = starting_and_stopping(body, hold)

    @jit()
    def rt_period(plant: Any) -> None:
        b, valve, p, history = of(plant), plant.valve, plant.p, plant.history
        dt, ps, target, turns_to, turns_at = plant.substep_s, plant.ps, plant.target, plant.turns_to, plant.turns_at
        spool, rate, pa, pb, x, v = plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v
        direction, half = plant.direction, 0.5 * dt
        begin = rt_opening(valve, spool)
        for j in range(plant.substeps):
            if j == turns_at:
                target = turns_to
            history[POSITION, j], history[PRESSURE_A, j], history[PRESSURE_B, j] = x, pa, pb
            spool, rate = rt_half_substep(valve, target, spool, rate)
            middle = rt_opening(valve, spool)
            spool, rate = rt_half_substep(valve, target, spool, rate)
            end = rt_opening(valve, spool)
            openings = (begin, middle, end)
            begin = end
            relax(b, half)
            moving = direction != 0.0
            acceleration = 0.0
            if moving:
                pa_end, pb_end, x_end, v_end, acceleration = slide(b, p, direction, ps, dt, openings, pa, pb, x, v)
                moving = v_end * direction > 0.0
            history[ACCELERATION, j] = acceleration
            if moving:
                accept(b)
                pa, pb, x, v = pa_end, pb_end, x_end, v_end
            else:
                direction, pa, pb, x, v = rt_substep_with_events(b, p, direction, ps, dt, openings, pa, pb, x, v)
            relax(b, half)
        settle(b, v)
        plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v = spool, rate, pa, pb, x, v
        plant.direction = direction
        if direction == 0.0:
            rt_end_period(plant, push(b, pa, pb, x), 0.0)
        else:
            friction = slip(p, direction, v)
            rt_end_period(plant, friction, accelerate(b, pa, pb, x, v, friction))

    return rt_period


def _bristle_plant(advance: Advance, force: Force, specimen: Kind) -> Callable[[Any], None]:
    body = _body(force, specimen)
    of, accept, accelerate, relax, settle = body.of, body.accept, body.accelerate, body.relax, body.settle
    bend = body.step

    @jit()
    def rt_period(plant: Any) -> None:
        b, valve, p, z, history = of(plant), plant.valve, plant.p, plant.z, plant.history
        dt, ps, target, turns_to, turns_at = plant.substep_s, plant.ps, plant.target, plant.turns_to, plant.turns_at
        spool, rate, pa, pb, x, v = plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v
        half = 0.5 * dt
        begin = rt_opening(valve, spool)
        for j in range(plant.substeps):
            if j == turns_at:
                target = turns_to
            history[POSITION, j], history[PRESSURE_A, j], history[PRESSURE_B, j] = x, pa, pb
            history[ACCELERATION, j] = accelerate(b, pa, pb, x, v, force(p, z, v))
            spool, rate = rt_half_substep(valve, target, spool, rate)
            middle = rt_opening(valve, spool)
            spool, rate = rt_half_substep(valve, target, spool, rate)
            end = rt_opening(valve, spool)
            # half of the stiff states, solved while all else is held; the rest; the other half: of second order
            advance(p, z, v, half)
            relax(b, half)
            pa, pb, x, v, _ = bend(b, p, z, ps, dt, (begin, middle, end), pa, pb, x, v)
            accept(b)
            relax(b, half)
            advance(p, z, v, half)
            begin = end
        settle(b, v)
        plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v = spool, rate, pa, pb, x, v
        friction = force(p, z, v)
        rt_end_period(plant, friction, accelerate(b, pa, pb, x, v, friction))

    return rt_period


def _smooth_plant(slip: Slip, specimen: Kind) -> Callable[[Any], None]:
    @jit()
    def rt_nothing(p: Any, z: Any, v: float, dt: float) -> None:
        """No state."""

    @jit()
    def rt_force(p: Any, z: Any, v: float) -> float:
        return slip(p, 0.0, v)

    return _bristle_plant(rt_nothing, rt_force, specimen)


@jit()
def rt_end_period(plant: Any, friction: float, acceleration: float) -> None:
    """The truth at the period's end: the history's last column, and what no sensor shows."""
    n, history, c = plant.substeps, plant.history, plant.cylinder
    plant.target = plant.turns_to
    plant.friction, plant.acceleration = friction, acceleration
    history[POSITION, n], history[PRESSURE_A, n], history[PRESSURE_B, n] = plant.x, plant.pa, plant.pb
    history[ACCELERATION, n] = acceleration
    edge, counter = rt_edges(c, rt_opening(plant.valve, plant.spool))
    plant.supply_flow = rt_supply_flow(c, plant.ps, edge, counter, plant.pa, plant.pb)
