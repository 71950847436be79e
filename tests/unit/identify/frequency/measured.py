"""The paper's servo, measured: each excitation's record, with noise, and how its response is estimated."""

import os
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hilctl.identify.frequency.excite_multisine import Multisine, multisine
from hilctl.identify.frequency.excite_shape import Room, Shape
from hilctl.identify.frequency.excite_stepped import SteppedSine, stepped_sine
from hilctl.identify.frequency.excite_sweep import Sweep, sweep
from hilctl.identify.frequency.response import without_hold
from hilctl.identify.frequency.response_lines import multisine_response
from hilctl.identify.frequency.response_swept import stepped_response, sweep_response
from hilctl.params import check
from hilctl.servo import Hold, frequency_response, paper_servo, simulate

UNIT = Shape(1.0, Room(position_m=5.0))  # as large at every frequency
HZ = np.arange(1.0, 101.0)
TRUTH = frequency_response(paper_servo(), HZ)[:, 0]
KINDS = ("stepped", "multisine", "sweep")


class Measured(NamedTuple):
    u: Any
    y: Any
    rate: float
    estimate: Callable[[Any, Any], Any]

    def response(self, noise: float = 0.0, seed: int = 0) -> Any:
        """With noise of that share of the output; the simulator's input is joined by lines, which is taken out."""
        error = noise * self.y.std() * np.random.default_rng(seed).standard_normal(len(self.y))
        return without_hold(self.estimate(self.u, self.y + error), self.rate, Hold.first)


@cache
def measured(kind: str, rate: float = 1000.0) -> Measured:
    """About 15 to 20 s of it."""
    if kind == "stepped":
        steps = stepped_sine(check(SteppedSine, {"periods": 2, "settle_periods": 2, "rate_hz": rate}), UNIT)
        u, estimate = steps.values, lambda u, y: stepped_response(u, y, rate, steps.steps)
    elif kind == "multisine":
        tones = multisine(check(Multisine, {"rate_hz": rate}), UNIT)
        u, estimate = tones.values, lambda u, y: multisine_response(u, y, rate, tones)
    else:
        swept = sweep(check(Sweep, {"start_hz": 0.8, "end_hz": 110, "rate_hz": rate}), UNIT)
        u, estimate = swept.values, lambda u, y: sweep_response(u, y, rate, HZ)
    return Measured(u, simulate(paper_servo(), u, 1 / rate)[:, 0], rate, estimate)


def share(count: int) -> int:
    """So many of a slow test's runs as were asked for, five at least."""
    return max(5, round(count * float(os.environ.get("HILCTL_SLOW_SHARE", "1"))))
