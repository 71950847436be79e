"""The reversals to drive: four sines, from one that hardly bends the bristles to one that slides.

While friction turns, the oil takes up most of the stroke: fs over its stiffness 4 beta A²/Vt, 82 µm on the reference
rig. The swings are multiples of that. The smallest leaves friction inside its loop, where LuGre and GMS differ most: a
LuGre bristle is twice as stiff after a reversal at full friction as in the middle, an element of GMS is not. The
larger turn it whole, and the fastest, where damping counts, gives s1. None comes near the falling branch.
"""

import math
from typing import NamedTuple

from hilctl.identify.presliding.estimate_cycles import FORGETS, LEAST_CYCLES
from hilctl.identify.presliding.facts import Facts
from hilctl.identify.presliding.faults import ReversalFault
from hilctl.identify.presliding.model_curve import Curve

OIL = (0.25, 1.0, 4.0, 16.0)  # amplitudes in oil strokes
CYCLES = (10, 16, 20, 60)
FASTEST_HZ = (2.0, 2.0, 2.0, 5.0)
SLOW = 0.4  # of vs: peak speed, so that friction stays near fs
RISE_S, FALL_S = 1.0, 0.5
PAUSE_S = 0.2
_ROOM = 0.25  # of the stroke: largest amplitude
_LEAST_NOISE = 4.0  # times the displacement's noise: smallest amplitude


class Swing(NamedTuple):
    """A sine of whole samples a period."""

    amplitude_m: float
    period: int
    cycles: int  # that count

    def seconds(self, rate_hz: float) -> float:
        """How long it takes, ramps and a pause included."""
        return (FORGETS + self.cycles) * self.period / rate_hz + RISE_S + FALL_S + PAUSE_S

    def parameters(self, rate_hz: float, center_m: float) -> dict[str, float]:
        """As `track` takes them."""
        cycles = float(FORGETS + self.cycles)
        return {
            "amplitude_m": self.amplitude_m, "frequency_hz": rate_hz / self.period, "cycles": cycles,
            "center_m": center_m, "soft_start_s": RISE_S, "soft_stop_s": FALL_S,
        }  # fmt: skip


def plan(curve: Curve, facts: Facts, stroke_m: float, budget_s: float = 60.0) -> tuple[Swing, ...]:
    """Within so much rig time; ReversalFault where that is too short."""
    oil_m = curve.fs / facts.oil_n_m
    swings = []
    for times, cycles, fastest_hz in zip(OIL, CYCLES, FASTEST_HZ, strict=True):
        amplitude_m = min(max(times * oil_m, _LEAST_NOISE * facts.noise_x_m), _ROOM * stroke_m)
        hz = min(fastest_hz, SLOW * curve.vs / (2 * math.pi * amplitude_m), facts.rate_hz / 100)
        swings.append(Swing(amplitude_m, round(facts.rate_hz / hz), cycles))
    more_s = sum((s.cycles - LEAST_CYCLES) * s.period for s in swings) / facts.rate_hz
    left_s = budget_s - sum(s._replace(cycles=LEAST_CYCLES).seconds(facts.rate_hz) for s in swings)
    if left_s < more_s:
        share = left_s / more_s
        swings = [s._replace(cycles=LEAST_CYCLES + math.floor(share * (s.cycles - LEAST_CYCLES))) for s in swings]
    if left_s < 0:
        raise ReversalFault(
            f"a budget of {budget_s:g} s is too short: each of {len(swings)} swings needs {LEAST_CYCLES} cycles, the "
            f"slowest at {facts.rate_hz / max(s.period for s in swings):.2g} Hz; raise --budget"
        )
    return tuple(swings)
