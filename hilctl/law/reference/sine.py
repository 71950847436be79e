"""A sine about a centre, with its displacement faded in and out:

    x = centre + e(t) A sin(2π f t),   e the envelope of smooth.py

It starts and ends at rest at the centre, at whatever phase the end falls.
"""

import math
from typing import Any

import numpy as np

from hilctl.law.reference.point import rt_product, rt_put
from hilctl.law.reference.smooth import rt_envelope
from hilctl.params import record_of
from hilctl.rt import jit

SINE: "np.dtype[Any]" = record_of(
    [
        ("center_m", np.float64),
        ("amplitude_m", np.float64),
        ("frequency_hz", np.float64),
        ("rise_s", np.float64),
        ("fall_s", np.float64),
    ]
)


@jit()
def rt_sine(sine: Any, duration_s: float, t_s: float, out: Any) -> None:
    """At `t_s` of a sine that lasts `duration_s` with both ramps."""
    cycles = sine.frequency_hz * t_s
    phase = 2.0 * math.pi * (cycles - math.floor(cycles))
    w = 2.0 * math.pi * sine.frequency_hz
    across = sine.amplitude_m * math.sin(phase)
    along = sine.amplitude_m * math.cos(phase)
    carrier = (across, w * along, -w * w * across, -w * w * w * along)
    if sine.rise_s <= t_s <= duration_s - sine.fall_s:
        rt_put(out, carrier)
    else:
        rt_put(out, rt_product(rt_envelope(t_s, duration_s, sine.rise_s, sine.fall_s), carrier))
    out.x_m += sine.center_m
