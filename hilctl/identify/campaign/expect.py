"""What the sensors' noise alone does to a window: the yardstick of the gates.

Displacement and accelerometer have white noise of sx and sa. The controller turns it into motion of the table, through
the closed loop of the law in force on the nominal plant; friction's slope is not known yet, so the worst of a few is
taken. Speed is estimated afterwards, without delay, from both sensors, each where it is the better one:

    V = W jw X + (1 - W) A / jw      W = 1 / (1 + (w/w0)^4),    w0^2 = sa / sx

whose own noise is the integral of W^2 w^2 sx^2 + (1 - W)^2 sa^2 / w^2 over its density dt/pi.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.identify.campaign.facts import SENSED, SENSORS, Facts
from hilctl.law import design

Reals = npt.NDArray[np.float64]

BAND = (0.6, 1.5)  # of the hydraulic mode: declared mass and bulk modulus may both be off by half


class Expected(NamedTuple):
    """From noise alone, rms."""

    table_m_s: float  # of the table's own speed
    seen_m_s: float  # of the estimated speed, besides
    band_m_s2: float  # of the measured acceleration, near the hydraulic mode
    crossover_rad_s: float  # where the estimate of speed goes over from displacement to acceleration

    @property
    def speed_m_s(self) -> float:
        """Of what is seen as speed."""
        return math.hypot(self.table_m_s, self.seen_m_s)


def expect(facts: Facts) -> Expected:
    """The yardstick of a rig."""
    sx, sa, dt = facts["sensors.displacement.noise"], facts["sensors.acceleration.noise"], facts.dt_s
    crossover = math.sqrt(sa / sx)
    w = np.geomspace(1e-2, math.pi / dt, 2000)
    share = 1 / (1 + (w / crossover) ** 4)
    seen = np.trapezoid((share * w * sx) ** 2 + ((1 - share) * sa / w) ** 2, w) * dt / math.pi
    low, high = (edge * facts.mode_rad_s for edge in BAND)
    table, band = 0.0, 0.0
    for slope in _slopes(facts):
        made = _density(facts, slope)
        if made is None:
            continue
        at, speed = made
        table = max(table, _integral(at, speed))
        near = (at >= low) & (at <= high)
        band = max(band, _integral(at[near], speed[near] * at[near] ** 2))
    own = sa * math.sqrt((high - low) * dt / math.pi)
    return Expected(math.sqrt(table), math.sqrt(float(seen)), math.hypot(math.sqrt(band), own), crossover)


def _slopes(facts: Facts) -> tuple[float, ...]:
    return (0.0, float(facts.friction.params.viscous))


def _density(facts: Facts, slope: float) -> tuple[Reals, Reals] | None:
    """Frequencies, and the density of the table's speed there; None where the loop does not hold this plant."""
    controller = facts.controller
    law = controller.law.feedback
    loop = design.open_loop(design.Plant(controller.machine, slope, 0.0), controller, facts.dt_s, law)
    gains = design.gains_of(controller, law)
    if not design.is_stable(loop, gains):
        return None
    back = (1 - loop.features @ gains)[:, None]
    moved = loop.moved + loop.moved[:, design.COMMAND, None] * (gains @ loop.seen) / back
    noise = loop.noise.copy()
    noise[1:] = (
        facts["sensors.displacement.noise"], facts["sensors.acceleration.noise"],
        math.hypot(facts["sensors.pressure_a.noise"], facts["sensors.pressure_b.noise"]),
    )  # fmt: skip
    density = (np.abs(loop.w[:, None] * moved * noise) ** 2).sum(axis=1) * facts.dt_s / math.pi
    return loop.w, density


def _integral(w: Reals, density: Reals) -> float:
    return float(np.trapezoid(density, w)) if len(w) > 1 else 0.0


def with_noise(facts: Facts, still: dict[str, npt.NDArray[Any]]) -> tuple[Facts, list[str]]:
    """Sensors whose noise is not declared get what they show at rest; and a remark where the declared one is wrong."""
    values, remarks = dict(facts.values), []
    for name, channel in zip(SENSORS, SENSED, strict=True):
        key = f"sensors.{name}.noise"
        shown, declared = float(np.std(np.diff(still[channel]))) / math.sqrt(2), float(values[key])
        floor = _FLOORS[name]
        if declared <= 0.0:
            values[key] = max(shown, floor)
        elif shown > _NOISY * declared:
            values[key] = shown
            remarks.append(
                f"{name} is noisier at rest than {key} says: {shown:.3g} against {declared:.3g}; "
                "check its cable and shield, or declare it"
            )
    return Facts(facts.rig, facts.rate_hz, facts.epoch, values), remarks


_NOISY = 3.0
# Below what any transducer on a rig resolves; keeps ratios finite where a simulated one has no noise.
_FLOORS = {"displacement": 1e-8, "acceleration": 1e-4, "pressure_a": 10.0, "pressure_b": 10.0}
