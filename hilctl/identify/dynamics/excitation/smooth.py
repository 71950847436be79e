"""A step without a jump in its first three derivatives, and its integral."""

import numpy as np

from hilctl.identify.dynamics.excitation.room import Reals

STEEPEST = 2.1875  # of its slope, in the middle


def smooth(s: Reals) -> Reals:
    """From 0 to 1 as s does; three derivatives are zero at both ends."""
    x = np.asarray(np.clip(s, 0.0, 1.0))
    return np.asarray(x**4 * (35 + x * (-84 + x * (70 - 20 * x))))


def risen(s: Reals) -> Reals:
    """The integral of `smooth` from 0."""
    inside = np.clip(s, 0.0, 1.0)
    return np.asarray(inside**5 * (7 + inside * (-14 + inside * (10 - 2.5 * inside))) + np.maximum(s - 1, 0.0))
