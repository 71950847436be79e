"""A measured step response beside a model's: how fast, how far beyond, how long until it stays."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.fit import fit_percent
from hilctl.params import BadValues, Problem

Reals = npt.NDArray[np.float64]

BAND = 0.05  # of the step: within it a response has settled
_LAST = 0.1  # of the record: shows where it ends
_FIRST = 0.02  # of the record before the step at least: shows where it begins


class Figures(NamedTuple):
    """Of one response. None: the record does not show it."""

    delay_s: float | None  # to 10 % of the step
    rise_s: float | None  # from 10 to 90 %
    overshoot_percent: float
    settling_s: float | None  # until it stays within ±5 %
    final: float  # what a unit of the input's step makes at the end


class StepComparison(NamedTuple):
    """Both, on the same record."""

    measured: Figures
    modelled: Figures
    fit_percent: float
    largest_error: float  # over the measured step
    noise: float  # rms of the measured signal before the step, over the measured step


def compare_steps(
    driven: npt.ArrayLike, measured: npt.ArrayLike, modelled: npt.ArrayLike, rate_hz: float
) -> StepComparison:
    """From a record in which the input steps once and the output comes to rest."""
    u, y, ym = (np.asarray(each, np.float64) for each in (driven, measured, modelled))
    if not (u.shape == y.shape == ym.shape and u.ndim == 1 and len(u) >= 16):
        raise BadValues([Problem("measured", f"shape {y.shape}", f"must be as long as driven, {u.shape}, 16 at least")])
    size, at = _step_of(u)
    begin = float(y[:at].mean()) if at > _FIRST * len(y) else float(y[0])
    whole = float(y[-max(1, int(_LAST * len(y))) :].mean()) - begin
    if not abs(whole) > 0:
        raise BadValues([Problem("measured", whole, "must end elsewhere than it began", "step further")])
    noise = float(y[:at].std()) / abs(whole) if at > 2 else 0.0
    return StepComparison(
        _figures(y, at, size, rate_hz), _figures(ym, at, size, rate_hz), fit_percent(y, ym),
        float(np.abs(y - ym).max() / abs(whole)), noise,
    )  # fmt: skip


def _step_of(u: Reals) -> tuple[float, int]:
    """How large the input's step is, and the first sample of it."""
    low, high = float(u[0]), float(u[-1])
    if low == high:
        raise BadValues([Problem("driven", low, "must end elsewhere than it began", "give a record with one step")])
    beyond = (u - low) / (high - low) > 0.5
    at = int(np.argmax(beyond))
    if not beyond[at:].all():
        raise BadValues([Problem("driven", "several steps", "must step once", "cut the record between the steps")])
    return high - low, at


def _figures(y: Reals, at: int, size: float, rate_hz: float) -> Figures:
    begin = float(y[:at].mean()) if at > _FIRST * len(y) else float(y[0])
    whole = float(y[-max(1, int(_LAST * len(y))) :].mean()) - begin
    if whole == 0.0:
        return Figures(None, None, 0.0, None, 0.0)
    part = (y[at:] - begin) / whole
    tenth, most = _first(part, 0.1), _first(part, 0.9)
    outside = np.flatnonzero(np.abs(part - 1) > BAND)
    last = int(outside[-1]) + 1 if len(outside) else 0
    settled = float(last) if last <= (1 - _LAST) * len(part) else None
    return Figures(
        None if tenth is None else tenth / rate_hz,
        None if tenth is None or most is None else (most - tenth) / rate_hz,
        100 * max(0.0, float(part.max()) - 1), None if settled is None else settled / rate_hz, whole / size,
    )  # fmt: skip


def _first(part: Reals, level: float) -> float | None:
    """Where it first passes a level, in samples, between two of them."""
    above = part >= level
    if not above.any():
        return None
    k = int(np.argmax(above))
    return float(k) if k == 0 else k - 1 + float((level - part[k - 1]) / (part[k] - part[k - 1]))
