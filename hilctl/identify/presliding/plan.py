"""The reversals to drive: four sines, from one that hardly bends the bristles to one that slides.

While friction turns, the oil takes up most of the stroke: fs over its stiffness 4 beta A²/Vt, 82 µm on the reference
rig. The swings are multiples of that. The smallest leaves friction inside its loop, where LuGre and GMS differ most: a
LuGre bristle is twice as stiff after a reversal at full friction as in the middle, an element of GMS is not. The
larger turn it whole, and the fastest, where damping counts, gives s1. None comes near the falling branch.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.experiment import drive as experiment
from hilctl.experiment.drive import Driven, LegFault
from hilctl.experiment.facts import Facts, read_facts
from hilctl.experiment.policy import MEANS
from hilctl.experiment.record import AGES
from hilctl.experiment.sensors import SENSED, SENSORS, silent
from hilctl.identify.presliding.estimate_cycles import FORGETS, LEAST_CYCLES
from hilctl.identify.presliding.model_curve import Curve, curve_of

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

ORIGIN = "hilctl identify: reversals"
CHANNELS = ("tick", *SENSED, "xr_m", "rejected", "saturated", *AGES)
_UNDER = {"law.feedback": "three_state", "law.feed.inverse": 0.0}  # what is looked for must not be compensated

BUDGET_S = 60.0  # of rig time
OIL = (0.25, 1.0, 4.0, 16.0)  # amplitudes in oil strokes
CYCLES = (10, 16, 20, 60)
FASTEST_HZ = (2.0, 2.0, 2.0, 5.0)
READINGS = 40  # of a pressure, in a cycle
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

    @property
    def name(self) -> str:
        """For a person."""
        return f"reversals of ±{1e3 * self.amplitude_m:.3g} mm"

    def parameters(self, rate_hz: float, center_m: float) -> dict[str, float]:
        """As `track` takes them."""
        cycles = float(FORGETS + self.cycles)
        return {
            "amplitude_m": self.amplitude_m, "frequency_hz": rate_hz / self.period, "cycles": cycles,
            "center_m": center_m, "soft_start_s": RISE_S, "soft_stop_s": FALL_S,
        }  # fmt: skip


def planned(rig: "Client", table: Mapping[str, Any], budget_s: float) -> tuple[Swing, ...]:
    """The reversals for this rig and sliding curve; nothing moves. LegFault where so much rig time is too short."""
    return plan(curve_of(table), read_facts(rig), budget_s)


def plan(curve: Curve, facts: Facts, budget_s: float = BUDGET_S, age_s: float = 0.0) -> tuple[Swing, ...]:
    """Within so much rig time, for pressures that are so old at most; LegFault where that is too short."""
    curve = curve.mean
    oil_m = curve.fs / facts.oil_n_m
    least_m, most_m = _LEAST_NOISE * facts["sensors.displacement.noise"], _ROOM * facts["machine.stroke_m"]
    swings = []
    for times, cycles, fastest_hz in zip(OIL, CYCLES, FASTEST_HZ, strict=True):
        amplitude_m = min(max(times * oil_m, least_m), most_m)
        hz = min(fastest_hz, SLOW * curve.vs / (2 * math.pi * amplitude_m), facts.rate_hz / 100)
        hz = min(hz, 1 / (READINGS * age_s)) if age_s > 0 else hz
        swings.append(Swing(amplitude_m, round(facts.rate_hz / hz), cycles))
    more_s = sum((s.cycles - LEAST_CYCLES) * s.period for s in swings) / facts.rate_hz
    left_s = budget_s - sum(s._replace(cycles=LEAST_CYCLES).seconds(facts.rate_hz) for s in swings)
    if left_s < more_s:
        share = left_s / more_s
        swings = [s._replace(cycles=LEAST_CYCLES + math.floor(share * (s.cycles - LEAST_CYCLES))) for s in swings]
    if left_s < 0:
        raise LegFault(
            f"a budget of {budget_s:g} s is too short: each of {len(swings)} swings needs {LEAST_CYCLES} cycles, the "
            f"slowest at {facts.rate_hz / max(s.period for s in swings):.2g} Hz; raise --budget"
        )
    return tuple(swings)


def measure(
    rig: "Client", table: Mapping[str, Any], facts: Facts, budget_s: float, center_m: float,
    tell: Callable[[str, float], None],
) -> list[Driven]:  # fmt: skip
    """Every swing, driven under three-variable control alone; armed before where the rig is off.

    `tell`: the next, and the share of the time that is over.
    """
    planned(rig, table, budget_s)  # whatever it refuses, it refuses before the rig is armed

    def as_leg(swing: Swing) -> experiment.Leg:
        def start() -> "Motion":
            rig.pass_time(PAUSE_S)
            return rig.track("sine", **swing.parameters(facts.rate_hz, center_m))

        about = {"amplitude_m": swing.amplitude_m, "period": swing.period}
        return experiment.Leg(swing.name, start, CHANNELS, MEANS, about=about,
                              wrong=partial(silent, values=facts, sensors=SENSORS))  # fmt: skip

    if rig.status()["mode"] == "off":
        rig.arm()
    experiment.ready(rig)
    age_s = experiment.pressures_age_s(experiment.lately(rig, experiment.LOOKED_S, AGES))
    swings = plan(curve_of(table), facts, budget_s, age_s)
    at = [f"{swing.name} at {facts.rate_hz / swing.period:.3g} Hz" for swing in swings]
    over_s = [sum(one.seconds(facts.rate_hz) for one in swings[:done]) for done in range(len(swings) + 1)]
    with experiment.under(rig, _UNDER, ORIGIN):
        return experiment.drive_all(rig, [as_leg(swing) for swing in swings],
                                    lambda name, done: tell(at[done], over_s[done] / over_s[-1]))  # fmt: skip
