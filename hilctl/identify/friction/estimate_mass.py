"""The moving mass, as the corners of the fast triangles show it.

Over a corner the table turns from v to -v, and friction, odd in v, pushes as long one way as the other. What is left of

    A pL = m a + f(v) + offset      is      A ∫pL dt = m ∫a dt + offset T

and the offset drops out between upper and lower corners. The mass so found goes with the accelerometer's own gain,
which is what taking off m a wants. The declared mass only matters where a window's mean acceleration is not zero: at
the fastest speeds, from which Coulomb's level is extrapolated. 30 % of mass are 3 % of it on the reference rig.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hilctl.experiment.facts import Facts
from hilctl.experiment.policy import SPECTRUM
from hilctl.experiment.record import Record, longest
from hilctl.experiment.straights import straights
from hilctl.identify.friction.estimate_windows import had, timed
from hilctl.identify.friction.plan import LEAST_SAMPLES, Leg

AROUND_S = 0.03  # on either side of a corner: it rings on
FAST = 0.3  # of the fastest speed: from here on corners say enough
TELLING_M_S = 0.25  # slower corners take little momentum beside friction, and little of m a is left in a window
LOWEST, HIGHEST = 0.2, 5.0  # times the declared mass
OFF = 0.03  # what is left to friction that is not quite odd, and to leakage in the signals' timing


def corners(record: Record, leg: Leg, facts: Facts) -> npt.NDArray[np.float64]:
    """One row a corner: which way it turns, ∫ A pL dt, ∫ a dt and its duration."""
    around = int(AROUND_S * facts.rate_hz)
    samples = timed(record.bridged, facts)
    found = straights(samples["vd_m_s"], leg.speed_m_s, LEAST_SAMPLES)
    gone = ~had(samples)
    load = facts["machine.A"] * (samples["pressure_a_pa"] - samples["pressure_b_pa"])
    load = load - facts["machine.K"] * samples["displacement_m"]
    rows = []
    for before, after in itertools.pairwise(found):
        part = slice(before.stop - around, after.start + around)
        if longest(gone[part]) > (SPECTRUM.gap_ticks or 0):
            continue
        way = float(np.sign(samples["vd_m_s"][after.start]))
        rows.append((way, load[part].sum(), samples["acceleration_m_s2"][part].sum(), part.stop - part.start))
    return np.array(rows).reshape(-1, 4)


def tells(legs: Sequence[Leg]) -> list[Leg]:
    """Those whose corners say enough of the mass; none where the fastest is too slow."""
    fastest = max((leg.speed_m_s for leg in legs), default=0.0)
    return [leg for leg in legs if leg.speed_m_s >= FAST * fastest] if fastest >= TELLING_M_S else []


def is_off(ratio: float) -> bool:
    """Whether a mass so many times the declared one is another; beyond LOWEST and HIGHEST it is no mass."""
    return abs(ratio - 1) > OFF and LOWEST < ratio < HIGHEST


def apparent_mass(found: Sequence[tuple[Leg, Record]], facts: Facts) -> float | None:
    """From the triangles of legs that tell; None where they have no corners of both kinds."""
    pushed = turned = 0.0
    for leg, record in found:
        rows = corners(record, leg, facts)
        up, down = rows[rows[:, 0] > 0], rows[rows[:, 0] < 0]
        if len(up) and len(down):
            both = up.mean(axis=0) - down.mean(axis=0)
            pushed += both[1]
            turned += both[2]
    return float(pushed / turned) if turned > 0 else None
