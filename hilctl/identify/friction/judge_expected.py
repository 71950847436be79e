"""The effect of the sensors' noise alone on a window: the yardstick of the gates.

Displacement and accelerometer have white noise of sx and sa. The controller turns it into motion of the table, through
the closed loop of the active controller on the nominal plant; friction's slope is not known yet, so the worst of a
few is taken. Speed is estimated afterwards from both sensors (hilctl.experiment.crossover); with the error e of the
position, its own noise is the integral of w² e² dt/pi.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.design import loop as design
from hilctl.experiment.crossover import crossover_rad_s, error
from hilctl.experiment.facts import Facts

Reals = npt.NDArray[np.float64]

BAND = (0.6, 1.5)  # of the hydraulic mode: declared mass and bulk modulus may both be off by half


class Expected(NamedTuple):
    """From noise alone, rms."""

    table_m_s: float  # of the table's own speed
    seen_m_s: float  # of the estimate of speed alone
    band_m_s2: float  # of the measured acceleration, near the hydraulic mode
    crossover_rad_s: float  # where the estimate of speed goes over from displacement to acceleration

    @property
    def speed_m_s(self) -> float:
        """Of what is seen as speed."""
        return math.hypot(self.table_m_s, self.seen_m_s)


def expect(facts: Facts) -> Expected:
    """The yardstick of a rig."""
    sx, sa, dt = facts["sensors.displacement.noise"], facts["sensors.acceleration.noise"], facts.dt_s
    w = np.geomspace(1e-2, math.pi / dt, 2000)
    seen = np.trapezoid((w * error(w, sx, sa)) ** 2, w) * dt / math.pi
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
    return Expected(math.sqrt(table), math.sqrt(float(seen)), math.hypot(math.sqrt(band), own), crossover_rad_s(sx, sa))


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
