"""Every friction model by name and by code, and the rig file's [friction] table.

A model is one file of this package that ends with `MODELS`; nothing else has to know of it. The functions that choose
among the models while running (`rt_friction`, `rt_steady`) are written from what was found.
"""

import importlib
import math
import pkgutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import UNSET

from hilctl.friction.model import PARAMETERS, Kind, Law, Model
from hilctl.params import BadValues, Params, Problem, check, nearest, plain
from hilctl.rt.jit import jit


def _found() -> dict[str, Model]:
    modules = sorted(found.name for found in pkgutil.iter_modules([str(Path(__file__).parent)]))
    others = [name for name in modules if name != "registry"]
    files = [importlib.import_module(f"{__package__}.{name}") for name in others]
    models: list[Model] = [model for file in files for model in getattr(file, "MODELS", ())]
    if len({m.code for m in models}) != len(models) or len({m.name for m in models}) != len(models):
        raise TypeError(f"two friction models share a name or a code: {[(m.name, m.code) for m in models]}")
    return {model.name: model for model in sorted(models, key=lambda m: m.code)}


MODELS: dict[str, Model] = _found()


class Friction(NamedTuple):
    """A model with its parameters, checked."""

    model: str
    code: int
    params: Law  # of the model's own class

    def packed(self) -> npt.NDArray[np.float64]:
        """The parameters as the laws read them."""
        words = self.params.words()
        out = np.zeros(PARAMETERS)
        out[: len(words)] = words
        return out

    def table(self) -> dict[str, Any]:
        """As it would stand in a rig file."""
        return plain(self.params)

    def steady(self, v: float) -> float:
        """Friction at a constant speed."""
        return float(self.curve(np.array([v]))[0])

    def curve(self, speeds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Friction at each of these constant speeds."""
        out = np.zeros(len(speeds))
        rt_curve(self.code, self.packed(), np.ascontiguousarray(speeds, np.float64), out)
        return out


def friction_of(params: Params) -> Friction:
    """The friction whose parameters these are; the class tells the model."""
    for model in MODELS.values():
        if isinstance(params, Law) and type(params) is model.Params:
            return Friction(model.name, model.code, params)
    raise TypeError(f"{type(params).__name__} belongs to no friction model")


def linear_models() -> tuple[str, ...]:
    """The models that a cylinder can have."""
    return tuple(name for name, model in MODELS.items() if not model.rotary)


def model_of(table: object, at: str, *, joint: bool = False) -> Model:
    """The model that a table names, of a cylinder or of a joint; BadValues when it names none."""
    if not isinstance(table, Mapping):
        raise BadValues([Problem(at, table, "must be a table")])
    known = tuple(MODELS) if joint else linear_models()
    name = table.get("model")
    if name is None:
        raise BadValues([Problem(f"{at}.model", UNSET, "is required", f"one of {', '.join(known)}")])
    if not isinstance(name, str) or name not in known:
        raise BadValues([Problem(f"{at}.model", name, "must be one of " + ", ".join(known), nearest(str(name), known))])
    return MODELS[name]


def check_friction(table: object, at: str = "friction", *, joint: bool = False) -> Friction:
    """The friction that a table `model = "…"` with that model's parameters declares; BadValues with every problem."""
    model = model_of(table, at, joint=joint)
    return Friction(model.name, model.code, check(model.Params, table, at))


def step_of(model: Model) -> Callable[[Any, Any, float, float], float]:
    """The model as one function `(p, z, v, dt) -> force`: its own, or what its kind makes of its parts."""
    if model.law is not None:
        return model.law
    slip, advance, force = model.slip, model.advance, model.force
    if advance is not None and force is not None:

        @jit()
        def rt_bristles(p: Any, z: Any, v: float, dt: float) -> float:
            advance(p, z, v, dt)
            return force(p, z, v)

        return rt_bristles
    if model.kind == Kind.SMOOTH:

        @jit()
        def rt_smooth(p: Any, z: Any, v: float, dt: float) -> float:
            return slip(p, 0.0, v)

        return rt_smooth

    @jit()
    def rt_jumps(p: Any, z: Any, v: float, dt: float) -> float:
        if v == 0.0:  # what holds then is for the caller to know
            return 0.0
        return slip(p, math.copysign(1.0, v), v)

    return rt_jumps


def _choosing(name: str, arguments: str, parts: dict[int, Any], says: str, otherwise: object = math.nan) -> Any:
    """A compiled function that calls the part with a code; nan, or what is said, for a code that has none.

    Its text is written here, one branch a model, because a compiled function can inline only what it names.
    """
    lines = [f"def {name}(code, {arguments}):"]
    lines += [f"    if code == {code}:\n        return part_{code}({arguments})" for code in parts]
    scope: dict[str, Any] = {"nan": math.nan, **{f"part_{code}": part for code, part in parts.items()}}
    made: dict[str, Any] = {}
    text = "\n".join([*lines, f"    return {otherwise}"])
    exec(text, scope, made)
    made[name].__doc__, made[name].__module__, made[name].source = says, __name__, text
    return jit()(made[name])


rt_friction = _choosing(
    "rt_friction", "p, z, v, dt", {m.code: step_of(m) for m in MODELS.values()},
    "The law with this code: advances z by dt at speed v, and returns the force then.",
)  # fmt: skip
rt_steady = _choosing(
    "rt_steady", "p, direction, v", {m.code: m.slip for m in MODELS.values()},
    "Friction at a constant speed; `direction` is the sign of v, or between the signs to cross zero smoothly.",
)  # fmt: skip
rt_holds = _choosing(
    "rt_holds", "p, direction", {m.code: m.hold for m in MODELS.values() if m.hold is not None},
    "Of a model that jumps: the greatest force held at rest against a push in this direction.",
)  # fmt: skip
rt_relaxed = _choosing(
    "rt_relaxed", "p, z, v, dt", {m.code: m.advance for m in MODELS.values() if m.advance is not None},
    "Of a model with bristles: its state after dt at a constant speed.", otherwise=None,
)  # fmt: skip
rt_bent = _choosing(
    "rt_bent", "p, z, v", {m.code: m.force for m in MODELS.values() if m.force is not None},
    "Of a model with bristles: the force of its state and a speed.",
)  # fmt: skip


@jit(lambda: "void(int64, float64[::1], float64[::1], float64[::1])", cached=True)
def rt_curve(code: int, p: Any, speeds: Any, out: Any) -> None:
    """Friction at constant speeds, nothing at rest."""
    for i in range(speeds.size):
        out[i] = rt_steady(code, p, np.sign(speeds[i]), speeds[i])
