"""Random rigs of every kind of friction, and their reversals on the twin in virtual time.

Sensors are biased, of other gains and later than the rig file says, noise is up to 20 times that of the reference rig,
mass and oil are off, and the sliding curve is known as well as a campaign may know it, or worse.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from hilctl.experiment.drive import taken
from hilctl.experiment.facts import Facts
from hilctl.friction.gms import FIRST, LAST
from hilctl.identify.presliding.estimate_bristles import passive_vd
from hilctl.identify.presliding.estimate_cycles import Cycles, cut
from hilctl.identify.presliding.model_curve import Curve, curve_of
from hilctl.identify.presliding.plan import CHANNELS, PAUSE_S, plan
from tests.unit.law.conftest import Table

KINDS = ("static", "lugre", "gms", "dahl")
CURVE = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
KNOWN = {"fc": 0.03, "fs": 0.005, "vs": 0.005, "sigma": 0.01}  # of them, by a campaign: standard errors
NOISE = {"displacement": ("noise_m", 5e-6), "acceleration": ("noise_m_s2", 0.02), "pressure_a": ("noise_pa", 25e3),
         "pressure_b": ("noise_pa", 25e3)}  # fmt: skip
GAINS = {"pressure_a": 0.002, "pressure_b": 0.002, "displacement": 0.001, "acceleration": 0.005}
LATE_S = 1e-4  # every sensor, so that one may be earlier than the rig file says
FLAT = 0.35  # of the rigs with bristles: no falling branch


class Rig(NamedTuple):
    """Its truth, and what its reversals show."""

    kind: str
    law: dict[str, Any]
    swings: list[Cycles]
    facts: Facts
    known: dict[str, float]


def a_rig(seed: int, kind: str, hard: float = 0.5, **sides: float) -> Rig:
    """`hard`: the share of rigs that are stiff, loud and badly known."""
    rng = np.random.default_rng(seed)
    worse = rng.random() < hard
    true = {key: value * rng.uniform(0.75, 1.3) for key, value in CURVE.items()}
    if kind == "dahl" or (kind != "static" and rng.random() < FLAT):
        true["fc"] = true["fs"]
    stiffness = 10 ** (rng.uniform(8.0, 9.7) if worse else rng.uniform(7.3, 8.9))
    law = {"static": _static, "lugre": _lugre, "gms": _gms, "dahl": _dahl}[kind](true, stiffness, rng)
    if sides:
        law["negative"] = {key: ratio * law.get(key, stiffness) for key, ratio in sides.items()}
    loud = 10 ** (rng.uniform(0.0, 1.3, 3) if worse else rng.uniform(-0.3, 0.5, 3))
    table = Table(**_below("twin.friction", law), **_sensors(rng, loud, 1e-4 if worse else 5e-5), **{
        "twin.machine.m": 500.0 * (1 + rng.normal(0, 0.005)), "twin.machine.beta": 9e8 * rng.uniform(0.93, 1.07),
        "twin.seed": seed,
    })  # fmt: skip
    known = {key: value * (1 + (3 if worse else 1) * KNOWN[key] * rng.normal()) for key, value in true.items()}
    known["fs"] = max(known["fs"], known["fc"])
    if true["fc"] == true["fs"]:
        known["fc"] = known["fs"]
    facts = _facts(table)
    return Rig(kind, law, _driven(table, facts, known, float(rng.choice([40.0, 60.0]))), facts, known)


def _static(true: dict[str, float], stiffness: float, rng: Any) -> dict[str, Any]:
    return {"model": "karnopp", **true}


def _lugre(true: dict[str, float], stiffness: float, rng: Any) -> dict[str, Any]:
    s1 = stiffness * 10 ** rng.uniform(-4, -2.7)
    return {"model": "lugre", **true, "s0": stiffness, "s1": s1, "vd": passive_vd(Curve(**true), s1, stiffness)}


def _gms(true: dict[str, float], stiffness: float, rng: Any) -> dict[str, Any]:
    count = int(rng.integers(2, 11))
    if rng.random() < 0.4:
        alpha, yields = np.full(count, 1 / count), np.geomspace(FIRST, LAST, count)
    else:
        alpha, yields = np.maximum(rng.dirichlet(np.full(count, 3.0)), 0.02), 10 ** rng.uniform(-0.7, 0.7, count)
        alpha = alpha / alpha.sum()
    k = alpha / yields
    k *= stiffness / k.sum()
    alpha[-1] = 1 - math.fsum(alpha[:-1])
    return {"model": "gms", **true, "alpha": alpha.tolist(), "k": k.tolist(), "C": float(10 ** rng.uniform(5.5, 6.5))}


def _dahl(true: dict[str, float], stiffness: float, rng: Any) -> dict[str, Any]:
    return {"model": "dahl", "fc": true["fs"], "sigma": true["sigma"], "s0": stiffness, "alpha": rng.uniform(0.3, 2.6)}


def _sensors(rng: Any, loud: Any, late_s: float) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for (name, (key, noise)), times in zip(NOISE.items(), (*loud, loud[-1]), strict=True):
        out |= {f"sensors.{name}.noise": noise * times, f"twin.sensors.{name}.{key}": noise * times,
                f"twin.sensors.{name}.gain_error": rng.uniform(-GAINS[name], GAINS[name])}  # fmt: skip
    for side in "ab":
        out |= {f"twin.sensors.pressure_{side}.bias_pa": rng.uniform(-25e3, 25e3),
                f"twin.sensors.pressure_{side}.delay_s": LATE_S,
                f"sensors.pressure_{side}.delay_s": LATE_S}  # fmt: skip
    return out | {
        "sensors.displacement.delay_s": 5e-4 + LATE_S,
        "twin.sensors.displacement.delay_s": 5e-4 + LATE_S + rng.normal(0, late_s),
        "twin.sensors.acceleration.bandwidth_hz": rng.uniform(300, 800),
        "twin.sensors.acceleration.delay_s": LATE_S,
    }  # fmt: skip


def _below(at: str, law: dict[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in law.items() if key != "negative"}
    return {f"{at}.{key}": value for key, value in own.items()} | {
        f"{at}.negative.{key}": value for key, value in law.get("negative", {}).items()
    }


def _facts(table: Table) -> Facts:
    controller = table.controller
    keys = ("m", "A", "B", "K", "vertical", "beta", "Vt", "stroke_m")
    values = {f"machine.{key}": getattr(controller.machine, key) for key in keys}
    for name in NOISE:
        sensor = getattr(controller.sensors, name)
        values |= {f"sensors.{name}.{key}": getattr(sensor, key) for key in ("delay_s", "noise", "accuracy")}
    return Facts("random", 1 / table.dt_s, 0, values)


def _driven(table: Table, facts: Facts, known: dict[str, float], budget_s: float) -> list[Cycles]:
    table.arm()
    out = []
    for swing in plan(curve_of(known), facts, budget_s):
        table.run(PAUSE_S)
        planned = table.track("sine", **swing.parameters(facts.rate_hz, 0.0))
        rows = table.run(planned.duration_s)
        samples = {name: np.array(rows[name]) for name in CHANNELS}
        about = {"amplitude_m": swing.amplitude_m, "period": swing.period}
        out.append(cut(taken(swing.name, samples, facts.rate_hz, about)._replace(facts=planned.facts), facts))
    return out
