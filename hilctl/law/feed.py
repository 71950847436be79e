"""Feed-forward: the opening that the reference needs, from the linear model of the machine.

    u_lin = [vr (1 + Kce Bt/A² + Vt K/(4 beta A²)) + ar 2 zh/wh + jr/wh² + xr Kce K/A²] / Kq'        Kce = Kc + Ctc
    pLref = (m ar + B vr + K xr + f(vr) [+ m g]) / A                                                 Bt = B + sigma

f is the nominal friction at a constant speed, its sign smoothed over SMOOTH_M_S: without it the pressure feedback would
take the pressure that every reversal needs for an oscillation, and work against it.

It is taken ahead of now, at 1.5 Ts + 2 zv/wv: the command acts a tick late, is held for one, and the valve lags. The
inverse model (blend, lambda) replaces it in part or whole: u_ff = (1 - lambda) u_lin + lambda u_inv, and pLref
likewise.
"""

import math
from typing import Annotated, Any

import numpy as np

from hilctl.friction import rt_steady
from hilctl.machine import GRAVITY, Machine
from hilctl.params import Params, number, record_of
from hilctl.rt.jit import jit


class Feed(Params):
    """Feed-forward."""

    inverse: Annotated[float, number(0, 1, "", "share of the inverse model in the feed-forward (lambda)")] = 0.0
    smooth_s: Annotated[
        float, number(0, 6.5e-3, "s", "time over which friction turns at a reversal; 0: what valve and tick can follow")
    ] = 0.0
    cross_s: Annotated[
        float, number(0, 5e-3, "s", "time in which the spool crosses its overlap; 0: what valve and tick can follow")
    ] = 0.0
    extra_preview_s: Annotated[
        float, number(-0.01, 0.01, "s", "added to the computed preview of 1.5 ticks and the valve's lag")
    ] = 0.0
    repay: Annotated[
        float,
        number(0, 1, "", "share of what lost commands owe that the next ones repay, in motion, and less of it the more "
               "are lost; needs the spool's reading"),
    ] = 1.0  # fmt: skip
    inverse_from_m_s: Annotated[
        float, number(0, 20, "m/s", "slowest motion along which the inverse model acts, by its greatest speed")
    ] = 0.0
    inverse_to_m_s: Annotated[float, number(0, 20, "m/s", "fastest motion along which it acts")] = 20.0
    inverse_from_hz: Annotated[
        float, number(0, 500, "Hz", "lowest frequency of sines and chirps along which it acts, at whatever speed")
    ] = 0.0
    inverse_to_hz: Annotated[float, number(0, 500, "Hz", "highest frequency of sines and chirps")] = 500.0


GRID_S = 1e-4  # the inverse model is computed on a grid this fine or finer
SMOOTH_S = 6.5e-3  # the most that friction is smoothed over,
SMOOTH_TICKS = 3.5  # where so many ticks are not longer: a command that is held has no finer shape
CROSS_S = 5e-3  # the most that the spool takes to cross its overlap,
CROSS_EARLY = 0.2  # share of that by which it begins early, at the most
CROSS_TICKS = 3.0  # where so many ticks are not longer
WITHOUT_S = 0.05  # over which a motion's own share of the inverse model is blended in; it begins at rest
SMOOTH_M_S = 3e-3  # about what the reference passes in a few ticks of a corner at 1 kHz

LINEAR = record_of(
    [
        ("c_x", np.float64),
        ("c_v", np.float64),
        ("c_a", np.float64),
        ("c_j", np.float64),
        ("p_x", np.float64),
        ("p_v", np.float64),
        ("p_a", np.float64),
        ("p_f", np.float64),
        ("p_0", np.float64),
        ("preview_ticks", np.float64),
    ]
)


@jit()
def rt_feed_prepare(machine: Any, viscous: float, feed: Any, dt_s: float, c: Any) -> None:
    """The coefficients above; `viscous` is the friction's own slope sigma."""
    area = machine.A
    leak = machine.Kc + machine.Ctc
    oil = machine.Vt / (4.0 * machine.beta * area * area)
    damping = machine.B + viscous
    gain = area / machine.Qn
    c.c_x = gain * leak * machine.K / (area * area)
    c.c_v = gain * (1.0 + leak * damping / (area * area) + oil * machine.K)
    c.c_a = gain * (leak * machine.m / (area * area) + oil * damping)
    c.c_j = gain * oil * machine.m
    c.p_x = machine.K / area
    c.p_v = machine.B / area
    c.p_f = 1.0 / area
    c.p_a = machine.m / area
    c.p_0 = machine.m * GRAVITY / area if machine.vertical != 0 else 0.0
    c.preview_ticks = max(0.0, 1.5 + (2.0 * machine.zv / machine.wv + feed.extra_preview_s) / dt_s)


@jit()
def rt_lead_ticks(preview_ticks: float, extra_s: float, smooth_s: float, cross_s: float, dt_s: float) -> int:
    """How many ticks ahead of now the reference is evaluated: for the valve's lag, and for the inverse model.

    `cross_s`: of a valve with overlap, else 0.
    """
    most_s, grid_s = max(SMOOTH_S, SMOOTH_TICKS * dt_s), min(dt_s, GRID_S)
    ticks: int = math.ceil(max(preview_ticks, 2.0 + (0.5 * most_s + 4.0 * grid_s + extra_s) / dt_s)) + 1
    if cross_s > 0.0:
        crossing_s = 0.5 * smooth_s + (0.5 + CROSS_EARLY) * cross_s + 5.0 * grid_s
        ticks = max(ticks, math.ceil(2.0 + (crossing_s + extra_s) / dt_s))
    return ticks


def lead_ticks(machine: Machine, feed: Feed, dt_s: float) -> int:
    """At least as many, for planning a motion."""
    preview = max(0.0, 1.5 + (2.0 * machine.zv / machine.wv + feed.extra_preview_s) / dt_s)
    smooth_s = feed.smooth_s or max(SMOOTH_S, SMOOTH_TICKS * dt_s)
    cross_s = (feed.cross_s or max(CROSS_S, CROSS_TICKS * dt_s)) if any(machine.overlaps) else 0.0
    lead = getattr(rt_lead_ticks, "plain", rt_lead_ticks)
    return int(lead(preview, feed.extra_preview_s, smooth_s, cross_s, dt_s))


@jit()
def rt_inverse_share(feed: Any, without: float) -> float:
    """What acts of the inverse model, of a motion that does without a share of it."""
    return float(feed.inverse * (1.0 - without))


@jit()
def rt_feed_linear(c: Any, ahead: Any) -> float:
    """The opening for the reference ahead."""
    return float(c.c_x * ahead.x_m + c.c_v * ahead.v_m_s + c.c_a * ahead.a_m_s2 + c.c_j * ahead.j_m_s3)


@jit()
def rt_pressure_for(c: Any, friction: Any, point: Any) -> float:
    """The load pressure that a point of the reference needs."""
    v = point.v_m_s
    f = rt_steady(friction.code, friction.p, math.tanh(v / SMOOTH_M_S), v)
    return float(c.p_0 + c.p_x * point.x_m + c.p_v * v + c.p_a * point.a_m_s2 + c.p_f * f)
