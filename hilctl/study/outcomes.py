"""A run in numbers: how well each motion was tracked, what limited it, and whether the table stands still at rest."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError
from hilctl.law.motions import Plan
from hilctl.results.distortion import LEAST_CYCLES, distortion_of

Reals = npt.NDArray[np.float64]

# What is kept of every row.
KEPT = ("tick", "mode", "motion", "saturated", "error_m", "position_m", "acceleration_m_s2",
        "acceleration_used_m_s2", "ad_m_s2")  # fmt: skip
OF_MOTION: dict[str, str] = {
    "error_rms_m": "tracking error, rms, over the whole motion",
    "error_peak_m": "tracking error, greatest",
    "acceleration_error_percent": "rms of acceleration minus its reference, of the reference's rms",
    "distortion_percent": "of a sine: total harmonic distortion of the accelerometer's reading (THD)",
    "saturated_share": "share of the motion in which the valve command was limited",
}
OF_REST: dict[str, str] = {
    "rest_travel_m": "travel at rest after the last motion, peak to peak, noise included",
    "rest_hz": "frequency of the strongest line of that travel",
    "rest_speed_m_s": "speed amplitude of that line",
    "limit_cycle": "1: that line is faster than arming.rest_speed_m_s",
}
_SETTLING = 0.5  # of the rest, before it is judged
_SETTLED_S = 0.5  # of a sine, at least a cycle, before its distortion is measured


def track_names(motions: list[str]) -> list[str]:
    """Columns of the motions of these names."""
    return [f"{motion}.{name}" for motion in motions for name in OF_MOTION]


class Rows:
    """What is kept of a run's rows, in one table that is used again."""

    def __init__(self) -> None:
        self._parts: list[Any] = []

    def take(self, rows: Any) -> None:
        """More rows."""
        self._parts.append({name: rows[name].copy() for name in KEPT})

    def all(self) -> dict[str, Any]:
        """Of the run so far."""
        if not self._parts:
            return {name: np.zeros(0) for name in KEPT}
        return {name: np.concatenate([part[name] for part in self._parts]) for name in KEPT}


def of_motion(rows: dict[str, Any], plan: Plan, rate_hz: float) -> dict[str, float]:
    """How a motion was tracked, as far as it went."""
    during = np.flatnonzero(rows["motion"] == int(plan.motion.id))
    if not len(during):
        return dict.fromkeys(OF_MOTION, math.nan)
    part = slice(int(during[0]), int(during[-1]) + 1)
    error, wanted = rows["error_m"][part], rows["ad_m_s2"][part]
    size = _rms(wanted)
    off = _rms(rows["acceleration_used_m_s2"][part] - wanted)
    return {
        "error_rms_m": _rms(error),
        "error_peak_m": float(np.max(np.abs(error))),
        "acceleration_error_percent": 100 * off / size if size > 0 else math.nan,
        "distortion_percent": _distortion(rows["acceleration_m_s2"][part], plan, rate_hz),
        "saturated_share": float(np.mean(rows["saturated"][part] != 0)),
    }


def _distortion(shown: Reals, plan: Plan, rate_hz: float) -> float:
    """Over the whole cycles at full amplitude, once it has settled."""
    if plan.kind != "sine":
        return math.nan
    frequency_hz = 1.0 / plan.facts["period_s"]
    settling = math.ceil(max(1.0, _SETTLED_S * frequency_hz) - 1e-9)
    cycles = int(plan.facts["full_s"] * frequency_hz + 1e-9) - settling
    begin = round((plan.facts["full_from_s"] + settling / frequency_hz) * rate_hz)
    count = round(cycles / frequency_hz * rate_hz)
    if cycles < LEAST_CYCLES or begin + count > len(shown) or not np.isfinite(shown[begin : begin + count]).all():
        return math.nan
    try:
        return distortion_of(shown[begin : begin + count], cycles, frequency_hz).percent
    except HilctlError:
        return math.nan


def of_rest(rows: dict[str, Any], count: int, still_m_s: float, rate_hz: float) -> dict[str, float]:
    """What the table does while the reference stands still: the last rows, without those in which it settles."""
    part = slice(len(rows["tick"]) - int(count * (1 - _SETTLING)), None)
    place = rows["position_m"][part]
    if count <= 0 or len(place) < 8 or not np.isfinite(place).all():
        return dict.fromkeys(OF_REST, math.nan)
    lines = 2 / len(place) * np.abs(np.fft.rfft(place - np.mean(place)))
    strongest = int(np.argmax(lines[1:])) + 1
    hz = strongest * rate_hz / len(place)
    speed = float(2 * math.pi * hz * lines[strongest])
    return {"rest_travel_m": float(np.ptp(place)), "rest_hz": hz, "rest_speed_m_s": speed,
            "limit_cycle": float(speed > still_m_s)}  # fmt: skip


def _rms(values: Reals) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
