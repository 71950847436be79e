"""The servo valve: second order, with the limits and imperfections of a real one.

    xv'' + 2 zv wv xv' + wv^2 xv = wv^2 w        w: the command after bias, hysteresis and threshold

The command stands still during a period, so the linear part is stepped exactly: e = (xv - w, xv') becomes M(tau) e
with M = expm([[0, 1], [-wv^2, -2 zv wv]] tau). Spool speed and travel are limited after each step. In closed form, with
r = wv sqrt(zv^2 - 1), real or imaginary, C = cosh(r tau) and S = sinh(r tau) / r:

    M = exp(-zv wv tau) [[C + zv wv S, S], [-wv^2 S, C - zv wv S]]

Hysteresis is a play of that width between command and spool (the magnetic circuit's); threshold holds the spool until
the command has changed by more (its stiction). Both act once a period.

Overlap differs from side to side. An edge opens by (s - d)/(1 - d) beyond its overlap d, or where it is rounded by
r, by (s - d + sqrt((s - d)² + r²))/2 in place of s - d: a little before it, by r/2 at it.
"""

import cmath
import math
from typing import Any

import numpy as np

from hilctl.machine import Machine
from hilctl.params import record_of
from hilctl.rt.jit import jit
from sim.settings import Valve

VALVE: "np.dtype[Any]" = record_of(
    [
        ("m11", np.float64),  # M over half a substep
        ("m12", np.float64),
        ("m21", np.float64),
        ("m22", np.float64),
        ("travel", np.float64),  # the slew limit times half a substep
        ("slew_per_s", np.float64),
        ("play", np.float64),  # half the hysteresis
        ("threshold", np.float64),
        ("null_bias", np.float64),
        ("polarity", np.float64),
        ("overlap_a", np.float64),
        ("overlap_b", np.float64),
        ("share_a", np.float64),  # 1 / (1 - overlap)
        ("share_b", np.float64),
        ("rounding", np.float64),  # of the edges
    ]
)


def valve_record(machine: Machine, settings: Valve, reversed_: bool, substep_s: float) -> Any:
    """The valve's constants for a substep."""
    tau, wv, zv = substep_s / 2, machine.wv, machine.zv
    r = wv * cmath.sqrt(zv * zv - 1)
    decay, c = math.exp(-zv * wv * tau), cmath.cosh(r * tau).real
    s = (cmath.sinh(r * tau) / r).real if r else tau
    out = np.zeros(1, VALVE)[0]
    out.m11, out.m12 = decay * (c + zv * wv * s), decay * s
    out.m21, out.m22 = -wv * wv * decay * s, decay * (c - zv * wv * s)
    out.travel, out.slew_per_s = settings.slew_per_s * tau, settings.slew_per_s
    out.play, out.threshold, out.null_bias = settings.hysteresis / 2, settings.threshold, settings.null_bias
    out.polarity = -1.0 if reversed_ else 1.0
    out.overlap_a, out.overlap_b = machine.overlaps
    out.share_a, out.share_b = 1 / (1 - out.overlap_a), 1 / (1 - out.overlap_b)
    out.rounding = settings.edge_rounding
    return out


@jit()
def rt_target(c: Any, u: float, played: float, held: float) -> tuple[float, float]:
    """Where the spool is sent: the command after the play, and after the threshold."""
    played = min(max(played, u - c.play), u + c.play)
    if abs(played - held) > c.threshold:
        held = played
    return played, held


@jit()
def rt_half_substep(c: Any, target: float, spool: float, rate: float) -> tuple[float, float]:
    """Spool and its speed half a substep later."""
    off = spool - target
    moved = target + c.m11 * off + c.m12 * rate
    rate = c.m21 * off + c.m22 * rate
    if abs(moved - spool) > c.travel:
        way = math.copysign(1.0, moved - spool)
        moved, rate = spool + way * c.travel, way * c.slew_per_s
    if moved > 1.0:
        moved, rate = 1.0, min(rate, 0.0)
    elif moved < -1.0:
        moved, rate = -1.0, max(rate, 0.0)
    return moved, rate


@jit()
def rt_opening(c: Any, spool: float) -> float:
    """Signed opening of the edges: nothing within the overlap, all of it at full travel."""
    over_a, over_b = spool - c.overlap_a, -spool - c.overlap_b
    if c.rounding == 0.0:
        return float(max(over_a, 0.0) * c.share_a - max(over_b, 0.0) * c.share_b)
    return float(_rt_round(over_a, c.rounding) * c.share_a - _rt_round(over_b, c.rounding) * c.share_b)


@jit()
def _rt_round(over: float, rounding: float) -> float:
    """Of an edge that is not sharp."""
    return 0.5 * (over + math.sqrt(over * over + rounding * rounding))
