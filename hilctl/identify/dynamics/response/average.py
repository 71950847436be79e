"""Several measurements of one response together; what they differ by counts as error.

A rig with friction answers a multisine not only with noise but with distortion, which no period averages away: it
repeats. It does differ from one set of phases to the next, so the scatter of records with different seeds holds both,
and their mean is the best linear approximation of the rig (Pintelon and Schoukens 2012, chapter 4).
"""

from collections.abc import Sequence

import numpy as np

from hilctl.identify.dynamics.response.result import Response
from hilctl.params import BadValues, Problem


def average(responses: Sequence[Response]) -> Response:
    """Their mean, with the variance that their scatter shows; at the same frequencies, two of them at least."""
    count = len(responses)
    if count < 2:
        raise BadValues([Problem("responses", count, "must be two at least", "measure again, with another seed")])
    hz = responses[0].hz
    if any(not np.array_equal(each.hz, hz) for each in responses):
        raise BadValues([Problem("responses", "different frequencies", "must all be at the same frequencies")])
    gains = np.stack([each.gain for each in responses])
    scatter = np.sum(np.abs(gains - gains.mean(0)) ** 2, 0) / (count - 1)
    coherence = np.mean([each.coherence for each in responses], 0)
    explained = np.abs(gains.mean(0)) ** 2
    shared = explained / np.maximum(explained + scatter, 1e-300)
    return Response(
        hz, gains.mean(0), scatter / count, np.full(len(hz), 2.0 * (count - 1)), np.minimum(coherence, shared)
    )
