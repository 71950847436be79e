"""Friction models along a measured cycle, with their own exact advance: a speed held over each fine step.

The cycle is run through several times, until the model's initial state is forgotten; the last time counts. In a cycle
that is too small for that, the rest is a constant force, which the fits leave free for each cycle.
"""

from typing import Any

import numpy as np

from hilctl.friction import MODELS, PARAMETERS, STATES, dahl, gms, lugre
from hilctl.identify.presliding.estimate_cycles import Reals
from hilctl.identify.presliding.estimate_loop import FINE, Loop, band_limited
from hilctl.rt.jit import jit

LUGRE = MODELS["lugre"].code
GMS = MODELS["gms"].code
DAHL = MODELS["dahl"].code
TIMES = 5  # that a cycle is run through; GMS forgets in one what it ever forgets
TIMES_GMS = 2
_PROBE_M_S, _PROBE_S = 1e-3, 2e-5  # how the stiffness is felt: 20 nm on


@jit()
def advance(code: int, p: Any, z: Any, v: float, dt: float) -> None:
    """The state after dt."""
    if code == LUGRE:
        lugre.rt_advance(p, z, v, dt)
    elif code == DAHL:
        dahl.rt_advance(p, z, v, dt)
    else:
        gms.rt_advance(p, z, v, dt)


@jit()
def force_of(code: int, p: Any, z: Any, v: float) -> float:
    """The force of a state."""
    if code == LUGRE:
        return float(lugre.rt_force(p, z, v))
    if code == DAHL:
        return float(dahl.rt_force(p, z, v))
    return float(gms.rt_force(p, z, v))


@jit(inline=True)
def onward(x: Any, k: int, step_s: float) -> float:
    """The speed that is held from one x of a period to the next."""
    ahead = x[k + 1] if k + 1 < x.size else x[0]
    return float((ahead - x[k]) / step_s)


@jit()
def forget(code: int, p: Any, x: Any, step_s: float, times: int, z: Any) -> None:
    """All turns but the last; none of those after one that leaves the state as it was, to the bit."""
    begun = np.zeros(z.size)
    for _ in range(times - 1):
        begun[:] = z
        for k in range(x.size):
            advance(code, p, z, onward(x, k, step_s), step_s)
        if (begun == z).all():
            break


@jit(lambda: "void(int64, float64[::1], float64[::1], float64, int64, float64[::1])", cached=True)
def run_force(code: int, p: Any, x: Any, step_s: float, times: int, out: Any) -> None:
    """Fills `out` with the force at each x of a period."""
    z = np.zeros(STATES)
    forget(code, p, x, step_s, times, z)
    for k in range(x.size):
        v = onward(x, k, step_s)
        out[k] = force_of(code, p, z, 0.5 * (onward(x, k - 1 if k > 0 else x.size - 1, step_s) + v))
        advance(code, p, z, v, step_s)


@jit(lambda: "void(int64, float64[::1], float64[::1], float64, int64, float64[::1])", cached=True)
def run_stiffness(code: int, p: Any, x: Any, step_s: float, times: int, out: Any) -> None:
    """Fills `out` with what a little further travel adds to the force, at each x of a period."""
    z, probe = np.zeros(STATES), np.zeros(STATES)
    forget(code, p, x, step_s, times, z)
    for k in range(x.size):
        v = onward(x, k, step_s)
        probe[:] = z
        way = np.copysign(_PROBE_M_S, v)
        before = force_of(code, p, probe, way)
        advance(code, p, probe, way, _PROBE_S)
        out[k] = (force_of(code, p, probe, way) - before) / (way * _PROBE_S)
        advance(code, p, z, v, step_s)


@jit(lambda: "void(float64[::1], float64[::1], float64, int64, float64[:,::1])", cached=True)
def run_elements(p: Any, x: Any, step_s: float, times: int, out: Any) -> None:
    """Fills a row of `out` with the force of each element of GMS."""
    z = np.zeros(STATES)
    forget(GMS, p, x, step_s, times, z)
    for k in range(x.size):
        for j in range(out.shape[0]):
            out[j, k] = z[gms.F + j]
        advance(GMS, p, z, onward(x, k, step_s), step_s)


def packed(words: list[float]) -> Reals:
    """Words of a law, which need not be one that a rig file may hold."""
    out = np.zeros(PARAMETERS)
    out[: len(words)] = words
    return out


def force_along(code: int, words: list[float], loop: Loop) -> Reals:
    """The law's force at the loop's points."""
    out = np.zeros(len(loop.x_m))
    times = TIMES_GMS if code == GMS else TIMES
    run_force(code, packed(words), loop.x_m, loop.step_s, times, out)
    return band_limited(out, len(loop.force_n))


def stiffness_along(code: int, words: list[float], loop: Loop) -> Reals:
    """The law's stiffness at the loop's points."""
    out = np.zeros(len(loop.x_m))
    run_stiffness(code, packed(words), loop.x_m, loop.step_s, TIMES, out)
    return np.asarray(out[::FINE])


def elements_along(words: list[float], count: int, loop: Loop) -> Reals:
    """The force of each element of GMS at the loop's points: one row an element."""
    out = np.zeros((count, len(loop.x_m)))
    run_elements(packed(words), loop.x_m, loop.step_s, TIMES_GMS, out)
    return np.asarray([band_limited(row, len(loop.force_n)) for row in out])
