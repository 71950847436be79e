"""The points that a law is fitted to: one a measuring window, checked and folded.

A force counts as friction when it resists the motion: it has the sign of the speed, but for what does not turn with the
direction (weight, a pressure sensor's zero). Several windows at one speed are as welcome as one.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.params import BadValues, Problem

SLOWEST_M_S, FASTEST_M_S = 1e-6, 20.0  # what a cylinder's table of friction can hold
GREATEST_N = 1e7
FEWEST_SPEEDS = 3  # different ones: with fewer, only a constant friction is identifiable
SAME_SPEED = 0.01  # windows whose speeds differ by less, relatively, count as repeated
NEAREST_SD = 1e-6  # of the greatest standard deviation: a point cannot count a million times more than another


class BadPoints(BadValues):
    """Points that no friction law can be fitted to: no numbers, no speeds, a force that drives instead of resisting.

    A pressure pair that is swapped, or a cable with the wrong polarity, shows as the last of these.
    """


class TooFewPoints(BadPoints):
    """Fewer points, or fewer different speeds, than the simplest law needs."""


class Points(NamedTuple):
    """Windows of constant speed, as arrays of one length; made by `check_points`."""

    speed_m_s: Any  # signed: the direction of the motion
    force_n: Any  # signed likewise, mean over the window
    sd_n: Any  # standard deviation of each mean; all alike where nothing is known
    sd_known: bool
    # What all points share: what one standard deviation of each sensor's scale adds to the signed forces, a row each;
    scales_n: Any = ()
    speed_scale_sd: float = 0.0  # and that of the speeds, as a share

    @property
    def size(self) -> int:
        """How many."""
        return len(self.speed_m_s)

    @property
    def direction(self) -> Any:
        """Of the motion, 1 or -1."""
        return np.sign(self.speed_m_s)

    def speeds(self) -> int:
        """How many different speeds, whatever the direction."""
        return len(np.unique(self.groups()))

    def groups(self) -> Any:
        """A number for each point: the same for those whose speeds are the same within SAME_SPEED, either way."""
        ordered = np.argsort(np.abs(self.speed_m_s), kind="stable")
        ascending = np.abs(self.speed_m_s)[ordered]
        out = np.empty(self.size, int)
        out[ordered] = np.concatenate(([0], np.cumsum(np.diff(ascending) > SAME_SPEED * ascending[1:])))
        return out


def check_points(
    speed_m_s: npt.ArrayLike, force_n: npt.ArrayLike, sd_n: npt.ArrayLike | None = None,
    weight: npt.ArrayLike | None = None,
) -> Points:  # fmt: skip
    """Checked points. How sure each is, says its standard deviation or a weight (which goes as 1/sd²), or nothing."""
    columns: dict[str, Any] = {"speed_m_s": speed_m_s, "force_n": force_n}
    if sd_n is not None and weight is not None:
        limit = "must not stand beside points.sd_n"
        raise BadPoints([Problem("points.weight", "both", limit, "give the standard deviations or the weights")])
    sure = "weight" if weight is not None else "sd_n"
    if sd_n is not None or weight is not None:
        given: Any = weight if weight is not None else sd_n
        columns[sure] = np.broadcast_to(given, np.shape(force_n)) if np.ndim(given) == 0 else given
    arrays = {name: np.array(values, float) for name, values in columns.items()}
    lengths = {name: array.shape for name, array in arrays.items()}
    if len(set(lengths.values())) > 1 or arrays["speed_m_s"].ndim != 1:
        told = ", ".join(f"{name} {shape}" for name, shape in lengths.items())
        raise BadPoints([Problem("points", told, "must be rows of one length", "one value a window in each")])
    speeds = arrays["speed_m_s"]
    problems = [p for name, array in arrays.items() for p in _not_finite(name, array)]
    problems += _outside("speed_m_s", speeds, SLOWEST_M_S, FASTEST_M_S, "m/s", "leave out what stood still")
    problems += _outside("force_n", arrays["force_n"], 0.0, GREATEST_N, "N", "forces are in N")
    if sure in arrays:
        problems += [
            Problem(f"points.{sure}[{i}]", float(value), "must be greater than 0", "leave the point out instead")
            for i, value in enumerate(arrays[sure])
            if value <= 0
        ]
    if problems:
        raise BadPoints(problems)
    sd = arrays.get("sd_n", np.ones(len(speeds)))
    if weight is not None:
        sd = 1.0 / np.sqrt(arrays["weight"])
    if len(sd):
        sd = np.maximum(sd, NEAREST_SD * sd.max())
    made = Points(speeds, arrays["force_n"], sd, sd_n is not None)
    _refuse_few(made)
    _refuse_driving(made)
    return made


def _not_finite(name: str, array: Any) -> list[Problem]:
    wrong, limit = np.flatnonzero(~np.isfinite(array)), "must be a finite number"
    return [Problem(f"points.{name}[{i}]", float(array[i]), limit, "leave the window out") for i in wrong]


def _outside(name: str, array: Any, low: float, high: float, unit: str, remedy: str) -> list[Problem]:
    wrong = np.isfinite(array) & ((np.abs(array) < low) | (np.abs(array) > high))
    limit = f"must be {low:g} to {high:g} {unit} in either direction"
    return [Problem(f"points.{name}[{i}]", float(array[i]), limit, remedy) for i in np.flatnonzero(wrong)]


def _refuse_few(made: Points) -> None:
    different = made.speeds() if made.size else 0
    if different < FEWEST_SPEEDS or made.size < FEWEST_SPEEDS + 1:
        told = f"{made.size} points at {different} different speeds"
        limit = f"must be at least {FEWEST_SPEEDS + 1} points at {FEWEST_SPEEDS} different speeds"
        remedy = "measure 12 speeds or more, from the slowest to the fastest, in both directions"
        raise TooFewPoints([Problem("points", told, limit, remedy)])


def _refuse_driving(made: Points) -> None:
    """Half the difference between the directions is friction; of one direction the force itself is."""
    d, f = made.direction, made.force_n
    both = np.any(d > 0) and np.any(d < 0)
    resisting = 0.5 * (np.median(f[d > 0]) - np.median(f[d < 0])) if both else float(np.median(d * f))
    if resisting <= 0:
        remedy = "check which pressure is which, their signs, the area's sign, and that weight is taken off"
        limit = "must be greater than 0: friction resists motion"
        raise BadPoints([Problem("points.force_n", f"{resisting:.4g} N along the motion", limit, remedy)])
