"""A chain's record from its declaration, and what it asks of the step."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from hilctl.friction import MODELS, Kind
from hilctl.machine import GRAVITY
from sim.specimens.chain.geometry import constants
from sim.specimens.chain.laws import Bearing, bearing_of, stiffness
from sim.specimens.chain.record import NO_LAW, SPEED, TURN
from sim.specimens.chain.settings import Chain


def fill_chain(spec: Any, own: Chain, bearings: Sequence[Bearing] | None = None) -> None:
    """At its start, hanging on a table that stands still; with laws of their own in the joints where they are given."""
    c, n, links = spec.chain, own.links, own.bodies
    c.links = n
    c.mass[:n], c.load[:n, :n], c.inertia[:n, :n] = constants(links)
    turn = speed = 0.0
    for k, link in enumerate(links):
        c.couple[k], c.drive[k] = link.couple_n_m, link.drive_rad_s
        spec.y[TURN + k], spec.y[SPEED + k] = link.angle_rad - turn, link.speed_rad_s - speed
        turn, speed = link.angle_rad, link.speed_rad_s
    for k, bearing in enumerate(bearings or [bearing_of(hinge) for hinge in own.hinges]):
        _fill_hinge(c.hinge[k], bearing, spec.y[SPEED + k])
    c.jumps = sum(h.law != NO_LAW and h.kind == Kind.JUMPS for h in c.hinge[:n])
    c.held = 1


def _fill_hinge(out: Any, bearing: Bearing, speed: float) -> None:
    out.law, out.radius = NO_LAW, bearing.radius_m
    if bearing.friction is None:
        return
    model = MODELS[bearing.friction.model]
    out.law, out.kind = model.code, int(model.kind)
    out.lever = 1.0 if model.rotary else bearing.radius_m
    out.per_load = 1 / bearing.load_n if bearing.load_n else 0.0
    out.mode = math.copysign(1.0, speed) if speed else 0.0
    out.p[:] = bearing.friction.packed()


def rates(own: Chain) -> Iterator[tuple[str, float, float]]:
    """For each joint its key, and the rates of its spring and its damper under five times the weight that hangs."""
    links = own.bodies
    for k, hinge in enumerate(own.hinges):
        weight = 5 * GRAVITY * math.fsum(link.m for link in links[k:])
        spring, damper = stiffness(bearing_of(hinge), weight)
        per_inertia = math.fsum(1 / link.inertia for link in links[max(k - 1, 0) : k + 1])
        yield f"joint{k + 1}", math.sqrt(spring * per_inertia), damper * per_inertia
