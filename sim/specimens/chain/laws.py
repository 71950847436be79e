"""A joint's friction law from its coefficients (`settings.Hinge`); and any law with parameters of its own."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hilctl.friction import MODELS, Friction, check_friction
from hilctl.params import BadValues, Problem, leaves

REFERENCE_N = 1000.0  # the normal force that a law's parameters are made for, where it is the joint's own
_SMOOTHED = 100.0  # tanh(a v / 2) is 1 at a fiftieth of the Stribeck speed
# Of the reference rig's second-order Bliman-Sorine law: what the excess over Coulomb's level needs of its second
# spring, and the path of break-away in units of mu_s/s0.
_SECOND_SPRING, _PATH = 3513.0 / 2831.0, 1.28


class Bearing(NamedTuple):
    """A law in a joint: a force at the pin's surface, or the torque of a rotary law."""

    friction: Friction | None  # None: smooth
    radius_m: float
    load_n: float = 0.0  # the normal force under which the law holds, and to which it is proportional; 0: under any


def bearing_of(hinge: Any) -> Bearing:
    """The law that a joint's declaration asks for."""
    if hinge.law == "none":
        return Bearing(None, hinge.radius_m)
    return Bearing(check_friction(_table(hinge), joint=True), hinge.radius_m, 0.0 if hinge.load_n else REFERENCE_N)


def own_bearing(table: Mapping[str, Any], hinge: Any, at: str) -> Bearing:
    """A law with parameters of its own, under any load; BadValues with every problem."""
    return Bearing(check_friction(table, at, joint=True), hinge.radius_m)


def refused(hinge: Any, at: str) -> Iterator[Problem]:
    """What the law refuses of the coefficients, by their own keys."""
    if hinge.law == "none":
        return
    try:
        check_friction(_table(hinge), at, joint=True)
    except BadValues as bad:
        load = hinge.load_n or REFERENCE_N
        for problem in bad.problems:
            key = _KEYS.get(problem.key.rpartition(".")[2], "law")
            limit = f"makes a {hinge.law} law under {load:g} N that is refused: {problem}"
            yield Problem(f"{at}.{key}", getattr(hinge, key), limit, problem.remedy)


_KEYS = {
    "fc": "mu_c", "tc": "mu_c", "fs": "mu_s", "fbrk": "mu_s", "tbrk": "mu_s", "dfsa": "mu_s", "dfsinf": "mu_s",
    "vs": "vs", "vbrk": "vs", "wbrk": "vs", "sigma": "sigma", "fv": "sigma", "delta": "delta", "s0": "s0", "kt": "s0",
    "s1": "s1", "vd": "vd",
}  # fmt: skip


def _table(hinge: Any) -> dict[str, Any]:
    """The law's own parameters; what the coefficients say nothing of is as on the reference rig."""
    load, r = hinge.load_n or REFERENCE_N, hinge.radius_m
    slides, breaks, viscous = hinge.mu_c * load, hinge.mu_s * load, hinge.sigma * load
    rotary = MODELS[hinge.law].rotary
    made = {
        "fc": slides, "fs": breaks, "fbrk": breaks, "tc": slides * r, "tbrk": breaks * r,
        "vs": hinge.vs, "vbrk": hinge.vs, "wbrk": hinge.vs / r, "delta": hinge.delta,
        "sigma": viscous * r * r if rotary else viscous, "fv": viscous,
        "dfsa": breaks - slides, "dfsinf": breaks - slides, "kt": hinge.s0 * load, "tauL": 0.0,
        "s0": hinge.s0 * load, "s1": hinge.s1 * load, "vd": hinge.vd, "a": _SMOOTHED / hinge.vs,
        "f1": slides + _SECOND_SPRING * (breaks - slides), "f2": _SECOND_SPRING * (breaks - slides),
        "eps": _PATH * hinge.mu_s / hinge.s0,
    }  # fmt: skip
    model = MODELS[hinge.law]
    known = {leaf.path for leaf in leaves(model.Params)}
    return {"model": hinge.law, **model.typical, **{name: value for name, value in made.items() if name in known}}


def stiffness(bearing: Bearing, weight_n: float) -> tuple[float, float]:
    """Spring and damper of the joint at rest, as torques: what limits the step."""
    if bearing.friction is None:
        return 0.0, 0.0
    law, rotary = bearing.friction.params, MODELS[bearing.friction.model].rotary
    share = weight_n / bearing.load_n if bearing.load_n else 1.0
    lever = 1.0 if rotary else bearing.radius_m**2
    # a law that jumps has no slope at rest: it is held there
    slope = max(law.damping, law.steepest)
    return share * lever * law.spring, share * lever * (slope if math.isfinite(slope) else 0.0)
