"""The law with a given code: its force, how its state advances, and what it holds, one function each for all laws.

A compiled function can call only what it names, so the choice is a chain: each link asks for one code, and passes what
it does not know on to the next.
"""

import math
from collections.abc import Callable
from typing import Any

from hilctl.friction import MODELS, Kind, Model
from hilctl.friction.model import Advance, Force, Hold
from hilctl.rt.jit import jit


def _force_of(model: Model) -> Force:
    """The force of a state and a speed; for laws without a state, of the speed."""
    if model.force is not None:
        return model.force
    slip = model.slip
    if model.kind == Kind.SMOOTH:

        @jit()
        def rt_smooth(p: Any, z: Any, v: float) -> float:
            return slip(p, 0.0, v)

        return rt_smooth

    @jit()
    def rt_jumps(p: Any, z: Any, v: float) -> float:
        return slip(p, 1.0 if v > 0.0 else (-1.0 if v < 0.0 else 0.0), v)

    return rt_jumps


@jit()
def _rt_no_force(law: int, p: Any, z: Any, v: float) -> float:
    return math.nan


@jit()
def _rt_no_state(law: int, p: Any, z: Any, v: float, dt: float) -> None:
    """Nothing advances."""


@jit()
def _rt_no_hold(law: int, p: Any, way: float) -> float:
    return 0.0


@jit()
def _rt_no_slip(law: int, p: Any, way: float, v: float) -> float:
    return math.nan


def _force_or(code: int, force: Force, others: Callable[..., float]) -> Callable[..., float]:
    @jit()
    def rt_force_or(law: int, p: Any, z: Any, v: float) -> float:
        if law == code:
            return force(p, z, v)
        return others(law, p, z, v)

    return rt_force_or


def _advance_or(code: int, advance: Advance, others: Callable[..., None]) -> Callable[..., None]:
    @jit()
    def rt_advance_or(law: int, p: Any, z: Any, v: float, dt: float) -> None:
        if law == code:
            advance(p, z, v, dt)
        else:
            others(law, p, z, v, dt)

    return rt_advance_or


def _hold_or(code: int, hold: Hold, others: Callable[..., float]) -> Callable[..., float]:
    @jit()
    def rt_hold_or(law: int, p: Any, way: float) -> float:
        if law == code:
            return hold(p, way)
        return others(law, p, way)

    return rt_hold_or


def _slip_or(code: int, slip: Any, others: Callable[..., float]) -> Callable[..., float]:
    @jit()
    def rt_slip_or(law: int, p: Any, way: float, v: float) -> float:
        if law == code:
            return slip(p, way, v)  # type: ignore[no-any-return]
        return others(law, p, way, v)

    return rt_slip_or


rt_force: Any = _rt_no_force
rt_advance: Any = _rt_no_state
rt_slip: Any = _rt_no_slip
rt_hold: Any = _rt_no_hold
for _model in MODELS.values():
    rt_force = _force_or(_model.code, _force_of(_model), rt_force)
    if _model.advance is not None:
        rt_advance = _advance_or(_model.code, _model.advance, rt_advance)
    if _model.kind == Kind.JUMPS and _model.hold is not None:
        rt_slip = _slip_or(_model.code, _model.slip, rt_slip)
        rt_hold = _hold_or(_model.code, _model.hold, rt_hold)
