"""The paper's equations, each evaluated by its law beside the equation itself (with its misprints corrected)."""

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from hilctl.friction import MODELS, Friction, check_friction
from hilctl.papers.declaration import Row
from hilctl.papers.phenomena import breaking, presliding
from hilctl.papers.phenomena.stand import TABLE, Block, Run, Stand, path, sine, stand_for

FC, FS, VS, FV = (MODELS["karnopp"].typical[name] for name in ("fc", "fs", "vs", "sigma"))
EXPONENTS = (0.0, 0.5, 1.0, 1.5, 2.0)  # of Dahl's law
REACHES = 5.0  # fc/s0: how far Dahl's loops go to either side
_EXACT = 1e-9
_PUSH = 0.9  # of the breakaway force
_SAMPLE_S = 1e-3


def law(model: str, **table: Any) -> Friction:
    """With its typical parameters, but for these."""
    return check_friction({"model": model, **MODELS[model].typical, **table}, joint=True)


def at(friction: Friction, *speeds: float) -> Any:
    """Its steady force at some speeds."""
    return friction.curve(np.array(speeds))


@cache
def five_parameters() -> Stand:
    """Armstrong's model without the memory of speed and of rest."""
    table = MODELS["armstrong"].typical
    friction = law("armstrong", tauL=0.0, dfsinf=table["dfsa"])
    return Stand(friction, TABLE, table["fc"] + table["dfsa"])


