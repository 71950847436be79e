"""Each result of the note beside ours."""

from collections.abc import Iterator

import numpy as np

from hilctl.friction import check_friction, step_of
from hilctl.friction.registry import MODELS
from hilctl.identify.friction.result import FrictionFit
from hilctl.papers.declaration import Row
from hilctl.papers.phenomena.stand import stand_for
from hilctl.papers.phenomena.table import PHENOMENA
from hilctl.papers.shapes.example import EXAMPLE, JOINT, SHAPED, SPEEDS, Fits, curve, printed
from sim.specimens import Bearing, Chain, Hinge, Link, swing

_MINUS = "the note's exponent lacks its minus: as printed, friction would grow without a bound"
_CODE = (
    "the code divides by the root of two where its formula multiplies: its peak then lies at half the breakaway speed, "
    "and is not the breakaway torque there"
)
_FINE = np.linspace(1e-3, 1.0, 20_000)


def rows_of(found: Fits) -> tuple[Row, ...]:
    """All of them."""
    return (*_shape(found), *_classical(), *_not_shown(), *_gms(), *_breakaway(), *_example(found))


def _shape(found: Fits) -> Iterator[Row]:
    v = SHAPED["vs"]
    level = SHAPED["fc"] + (SHAPED["fs"] - SHAPED["fc"]) / np.e + SHAPED["sigma"] * v
    yield Row.near("eq. 1", "friction at the Stribeck speed, delta 1.4", float(level),
                   float(curve("stribeck", SHAPED, np.array([v]))[0]), "N", share=1e-12, why=_MINUS)  # fmt: skip
    for name, unit in (("delta", ""), ("vs", "m/s"), ("fs", "N")):
        yield Row.near("eq. 1", f"{name} fitted with the rest, 80 points", SHAPED[name],
                       _value(found.shape, name), unit, share=0.01)  # fmt: skip


def _classical() -> Iterator[Row]:
    table = {"model": "static", "fc": 287.0, "fs": 3118.0, "fv": 3251.0, "dv": 1.0}
    friction = check_friction(table)
    yield Row.near("Fig. 3", "(a) friction at 0.1 m/s", 287.0 + 325.1, friction.steady(0.1), "N", share=1e-12)
    tiny = curve("stribeck", SHAPED, np.array([1e-9, -1e-9]))
    yield Row.near("Fig. 3", "(b) jump at rest, 2 Fs", 2 * SHAPED["fs"], float(tiny[0] - tiny[1]), "N", share=1e-6)
    fast = curve("stribeck", SHAPED, np.array([2.0, 3.0]))
    yield Row.near("Fig. 3", "(b) slope at high speed", SHAPED["sigma"], float(fast[1] - fast[0]), "N·s/m", share=1e-9)


def _not_shown() -> Iterator[Row]:
    keys = {
        "lag": "friction lag", "rate": "breakaway force that depends on the rate",
        "memory": "hysteresis with non-local memory",
    }  # fmt: skip
    for one in PHENOMENA:
        if one.key in keys:
            for law, claim in (("stribeck", "no"), ("gms", "yes")):
                cell = one.test(stand_for(law))
                ours = "no" if cell.shows is None else cell.word
                of = "§ static" if law == "stribeck" else "eq. 2"
                why = "" if ours == claim else f"the note says so without a proof; ours is computed: {cell.why}"
                yield Row(of=of, what=f"{law}: {keys[one.key]}", paper=claim, ours=ours, why=why)


def _gms() -> Iterator[Row]:
    friction = check_friction({"model": "gms", **SHAPED, "s0": 1e8})
    rt_law, p, z = step_of(MODELS["gms"]), friction.packed(), np.zeros(64)
    first = rt_law(p, z, 1e-6, 1e-3) - SHAPED["sigma"] * 1e-6
    yield Row.near("eq. 2", "stiffness before any element slips", 1e8, float(first / 1e-9), "N/m", share=1e-6)
    for _ in range(2000):
        force = rt_law(p, z, 0.1, 1e-4)
    slides = float(curve("stribeck", SHAPED, np.array([0.1]))[0])
    yield Row.near("eq. 2", "steady sliding at 0.1 m/s, of the curve", slides, float(force), "N", share=1e-6,
                   why="the note leaves out when an element slips, and that the shares add up to one")  # fmt: skip


