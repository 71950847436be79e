"""Whether the table still carries what it carried: the mass that its load pressure moves.

    A P = m a + f(v)        f, any curve: for each direction straight between SPEEDS

by least squares over the samples of a drive at which the table slides. Friction that follows the speed alone falls out
of m; what remains of it is the same from drive to drive, since the motion is. So the masses of two drives are compared,
not believed.
"""

import math

import numpy as np

from hilctl.learning.played import Answer
from hilctl.learning.wanted import Reals, Wanted

CHANGED = 0.05
SPEEDS = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)  # shares of the greatest one; slower, the table may stick


def moved_kg(answer: Answer, area_m2: float, wanted: Wanted, highest_hz: float) -> float:
    """m; nan where the rig has no pressures."""
    n, w = len(wanted.x), 2 * np.pi * wanted.hz
    inside = np.where(wanted.hz <= highest_hz, n, 0)
    load, a, v = (np.fft.irfft(lines * inside, n) for lines in (answer.load, answer.shown, 1j * w * answer.x))
    if not np.all(np.isfinite(load)):
        return math.nan
    speeds = np.array(SPEEDS) * float(np.max(np.abs(v)))
    slides = np.abs(v) >= speeds[0]
    columns = [a, *friction_of(v, speeds)]
    found = np.linalg.lstsq(np.stack([one[slides] for one in columns], axis=1), area_m2 * load[slides], rcond=None)[0]
    return float(found[0])


def friction_of(v: Reals, speeds: Reals) -> list[Reals]:
    """The columns of f: of each direction and speed, a hat."""
    size = np.abs(v)
    hats = [np.interp(size, speeds, one) for one in np.eye(len(speeds))]
    return [np.where(v * sign > 0, hat, 0.0) for sign in (1, -1) for hat in hats]


def changed(before_kg: float | None, now_kg: float) -> str:
    """In words; empty where it did not, or nothing shows it."""
    if before_kg is None or not math.isfinite(before_kg) or not abs(now_kg - before_kg) > CHANGED * abs(before_kg):
        return ""
    return (
        f"the payload has changed: load pressure and acceleration are those of {now_kg:.4g} kg, in the best drive "
        f"before of {before_kg:.4g} kg; that drive is kept, learn another one for this payload"
    )
