"""The true parameters of the demonstration's twin: machine and friction, each off its rig file by some percent."""

from typing import Any

import numpy as np

from hilctl.friction import MODELS
from hilctl.rig import Rig

# Of full opening: a real valve has them, and the controller knows of none of them.
NULL_BIAS, OVERLAP, HYSTERESIS = 0.01, 0.02, 0.003
MACHINE = ("m", "Qn", "beta", "wv", "zv", "Ctc")
LEAST_OFF, MOST_OFF = 0.05, 0.12


def hidden(rig: Rig, friction: str, seed: int) -> dict[str, Any]:
    """Keys of the twin's tables, for a seed. The rig file's check refuses an unknown friction model."""
    chance = np.random.default_rng(seed)

    def off(value: float) -> float:
        return value * (1 + float(chance.choice([-1.0, 1.0]) * chance.uniform(LEAST_OFF, MOST_OFF)))

    made: dict[str, Any] = {"twin.seed": seed, "twin.friction.model": friction}
    made |= {"twin.valve.null_bias": NULL_BIAS, "twin.valve.hysteresis": HYSTERESIS}
    made |= dict.fromkeys(("twin.machine.overlap_a", "twin.machine.overlap_b"), OVERLAP)
    made |= {f"twin.machine.{name}": off(float(getattr(rig.controller.machine, name))) for name in MACHINE}
    model = MODELS.get(friction)
    for name, value in (model.typical if model else {}).items():
        made[f"twin.friction.{name}"] = off(value) if name in _SCALED and isinstance(value, float) else value
    return made


_SCALED = ("fc", "fs", "vs", "sigma", "s0", "s1", "fv")
