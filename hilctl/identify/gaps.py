"""Missed ticks: a few are filled in, so that one missed tick does not cost a motion.

A command is held during a missed tick, and so are counts and modes; all other channels are interpolated.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

LONGEST = 5  # missed ticks in a row
MOST = 0.01  # of the samples
HELD = ("u_applied", "u_cmd")


class Evened(NamedTuple):
    """Samples at every tick, how many of them were filled in, and in how many places."""

    samples: dict[str, Any]
    put_in: int
    places: int


def missing(samples: Mapping[str, Any]) -> int:
    """Ticks between the first and the last that were missed."""
    ticks = np.asarray(samples["tick"], np.int64) if "tick" in samples else np.zeros(0, np.int64)
    return int(np.sum(np.diff(ticks) - 1))


def late_text(made: Evened) -> str:
    """A note on what was filled in."""
    return (
        f"the loop missed {made.put_in} of {len(made.samples['tick'])} ticks, in {made.places} places; their samples "
        "are interpolated (`hilctl doctor` shows why a host is late)"
    )


def evened(samples: Mapping[str, Any]) -> Evened:
    """Unchanged where no tick was missed, and where so many were that the motion must be driven again."""
    ticks = np.asarray(samples["tick"], np.int64) if "tick" in samples else np.zeros(0, np.int64)
    steps = np.diff(ticks)
    gone = missing(samples)
    whole = dict(samples)
    if not len(steps) or steps.min() < 1 or steps.max() > LONGEST + 1 or not 0 < gone <= MOST * len(ticks):
        return Evened(whole, 0, 0)
    from scipy.interpolate import CubicSpline

    every = np.arange(ticks[0], ticks[-1] + 1)
    before = np.searchsorted(ticks, every, "right") - 1
    for name, values in samples.items():
        given = np.asarray(values)
        if name in HELD or given.dtype.kind not in "f" or not np.isfinite(given).all():
            whole[name] = given[before]
        else:
            made = CubicSpline(ticks - ticks[0], np.asarray(given, np.float64))(every - ticks[0])
            made[ticks - ticks[0]] = given
            whole[name] = made
    whole["tick"] = every
    return Evened(whole, gone, int(np.count_nonzero(steps > 1)))
