"""What can be wrong with a rig while its reversals are measured, said so that somebody can mend it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError
from hilctl.identify.presliding.cycles import Cycles
from hilctl.identify.presliding.facts import Facts
from hilctl.identify.presliding.loop import FINE, Loop

LEAST_CYCLES = 8  # of each swing: four blocks of two
STUCK_SHARE = 0.2  # of the reference's travel: a table that moves less does not follow
DEAD_SHARE = 0.2  # of the declared noise: a transducer that is more silent is not connected
LOUD = 0.1  # of friction: the noise of a point of the mean cycle above it hides the turn


class ReversalFault(HilctlError):
    """The experiment cannot go on, or its data mean nothing. The message says what is wrong and what to check."""


def check_samples(samples: Mapping[str, npt.NDArray[Any]], facts: Facts) -> None:
    """Raises when a transducer is silent."""
    for name, channel, noise in (
        ("displacement", "displacement_m", facts.noise_x_m), ("acceleration", "acceleration_m_s2", facts.noise_a_m_s2),
        ("pressure_a", "pressure_a_pa", facts.noise_p_pa), ("pressure_b", "pressure_b_pa", facts.noise_p_pa),
    ):  # fmt: skip
        values = samples[channel]
        spread = float(np.std(values))
        if spread == 0.0 or spread < DEAD_SHARE * noise:
            raise ReversalFault(
                f"the sensor {name} is dead: it shows {float(np.mean(values)):.6g} and hardly changes while the table "
                f"is driven; check its supply, cable and channel (sensors.{name})"
            )
    bad = int(np.count_nonzero(samples["rejected"]))
    if bad > len(samples["tick"]) // 100:
        raise ReversalFault(
            f"{bad} of {len(samples['tick'])} samples have rejected readings; look at `rejected` in a recording, and "
            "mend the sensor that it names"
        )


def check_cycles(swings: Sequence[Cycles]) -> None:
    """Raises when there are too few to average, or when the table did not follow the largest."""
    for cycles in swings:
        if cycles.rows < LEAST_CYCLES:
            raise ReversalFault(
                f"{cycles.rows} cycles of ±{1e3 * cycles.amplitude_m:.3g} mm are too few: below the displacement "
                f"sensor's noise only the mean of at least {LEAST_CYCLES} shows anything; plan more cycles"
            )
    largest = max(swings, key=lambda c: c.amplitude_m)
    went, wanted = float(np.ptp(largest.x_m.mean(0))), 2 * largest.amplitude_m
    if went < STUCK_SHARE * wanted:
        raise ReversalFault(
            f"the table is stuck, or its transducer is: it moved {1e3 * went:.3g} mm while the reference went "
            f"{1e3 * wanted:.3g} mm; check that nothing locks the table, that the supply valve is open, and the "
            "displacement sensor's rod and cable (sensors.displacement)"
        )


def check_force(loops: Sequence[Loop]) -> None:
    """Raises when friction drives the table, or cannot be seen."""
    loop = max(loops, key=lambda one: one.amplitude_m)
    x = loop.x_m[::FINE]
    v = np.roll(x, -1) - np.roll(x, 1)
    force = loop.force_n - loop.force_n.mean()
    resisting = float(force @ v) / float(np.abs(v).sum())
    if resisting < 0.0 and -resisting > 5 * loop.noise_n:
        raise ReversalFault(
            f"friction comes out negative, {resisting:.0f} N: it would drive the table. The pressure pair is swapped, "
            "or one of the two is not where it should be; check that sensors.pressure_a sits in the chamber that a "
            "positive command fills, and sensors.pressure_b in the other"
        )
    if loop.noise_n > LOUD * max(resisting, 1e-9):
        raise ReversalFault(
            f"friction of {max(resisting, 0.0):.0f} N is hidden in noise: {loop.noise_n:.0f} N are left after "
            f"{loop.cycles} cycles; drive more cycles, or mend the pressure sensors"
        )
