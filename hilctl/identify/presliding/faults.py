"""Faults of a rig while its reversals are measured, each with what to check."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError
from hilctl.experiment.sensors import dead, stuck
from hilctl.identify.presliding.estimate_cycles import LEAST_CYCLES, Cycles
from hilctl.identify.presliding.estimate_loop import FINE, Loop
from hilctl.identify.presliding.facts import Facts

LOUD = 0.1  # of friction: more noise in a point of the mean cycle hides the turn


class ReversalFault(HilctlError):
    """The experiment cannot continue, or its data are useless. The message says what is wrong and what to check."""


def check_samples(samples: Mapping[str, npt.NDArray[Any]], facts: Facts) -> None:
    """ReversalFault where a sensor has no signal."""
    noise = {"displacement": facts.noise_x_m, "acceleration": facts.noise_a_m_s2}
    problem = dead(samples, {**noise, "pressure_a": facts.noise_p_pa, "pressure_b": facts.noise_p_pa})
    if problem:
        raise ReversalFault(problem)


def check_cycles(swings: Sequence[Cycles]) -> None:
    """ReversalFault where there are too few to average, or the table did not follow the largest."""
    for cycles in swings:
        if cycles.rows < LEAST_CYCLES:
            raise ReversalFault(
                f"{cycles.rows} cycles of ±{1e3 * cycles.amplitude_m:.3g} mm are too few: below the displacement "
                f"sensor's noise only the mean of at least {LEAST_CYCLES} shows anything; plan more cycles"
            )
    largest = max(swings, key=lambda c: c.amplitude_m)
    problem = stuck(float(np.ptp(largest.x_m.mean(0))), 2 * largest.amplitude_m)
    if problem:
        raise ReversalFault(problem)


def check_force(loops: Sequence[Loop]) -> None:
    """ReversalFault where friction drives the table, or is hidden in noise."""
    loop = max(loops, key=lambda one: one.amplitude_m)
    x = loop.x_m[::FINE]
    v = np.roll(x, -1) - np.roll(x, 1)
    force = loop.force_n - loop.force_n.mean()
    resisting = float(force @ v) / float(np.abs(v).sum())
    if resisting < 0.0 and -resisting > 5 * loop.noise_n:
        raise ReversalFault(
            f"friction is negative, {resisting:.0f} N: it would drive the table. The pressure pair is swapped, or "
            "one of the two is in the wrong chamber; check that sensors.pressure_a sits in the chamber that a "
            "positive command fills, and sensors.pressure_b in the other"
        )
    if loop.noise_n > LOUD * max(resisting, 1e-9):
        raise ReversalFault(
            f"friction of {max(resisting, 0.0):.0f} N is hidden in noise: {loop.noise_n:.0f} N are left after "
            f"{loop.cycles} cycles; drive more cycles, or check the pressure sensors"
        )