@cache
def dahl_loop(alpha: float) -> Run:
    """The second of two cycles of displacement, led slowly."""
    friction = law("dahl", alpha=alpha, sigma=0.0)
    reach = REACHES * friction.params.reach
    x = sine(0.0, reach, 1.0, 2, _SAMPLE_S)
    run = Block(friction, TABLE).lead(np.gradient(x, _SAMPLE_S), _SAMPLE_S)
    return Run(*(line[len(x) // 2 :] for line in run))


def rows_of() -> tuple[Row, ...]:
    """All of them."""
    return (*_classical(), *_stribeck(), *_karnopp(), *_armstrong(), *_dahl())


def _same(of: str, what: str, paper: float, ours: float, unit: str = "", why: str = "") -> Row:
    return Row.near(of, what, paper, ours, unit, share=_EXACT, why=why)


def _classical() -> Iterator[Row]:
    back, slow, fast = at(law("coulomb"), -0.3, 0.01, 0.3)
    yield _same("eq. 1", "force at 0.01 and at 0.3 m/s, ratio", 1.0, slow / fast)
    yield _same("eq. 1", "force in both directions, ratio", -1.0, back / fast)
    why = "misprint corrected: the power is that of |v|"
    for power in (1.0, 2.0):
        back, slow, fast = at(law("viscous", dv=power), -0.2, 0.1, 0.2)
        yield _same("eq. 2", f"force at twice the speed, ratio, exponent {power:g}", 2**power, fast / slow, why=why)
        yield _same("eq. 2", f"force in both directions, ratio, exponent {power:g}", -1.0, back / fast, why=why)
    held, still = _held("static")
    yield _same("eq. 3", f"friction under a push of {100 * _PUSH:g} % of Fs, over the push", 1.0, held)
    yield _same("eq. 3", "displacement under it", 0.0, still, "m")
    yield _same("eq. 3", "force that starts the motion", FS, stand_for("static").level, "N")
    slip = law("static")
    low, high = at(slip, 0.1, 0.2)
    yield _same("Fig. 1", "(b) slope of the force over the speed", FV, (high - low) / 0.1, "N·s/m")
    yield Row.near("Fig. 1", "(c) fall of the force at the first motion, Fs less Fc", FS - FC,
                   stand_for("static").level - float(at(slip, 1e-6)[0]), "N", share=1e-5)  # fmt: skip
    steps = np.abs(np.diff(law("stribeck").curve(np.geomspace(1e-6, 0.8, 4001))))
    yield Row(of="Fig. 1", what="(d) greatest step of the force between 4001 speeds from rest to 0.8 m/s, over Fs",
              paper="continuous", ours=float(steps.max()) / FS, high=0.01)  # fmt: skip


def _held(model: str) -> tuple[float, float]:
    """Friction over the push under a push that does not break it away; and the displacement."""
    stand = stand_for(model)
    push = _PUSH * stand.level
    run = stand.block().pull(path(0.0, push, push, seconds=0.5, sample_s=_SAMPLE_S), _SAMPLE_S)
    return float(run.friction[-1] / push), float(run.x[-1])


def _stribeck() -> Iterator[Row]:
    held, _ = _held("stribeck")
    yield _same("eq. 4", "at rest: friction over the push", 1.0, held)
    for delta in (1.0, 2.0):
        wanted = FC + (FS - FC) * math.exp(-((0.1 / VS) ** delta)) + FV * 0.1
        why = "misprints corrected: the exponent is −|v/vs|^delta, and the force has the sign of v"
        ours = float(at(law("stribeck", delta=delta), 0.1)[0])
        yield _same("eq. 5", f"force at 0.1 m/s, exponent {delta:g}", wanted, ours, "N", why)
    both = at(law("stribeck", negative={"fs": 2700.0}), -1e-6, 1e-6)
    yield Row.near("eq. 5", "static force backwards over forwards, with a curve for each direction", 2700.0 / FS,
                   -both[0] / both[1], share=1e-5)  # fmt: skip
    curve = law("stribeck", delta=1.0, sigma=0.0)
    first, second = at(curve, 1e-7, 2e-7)
    meets = float((FS - FC) / (first - second) * 1e-7)
    why = "for delta = 1 only: with delta = 2 the first tangent is level and meets it nowhere"
    yield Row.near("Fig. 2", "the first tangent meets Coulomb friction at", VS, meets, "m/s", share=1e-3, why=why)


def _karnopp() -> Iterator[Row]:
    held, still = _held("karnopp")
    yield _same("Fig. 3", f"friction under a push of {100 * _PUSH:g} % of Fs, over the push", 1.0, held)
    yield _same("Fig. 3", "displacement under it", 0.0, still, "m", "the block rests at v = 0 itself, found within "
                "the step; a zone |v| < Dv is only needed where the zero is not")  # fmt: skip
    yield _same("Fig. 3", "force that starts the motion", FS, stand_for("karnopp").level, "N")


def _armstrong() -> Iterator[Row]:
    table = MODELS["armstrong"].typical
    stand = stand_for("armstrong")
    run = presliding.pushed_and_let_go(stand)
    leg = (run.x.size - 1) // 4
    why = "the sign is that of friction as a resistance; the paper prints −kt x"
    stiffness = float(run.q[2 * leg] / run.x[2 * leg])
    yield Row.near("eq. 6", "stuck: force over displacement", table["kt"], stiffness, "N/m", share=1e-3, why=why)
    wanted = table["fc"] + table["fv"] * 0.1 + table["dfsa"] / (1 + (0.1 / table["vs"]) ** 2)
    yield _same("eq. 6", "sliding at 0.1 m/s, hardly paused before", wanted, stand.friction.steady(0.1), "N")
    rest_s = breaking.DWELLS_S[-1]
    rested = table["fc"] + table["dfsa"] + (table["dfsinf"] - table["dfsa"]) * rest_s / (rest_s + table["gamma"])
    broken = float(breaking.by_dwell(stand)[-1])
    yield Row.near("eq. 6", f"breakaway force after a rest of {rest_s:g} s", rested, broken, "N", share=2e-3,
                   why="it also rests while it is pulled, until it breaks away")  # fmt: skip


def _dahl() -> Iterator[Row]:
    friction = law("dahl", sigma=0.0)
    reach = friction.params.reach
    run = Block(friction, TABLE).lead(np.full(101, reach / 0.1), 1e-3)
    why = "misprints corrected: |1 − F/Fc sgn v|^alpha and its sign"
    yield Row.near("eq. 7", "force after a path of Fc/s0 from rest, over Fc, exponent 1", 1 - math.exp(-1.0),
                   float(run.friction[-1]) / FC, share=1e-9, why=why)  # fmt: skip
    for alpha in EXPONENTS:
        loop = dahl_loop(alpha)
        turn = int(np.argmax(loop.x))
        ours = float(loop.friction[turn]) / FC
        why = "" if alpha == 1 else "the paper shows exponent 1; the others by the closed form"
        what = f"force at the end of the stroke, over Fc, exponent {alpha:g}"
        yield Row.near("Fig. 4", what, _end(alpha), ours, share=1e-4, why=why)


def _end(alpha: float) -> float:
    """Of a loop that is closed, by the closed form: 1 - r at its ends, with r from 2 - r after the whole stroke."""
    stroke, r = 2 * REACHES, 0.0
    for _ in range(200):
        begin = 2.0 - r
        if alpha == 1.0:
            r = begin * math.exp(-stroke)
        else:
            r = max(begin ** (1 - alpha) - (1 - alpha) * stroke, 0.0) ** (1 / (1 - alpha))
    return 1.0 - r
