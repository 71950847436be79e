"""The correction of a drive: towards what is missing, where it repeats and its effect is known, and never by too much.

    X  ←  X + s b E / H        E, what is missing, b = max(0, 1 - N / P) c², s the share that is corrected

b is a gate. P is the mean power of E around a line, N the power in it that would be another the next time: the sensors'
noise, as they show it and as it shakes the table, and of a motion that repeats whatever differs from cycle to cycle. c²
is the coherence of the effect (hilctl.learning.response). Above the band there is no correction.

The energy of a correction is its mean square as an acceleration, in shares of the wanted motion's: of one step at most
STEP², of all together at most WHOLE².
"""

import numpy as np

from hilctl.learning.response import Response, around
from hilctl.learning.wanted import Lines, Reals

SHARE = 0.8  # s, where nothing is known against it
STEP, WHOLE = 0.7, 1.5  # of the wanted acceleration's rms
_EDGE = 1.2  # of the band's end: there the correction has faded out


def gate(hz: Reals, missing: Lines, noise: Reals, coherence: Reals, highest_hz: float) -> Reals:
    """b."""
    power = around(hz, np.abs(missing) ** 2)
    repeats = np.clip(1 - np.divide(around(hz, noise), power, out=np.ones(len(hz)), where=power > 0), 0, 1)
    band = np.clip((_EDGE * highest_hz - hz) / ((_EDGE - 1) * highest_hz), 0, 1)
    band[0] = 0.0  # where the table stands on average is not learned
    return np.asarray(repeats * coherence * band)


def step(missing: Lines, noise: Reals, response: Response, wanted: Lines, highest_hz: float) -> Lines:
    """The whole of the correction that follows from what is missing."""
    b = gate(response.hz, missing, noise, response.coherence, highest_hz)
    return bounded(response.hz, b * missing * response.inverse, wanted, STEP)


def bounded(hz: Reals, correction: Lines, wanted: Lines, share: float) -> Lines:
    """The same, or less of it."""
    most, asked = share * strength(hz, wanted), strength(hz, correction)
    return correction if asked <= most else np.asarray(correction * (most / asked))


def strength(hz: Reals, lines: Lines) -> float:
    """The rms of such displacements as an acceleration."""
    return float(np.sqrt(2 * np.sum(np.abs((2 * np.pi * hz) ** 2 * lines) ** 2)))
