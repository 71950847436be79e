"""A sine whose frequency sweeps:

    x = centre + e(t) g(f) A sin φ(t),      φ' = 2π f
    linear       f = f0 + k t               φ = 2π (f0 t + k t²/2)
    logarithmic  f = f0 exp(λ t)            φ = 2π f0 (exp(λ t) - 1) / λ
    knee         g = 1 / (1 + (f/fk)²)      far above fk the acceleration tends to A (2π fk)²; no knee: g = 1

The envelope e lies within the sweep. Derivatives by the product rule on jets.
"""

import math
from typing import Any

import numpy as np

from hilctl.law.reference.point import Jet, rt_product, rt_put, rt_reciprocal
from hilctl.law.reference.smooth import rt_envelope
from hilctl.params import record_of
from hilctl.rt import jit

CHIRP: "np.dtype[Any]" = record_of(
    [
        ("center_m", np.float64),
        ("amplitude_m", np.float64),
        ("start_hz", np.float64),
        ("rate_hz_s", np.float64),  # k of a linear sweep
        ("growth_per_s", np.float64),  # λ of a logarithmic one; 0 says linear
        ("knee_hz", np.float64),  # 0: none
        ("rise_s", np.float64),
        ("fall_s", np.float64),
    ]
)


@jit()
def rt_frequency(chirp: Any, t_s: float) -> Jet:
    """f in Hz, and its first three derivatives."""
    growth = chirp.growth_per_s
    if growth == 0.0:
        return chirp.start_hz + chirp.rate_hz_s * t_s, chirp.rate_hz_s, 0.0, 0.0
    f = chirp.start_hz * math.exp(growth * t_s)
    return f, growth * f, growth * growth * f, growth * growth * growth * f


@jit()
def rt_chirp(chirp: Any, duration_s: float, t_s: float, out: Any) -> None:
    """At `t_s` of a sweep that lasts `duration_s`."""
    growth = chirp.growth_per_s
    if growth == 0.0:
        cycles = t_s * (chirp.start_hz + 0.5 * chirp.rate_hz_s * t_s)
    else:
        cycles = chirp.start_hz * math.expm1(growth * t_s) / growth
    f = rt_frequency(chirp, t_s)
    phase = 2.0 * math.pi * (cycles - math.floor(cycles))
    w, w1, w2 = 2.0 * math.pi * f[0], 2.0 * math.pi * f[1], 2.0 * math.pi * f[2]
    across = chirp.amplitude_m * math.sin(phase)
    along = chirp.amplitude_m * math.cos(phase)
    jet = (
        across,
        w * along,
        w1 * along - w * w * across,
        (w2 - w * w * w) * along - 3.0 * w * w1 * across,
    )
    if chirp.knee_hz > 0.0:
        per = 1.0 / chirp.knee_hz
        r = (f[0] * per, f[1] * per, f[2] * per, f[3] * per)
        y = rt_product(r, r)
        jet = rt_product(rt_reciprocal((1.0 + y[0], y[1], y[2], y[3])), jet)
    if not chirp.rise_s <= t_s <= duration_s - chirp.fall_s:
        jet = rt_product(rt_envelope(t_s, duration_s, chirp.rise_s, chirp.fall_s), jet)
    rt_put(out, jet)
    out.x_m += chirp.center_m
