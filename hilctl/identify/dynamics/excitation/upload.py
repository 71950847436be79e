"""An excitation as the service takes it: a history of displacement that is uploaded and tracked as a waveform."""

import numpy as np

from hilctl.identify.dynamics.excitation.room import Reals
from hilctl.law.motions import Samples, samples_of
from hilctl.params import BadValues, Problem

REST_S = 0.3  # before and behind: a waveform's own taper falls on rest


def as_history(values: Reals, rate_hz: float) -> tuple[Samples, int]:
    """The history with some rest around it, and how many samples after its first one the excitation begins.

    The motion's facts say when the history's first sample is driven: `first_sample_s`.

    It has to begin and end at rest: a blended stepped sine, a sweep or a multisine with soft ends.
    """
    peak = float(np.abs(values).max())
    steep = [float(np.abs(values[i])) for i in (0, -1)]
    if max(steep) > 0.01 * peak:
        raise BadValues(
            [Problem("values", f"{max(steep):.3g} m at an end", "must begin and end at rest", "give it soft ends")]
        )
    rest = np.zeros(round(REST_S * rate_hz))
    return samples_of(np.concatenate([rest, values, rest]), "displacement", interval_s=1 / rate_hz), len(rest)
