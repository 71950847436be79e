"""The last word on the command: finite, within its limit and slew, and the mode's own override."""

import math
from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit

OUTPUT = record_of(
    [
        ("command", np.float64),  # what the next exchange sends
        ("refused", np.float64),  # asked for minus given: the integrators unwind by it
        ("saturated", np.int64),
        ("saturated_s", np.float64),
        ("not_finite", np.int64),
    ]
)


@jit()
def rt_limit(wanted: float, centre: float, reach: float, slew_per_s: float, dt_s: float, o: Any) -> None:
    """Clamps to `reach` about `centre` and to the slew. A command that is not finite keeps the last one."""
    if not math.isfinite(wanted):
        o.not_finite = 1
        wanted = o.command
    else:
        o.not_finite = 0
    given = min(max(wanted, max(centre - reach, -1.0)), min(centre + reach, 1.0))
    o.saturated = 1 if given != wanted else 0
    step = slew_per_s * dt_s
    given = min(max(given, o.command - step), o.command + step)
    o.refused = wanted - given
    o.saturated_s = o.saturated_s + dt_s if o.saturated != 0 else 0.0
    o.command = given


@jit()
def rt_ramp_to(target: float, rate_per_s: float, dt_s: float, o: Any) -> bool:
    """One step of the ramp to null. True when it has arrived."""
    step = rate_per_s * dt_s
    o.refused, o.saturated, o.saturated_s = 0.0, 0, 0.0
    if abs(target - o.command) <= step:
        o.command = target
        return True
    o.command += math.copysign(step, target - o.command)
    return False
