"""The example: its curve at 80 speeds, without noise and with it, fitted by the product's own command's function."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.friction import check_friction
from hilctl.identify.friction import check_points, fit_friction
from hilctl.identify.friction.fit_points import Points
from hilctl.identify.friction.from_file import fit_elsewhere
from hilctl.identify.friction.model_laws import ANY_SHAPE
from hilctl.identify.friction.result import FrictionFit

EXAMPLE = {"tbrk": 50.0, "tc": 20.0, "wbrk": 0.2, "sigma": 0.1}
SHAPED = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0, "delta": 1.4}
SPEEDS = np.geomspace(0.01, 20.0, 40)
NOISE = 0.02  # of each torque
JOINT, SHAPE = "breakaway-rotational", "stribeck"


class Fits(NamedTuple):
    """What came back."""

    clean: FrictionFit
    noisy: FrictionFit
    shape: FrictionFit  # eq. 1, its shape among the unknowns


def fits() -> Fits:
    """All three."""
    shaped = _points(SHAPE, SHAPED, np.geomspace(0.001, 0.8, 40), 0.0)
    return Fits(
        fit_elsewhere(_points(JOINT, EXAMPLE, SPEEDS, 0.0), joint=True),
        fit_elsewhere(_points(JOINT, EXAMPLE, SPEEDS, NOISE), joint=True),
        fit_friction(shaped, forms=(ANY_SHAPE,)),
    )


def curve(model: str, table: dict[str, float], speeds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Of a law."""
    return check_friction({"model": model, **table}, joint=model == JOINT).curve(speeds)


def printed(w: npt.NDArray[np.float64], share: float) -> npt.NDArray[np.float64]:
    """The note's formula as it stands, with its Stribeck speed being this share of the breakaway speed."""
    stribeck, coulomb = share * EXAMPLE["wbrk"], EXAMPLE["wbrk"] / 10
    peak = np.sqrt(2 * np.e) * (EXAMPLE["tbrk"] - EXAMPLE["tc"]) * np.exp(-((w / stribeck) ** 2)) * w / stribeck
    torque: npt.NDArray[np.float64] = peak + EXAMPLE["tc"] * np.tanh(w / coulomb) + EXAMPLE["sigma"] * w
    return torque


def _points(model: str, table: dict[str, float], speeds: npt.NDArray[np.float64], noise: float) -> Points:
    both = np.concatenate((-speeds[::-1], speeds))
    force = curve(model, table, both)
    scatter = noise * np.abs(force)
    spread = np.random.default_rng(0).normal(size=len(both)) * scatter
    return check_points(both, force + spread, scatter if noise else None)
