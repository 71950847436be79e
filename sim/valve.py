"""The servo valve: second order, with the limits and imperfections of a real one.

    xv'' + 2 zv wv xv' + wv^2 xv = wv^2 w        w: the command after bias, hysteresis and threshold

The command stands still during a period, so the linear part is stepped exactly: e = (xv - w, xv') becomes M(tau) e
with M = expm([[0, 1], [-wv^2, -2 zv wv]] tau). Spool speed and travel are limited after each step. In closed form, with
r = wv sqrt(zv^2 - 1), real or imaginary, C = cosh(r tau) and S = sinh(r tau) / r:

    M = exp(-zv wv tau) [[C + zv wv S, S], [-wv^2 S, C - zv wv S]]

Hysteresis is a play of that width between command and spool (the magnetic circuit's); threshold holds the spool until
the command has changed by more (its stiction). Both act once a period.
"""

import cmath
import math
from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit

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
        ("dead_band", np.float64),
        ("open_share", np.float64),  # 1 / (1 - overlap)
    ]
)


def valve_record(wv: float, zv: float, dead_band: float, settings: Any, reversed_: bool, substep_s: float) -> Any:
    """The valve's constants for a substep."""
    tau = substep_s / 2
    r = wv * cmath.sqrt(zv * zv - 1)
    decay, c = math.exp(-zv * wv * tau), cmath.cosh(r * tau).real
    s = (cmath.sinh(r * tau) / r).real if r else tau
    out = np.zeros(1, VALVE)[0]
    out.m11, out.m12 = decay * (c + zv * wv * s), decay * s
    out.m21, out.m22 = -wv * wv * decay * s, decay * (c - zv * wv * s)
    out.travel, out.slew_per_s = settings.slew_per_s * tau, settings.slew_per_s
    out.play, out.threshold, out.null_bias = settings.hysteresis / 2, settings.threshold, settings.null_bias
    out.polarity = -1.0 if reversed_ else 1.0
    out.dead_band, out.open_share = dead_band, 1 / (1 - dead_band)
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
    if c.dead_band == 0.0:
        return spool
    return math.copysign(max(abs(spool) - c.dead_band, 0.0) * c.open_share, spool)
