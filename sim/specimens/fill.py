"""A specimen's record from its declaration, and what the declaration asks of the table and of the step."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from hilctl.machine import GRAVITY
from hilctl.params import Problem
from sim.specimens.chain.fill import fill_chain, rates
from sim.specimens.chain.record import CHAIN_WORDS
from sim.specimens.inertia import fill_inertia
from sim.specimens.links import Joint, Link
from sim.specimens.record import (
    DEFLECTION,
    PENDULUM_WORDS,
    SPECIMEN,
    STRUCTURE_WORDS,
    TURN1,
    TURN2,
    VX1,
    VX2,
    VY1,
    VY2,
    W1,
    W2,
    X1,
    X2,
    Y1,
    Y2,
    Kind,
)
from sim.specimens.settings import Pendulum, SpecimenConfig, Structure

_STEP_RAD = 0.5  # of the fastest oscillation or decay in one step: fourth order, error 3e-4 of it a step


def specimen_record(config: SpecimenConfig, table_kg: float, vertical: bool = False, out: Any = None) -> Any:
    """The specimen at its start, on a table of this bare mass that stands still; in `out` where that is given."""
    spec = np.zeros(1, SPECIMEN)[0] if out is None else out
    spec.kind = Kind[config.kind.upper()]
    spec.per_table, spec.gravity = 1 / table_kg, GRAVITY
    if config.kind == "rigid":
        spec.mass, spec.per_total = config.rigid.m, 1 / (table_kg + config.rigid.m)
        spec.weight = config.rigid.m * GRAVITY if vertical else 0.0
    elif config.kind == "structure":
        _fill_structure(spec, config.structure, vertical)
    elif config.kind == "pendulum":
        _fill_pendulum(spec, config.pendulum)
    elif config.kind == "chain":
        spec.words, spec.pivot = CHAIN_WORDS, config.chain.pivot_m
        fill_chain(spec, config.chain)
    return spec


def demands(
    config: SpecimenConfig, table_kg: float, substep_s: float, vertical: bool, at: str = "twin.specimen"
) -> Iterator[Problem]:
    """Requirements of the specimen: a horizontal axis for a pendulum, and a substep that is short enough."""
    if config.kind == "structure":
        own = config.structure
        yield from _in_time(f"{at}.structure.k", own.k, substep_s, math.sqrt(own.k * (1 / own.m + 1 / table_kg)))
        yield from _in_time(f"{at}.structure.c", own.c, substep_s, own.c * (1 / own.m + 1 / table_kg))
    if vertical and config.kind in ("pendulum", "chain"):
        limit, remedy = "needs a table that moves horizontally", "machine.vertical = false, or another kind"
        yield Problem(f"{at}.kind", config.kind, limit, remedy)
    if config.kind == "chain":
        for name, spring, damper in rates(config.chain):
            hinge = getattr(config.chain, name)
            yield from _in_time(f"{at}.chain.{name}.s0", hinge.s0, substep_s, spring)
            yield from _in_time(f"{at}.chain.{name}.vs", hinge.vs, substep_s, damper)
    if config.kind == "pendulum":
        for name, spring, damper in _stiffness_of_joints(config.pendulum):
            joint = getattr(config.pendulum, name)
            yield from _in_time(f"{at}.pendulum.{name}.s0", joint.s0, substep_s, math.sqrt(spring))
            yield from _in_time(f"{at}.pendulum.{name}.s1", joint.s1, substep_s, damper)


def _in_time(key: str, value: float, substep_s: float, rate: float) -> Iterator[Problem]:
    if rate * substep_s > _STEP_RAD:
        limit = f"is too fast for a step of {substep_s:g} s: {rate:.3g} 1/s, at most {_STEP_RAD / substep_s:.3g} 1/s"
        yield Problem(key, value, limit, "lower twin.substep_s, or make the specimen softer")


def _stiffness_of_joints(pendulum: Pendulum) -> Iterator[tuple[str, float, float]]:
    """A sticking joint's spring and damper over the inertia that it moves, under five times the weight that hangs."""
    first, second = pendulum.link1, pendulum.link2
    inner, outer = 1 / first.inertia, 1 / second.inertia
    for name, joint, weight, per_inertia in (
        ("joint1", pendulum.joint1, first.m + second.m, inner),
        ("joint2", pendulum.joint2, second.m, inner + outer),
    ):
        pressed = 5 * weight * GRAVITY * joint.radius_m**2 * per_inertia
        yield name, pressed * joint.s0 * joint.rough, pressed * (joint.s1 * joint.rough + joint.sigma)


def _fill_structure(spec: Any, own: Structure, vertical: bool) -> None:
    spec.words = STRUCTURE_WORDS
    spec.mass, spec.per_mass, spec.stiffness, spec.damping = own.m, 1 / own.m, own.k, own.c
    spec.weight = own.m * GRAVITY if vertical else 0.0
    spec.y[DEFLECTION] = own.deflection_m - spec.weight / own.k


def _fill_pendulum(spec: Any, own: Pendulum) -> None:
    spec.words, spec.pivot = PENDULUM_WORDS, own.pivot_m
    _fill_link(spec.link1, own.link1)
    _fill_link(spec.link2, own.link2)
    fill_inertia(spec.firm, spec.link1, spec.link2, 0.0)
    fill_inertia(spec.free, spec.link1, spec.link2, spec.per_table)
    _fill_joint(spec.joint1, own.joint1)
    _fill_joint(spec.joint2, own.joint2)
    spec.force[:] = 0.0, (own.link1.m + own.link2.m) * GRAVITY, 0.0, own.link2.m * GRAVITY
    y, a1, b1, a2 = spec.y, spec.link1.a, spec.link1.b, spec.link2.a
    turn1, turn2, w1, w2 = own.link1.angle_rad, own.link2.angle_rad, own.link1.speed_rad_s, own.link2.speed_rad_s
    s1, c1, s2, c2 = math.sin(turn1), math.cos(turn1), math.sin(turn2), math.cos(turn2)
    y[TURN1], y[TURN2], y[W1], y[W2] = turn1, turn2, w1, w2
    y[X1], y[Y1] = a1 * s1, own.pivot_m - a1 * c1
    y[X2], y[Y2] = y[X1] + b1 * s1 + a2 * s2, y[Y1] - b1 * c1 - a2 * c2
    y[VX1], y[VY1] = a1 * c1 * w1, a1 * s1 * w1
    y[VX2], y[VY2] = y[VX1] + b1 * c1 * w1 + a2 * c2 * w2, y[VY1] + b1 * s1 * w1 + a2 * s2 * w2


def _fill_link(out: Any, own: Link) -> None:
    out.m, out.J, out.per_m, out.per_J = own.m, own.inertia, 1 / own.m, 1 / own.inertia
    out.a, out.b = own.centre, own.length_m - own.centre
    out.couple, out.w = own.couple_n_m, own.drive_rad_s
    out.turn.cos = out.drive.cos = 1.0


def _fill_joint(out: Any, own: Joint) -> None:
    out.r, out.rough, out.mu_c, out.rise = own.radius_m, own.rough, own.mu_c, own.mu_s - own.mu_c
    out.per_vs, out.delta, out.sigma = 1 / own.vs, own.delta, own.sigma
    out.s0, out.s1, out.per_vd = own.s0, own.s1, 1 / own.vd
    out.turning, out.dt = math.nan, math.nan  # none yet
