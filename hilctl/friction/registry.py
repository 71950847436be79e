"""Every friction model by name and by code, and the rig file's [friction] table.

A model is a declaration of its parameters and a pure law `(p: float64[::1], z: float64[::1], v, dt) -> float64`: p
are the packed parameters, z the state, which belongs to the caller and starts at zero. One file a model; a new one is
entered here in MODELS and in `rt_friction`.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import UNSET

from hilctl.friction.karnopp import Karnopp, rt_karnopp
from hilctl.friction.lugre import LuGre, rt_lugre
from hilctl.friction.stribeck import Curve, Stribeck, rt_slip, rt_stribeck
from hilctl.params import BadValues, Params, Problem, check, leaves, nearest, plain
from hilctl.rt.jit import jit

PARAMETERS = 32  # words of packed parameters: room for ten elements with two numbers each, and the curve
STATES = 16  # words of state

STRIBECK, KARNOPP, LUGRE = range(3)  # codes, as they stand in settings and recordings; never renumbered


class Model(NamedTuple):
    """One law of friction."""

    name: str
    code: int
    Params: type[Curve]
    law: Callable[[Any, Any, float, float], float]
    states: int  # words of z that the law uses
    sticks: bool  # jumps at v = 0: who simulates it must hold the mass there by himself


MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model("stribeck", STRIBECK, Stribeck, rt_stribeck, states=0, sticks=True),
        Model("karnopp", KARNOPP, Karnopp, rt_karnopp, states=1, sticks=True),
        Model("lugre", LUGRE, LuGre, rt_lugre, states=1, sticks=False),
    )
}


class Friction(NamedTuple):
    """A model with its parameters, checked."""

    model: str
    code: int
    params: Curve  # of the model's own class

    def packed(self) -> npt.NDArray[np.float64]:
        """The parameters as the laws read them, in the order of their declaration."""
        values = [getattr(self.params, leaf.path) for leaf in leaves(type(self.params)) if leaf.kind == "float"]
        out = np.zeros(PARAMETERS)
        out[: len(values)] = values
        return out

    def table(self) -> dict[str, Any]:
        """As it would stand in a rig file."""
        return plain(self.params)

    def steady(self, v: float) -> float:
        """Friction at a constant speed: Stribeck's curve."""
        return float(self.curve(np.array([v]))[0])

    def curve(self, speeds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Friction at each of these constant speeds."""
        out = np.zeros(len(speeds))
        rt_curve(self.code, self.packed(), np.ascontiguousarray(speeds, np.float64), out)
        return out


def friction_of(params: Params) -> Friction:
    """The friction whose parameters these are; the class tells the model."""
    for model in MODELS.values():
        if type(params) is model.Params:
            return Friction(model.name, model.code, params)
    raise TypeError(f"{type(params).__name__} belongs to no friction model")


def model_of(table: object, at: str) -> Model:
    """The model that a table names; BadValues when it names none."""
    if not isinstance(table, Mapping):
        raise BadValues([Problem(at, table, "must be a table")])
    known = tuple(MODELS)
    name = table.get("model")
    if name is None:
        raise BadValues([Problem(f"{at}.model", UNSET, "is required", f"one of {', '.join(known)}")])
    if not isinstance(name, str) or name not in known:
        raise BadValues([Problem(f"{at}.model", name, "must be one of " + ", ".join(known), nearest(str(name), known))])
    return MODELS[name]


def check_friction(table: object, at: str = "friction") -> Friction:
    """The friction that a table `model = "…"` with that model's parameters declares; BadValues with every problem."""
    model = model_of(table, at)
    return Friction(model.name, model.code, check(model.Params, table, at))


@jit()
def rt_friction(code: int, p: Any, z: Any, v: float, dt: float) -> float:
    """The law with this code; nan for a code that does not exist."""
    if code == STRIBECK:
        return rt_stribeck(p, z, v, dt)
    if code == KARNOPP:
        return rt_karnopp(p, z, v, dt)
    if code == LUGRE:
        return rt_lugre(p, z, v, dt)
    return np.nan


@jit()
def rt_steady(code: int, p: Any, direction: float, v: float) -> float:
    """Friction at a constant speed; `direction` is the sign of v, or between the signs to cross zero smoothly."""
    if code in (STRIBECK, KARNOPP, LUGRE):
        return rt_slip(p, direction, v)
    return np.nan


@jit(lambda: "void(int64, float64[::1], float64[::1], float64[::1])", cached=True)
def rt_curve(code: int, p: Any, speeds: Any, out: Any) -> None:
    """Friction at constant speeds, nothing at rest."""
    for i in range(speeds.size):
        out[i] = rt_steady(code, p, np.sign(speeds[i]), speeds[i])
