"""The motion that the table is to make, as evenly spaced displacements: one period of one that repeats, or all of a
record, from rest to rest.

It is planned here exactly as the service plans it, without moving the table. Its lines are

    X_j = 1/n Σ x_i exp(-2 pi i j i/n)        f_j = j / (n h)

of a motion that repeats the harmonics, of a record those of the whole of it. With REST_S of rest at both ends a record
begins and ends as if it repeated, and a correction may begin before it does.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.errors import WrongUse
from hilctl.experiment.facts import Facts
from hilctl.law.motions import Samples, plan
from hilctl.law.reference import KNOTS
from hilctl.learning import KINDS
from hilctl.rig import motion_limits

Reals = npt.NDArray[np.float64]
Lines = npt.NDArray[np.complex128]

INTERVAL_S = 2e-3  # of the samples: a quintic spline through them is exact below 100 Hz
REST_S = 1.0
_NEAR_S = 0.25  # around a sample, to say whether the motion moves there
_QUIET, _LOUD = 0.01, 0.04  # shares of the strongest acceleration about a sample: below the one there is no correction
_DIGITS = 12  # of a sample, in m
_PLANNED = 4.0  # cycles


@dataclass(frozen=True)
class Wanted:
    """A motion about its centre."""

    text: str
    x: Reals
    interval_s: float
    center_m: float
    repeats: bool

    @property
    def seconds(self) -> float:
        """A period, or all of it."""
        return len(self.x) * self.interval_s

    @cached_property
    def hz(self) -> Reals:
        """Of the lines."""
        return np.asarray(np.fft.rfftfreq(len(self.x), self.interval_s))

    @cached_property
    def lines(self) -> Lines:
        """X."""
        return lines_of(self.x)

    @cached_property
    def lively(self) -> Reals:
        """The share of a correction at each sample: 1, and of a record 0 where it rests or hardly moves. A table that
        hardly moves sticks, and when it slips is chance; and at rest it is to rest.
        """
        if self.repeats:
            return np.ones(len(self.x))
        from scipy.ndimage import uniform_filter1d

        reach = 1 + 2 * round(_NEAR_S / self.interval_s)
        bend = np.diff(self.x, 2, prepend=self.x[0], append=self.x[-1])
        near = np.sqrt(np.maximum(uniform_filter1d(bend**2, reach), 0.0))
        quiet, loud = _QUIET * float(np.max(near)), _LOUD * float(np.max(near))
        return np.asarray(uniform_filter1d(np.clip((near - quiet) / max(loud - quiet, 1e-300), 0, 1), reach // 2))

    def corrected(self, correction: Lines) -> Reals:
        """The samples of a drive."""
        n = len(self.x)
        return np.asarray(self.x + self.lively * np.fft.irfft(correction * n, n))


def lines_of(x: Reals) -> Lines:
    """Of such samples."""
    return np.asarray(np.fft.rfft(x) / len(x))


def wanted(facts: Facts, kind: str, parameters: Mapping[str, Any], history: Samples | None = None) -> Wanted:
    """What `track` would do with these parameters, however often it is asked to repeat it; BadValues likewise."""
    if kind not in KINDS:
        raise WrongUse(f"a {kind} cannot be learned; these can: {', '.join(KINDS)}", key="kind")
    asked = {key: value for key, value in parameters.items() if key not in _LENGTHS[kind]}
    if kind in _REPEATING:
        asked["cycles"] = _PLANNED
    center_m = float(asked.get("center_m", 0.0))
    made = plan(kind, asked, motion_limits(facts.controller, facts.dt_s), center_m, 1, history)
    lead_s = made.facts["lead_s"]
    if kind in _REPEATING:
        period_s = made.facts["period_s"]
        count = math.ceil(period_s / INTERVAL_S)
        begin_s = made.facts.get("full_from_s", lead_s) + period_s
        x = made.points(begin_s + period_s / count * np.arange(count))["x_m"] - center_m
        return Wanted(made.text, x, period_s / count, center_m, True)
    body_s = float(made.motion.body_s)
    interval_s = max(INTERVAL_S, (body_s + 2 * REST_S) / (KNOTS - 32))
    rest, inside = math.ceil(REST_S / interval_s), math.ceil(body_s / interval_s)
    x = made.points(lead_s + interval_s * np.clip(np.arange(-rest, inside + rest), 0, inside))["x_m"] - center_m
    x = np.round(x, _DIGITS)
    return Wanted(made.text, x, interval_s, center_m, False)


_REPEATING = ("sine", "triangle")
_LENGTHS: dict[str, tuple[str, ...]] = {
    "sine": ("cycles", "duration_s", "soft_start_s", "soft_stop_s"), "triangle": ("cycles", "duration_s"),
    "chirp": (), "waveform": (),
}  # fmt: skip