def _breakaway() -> Iterator[Row]:
    ours, theirs = curve(JOINT, EXAMPLE, _FINE), printed(_FINE, np.sqrt(2))
    off = float(np.abs(ours - theirs).max())
    yield Row(of="eq. 3", what="greatest difference from the formula, 0 to 1 rad/s", paper=0.0, ours=off, unit="N·m",
              low=0.0, high=1e-9, steady=None)  # fmt: skip
    yield Row.near("eq. 3", "torque at the breakaway speed", EXAMPLE["tbrk"] + EXAMPLE["sigma"] * EXAMPLE["wbrk"],
                   float(curve(JOINT, EXAMPLE, np.array([EXAMPLE["wbrk"]]))[0]), "N·m", share=1e-6)  # fmt: skip
    bearing = Bearing(check_friction({"model": JOINT, **EXAMPLE}, joint=True), 0.05)
    own = Chain(links=1, link1=Link(m=20.0), joint1=Hinge(law="none"))
    motion = swing(own, 2.0, bearings=[bearing])
    off = float(np.abs(motion.friction_n_m[:, 0] + curve(JOINT, EXAMPLE, motion.speeds_rad_s[:, 0].copy())).max())
    yield Row(of="eq. 3", what="in the joint of a pendulum: greatest difference from the law, 2 s", paper=0.0, ours=off,
              unit="N·m", low=0.0, high=1e-9, steady=None)  # fmt: skip
    free = {**EXAMPLE, "sigma": 0.0}
    peak = float(_FINE[curve(JOINT, free, _FINE).argmax()])
    yield Row.near("marks", "speed of the peak, without the viscous part", EXAMPLE["wbrk"], peak, "rad/s", share=0.01)
    share = float(curve(JOINT, {**free, "tbrk": 20.0}, np.array([EXAMPLE["wbrk"] / 10]))[0] / EXAMPLE["tc"])
    tanh = float(np.tanh(1.0))
    yield Row.near("marks", "Coulomb part at its own speed, of its level: tanh 1", tanh, share, share=1e-9)


def _value(fit: FrictionFit, name: str) -> float:
    value = fit.parameters[name].value
    return np.nan if value is None else value


def _example(found: Fits) -> Iterator[Row]:
    code = printed(_FINE, 1 / np.sqrt(2))
    peak = float(_FINE[code.argmax()])
    yield Row.near("code", "speed of the peak by the note's code", EXAMPLE["wbrk"], peak, "rad/s",
                   share=0.01, why=_CODE)  # fmt: skip
    yield Row.near("code", "torque at 20 rad/s", float(printed(np.array([20.0]), np.sqrt(2))[0]),
                   float(curve(JOINT, EXAMPLE, np.array([20.0]))[0]), "N·m", share=1e-9)  # fmt: skip
    units = {"tbrk": "N·m", "tc": "N·m", "wbrk": "rad/s", "sigma": "N·m·s/rad"}
    for name, unit in units.items():
        yield Row.near("fit", f"{name} from {2 * len(SPEEDS)} points without noise", EXAMPLE[name],
                       _value(found.clean, name), unit, share=0.01)  # fmt: skip
    for name, unit in units.items():
        one = found.noisy.parameters[name]
        low, high = one.low, one.high
        held = low is not None and high is not None and low <= EXAMPLE[name] <= high
        yield Row(of="fit", what=f"{name} with 2 % of noise lies in its interval", paper="yes",
                  ours="yes" if held else "no", unit=unit,
                  why="" if held else "an interval of 95 % misses one truth in twenty")  # fmt: skip
    for what, fit in (("without noise", found.clean), ("with 2 % of noise", found.noisy)):
        by = 0.0 if fit is found.clean else 1.0
        yield Row.near("fit", f"points set aside, {what}", 0.0, float(len(fit.rejected)), by=by)
