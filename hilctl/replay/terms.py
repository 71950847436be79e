"""The channels in the order in which a tick makes them: the first that differs is the term that was altered."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.signals import CHANNELS, NAMES, SENSOR_KINDS

# The phases of law/tick.py: what is active, the readings, estimates, the reference, the guard, feed-forward, feedback,
# the output.
ORDER: tuple[str, ...] = (
    "tick", "skipped", "time_ns", "wake_ns", "exchange_ns", "law_ns", "link_errors", "link_lost",
    "epoch", "blend", "pid_share", "status", "device_tick", "u_applied",
    *(kind.channel for kind in SENSOR_KINDS), "rejected", "age_max_ns", "pressure_a_age_ns", "pressure_b_age_ns",
    "pressure_share", "load_pressure_pa", "position_m", "velocity_m_s", "acceleration_used_m_s2", "friction_n",
    "xr_m", "vr_m_s", "ar_m_s2", "jr_m_s3", "xd_m", "vd_m_s", "ad_m_s2",
    "warnings", "trip", "mode", "arming", "motion", "enabled", "supply",
    "error_m", "left_m", "u_linear", "u_inverse", "pressure_ref_pa", "u_feed",
    "u_position", "u_integral", "u_velocity", "u_acceleration", "u_pressure",
    "u_pid_p", "u_pid_i", "u_pid_d", "u_law", "u_notched", "saturated", "u_cmd",
    "learning", "learned_null", "learned_gain", "learned_overlap", "valve_null",
)  # fmt: skip
_PLACES = [NAMES.index(name) for name in ORDER]


class Difference(NamedTuple):
    """The first tick that is not as it was recorded, and its first term that is not."""

    tick: int
    term: str
    recorded: float
    replayed: float
    others: tuple[str, ...]  # terms of that tick that differ also


def first_difference(
    recorded: npt.NDArray[np.int64], now: npt.NDArray[np.int64], tolerance: float, largest: npt.NDArray[np.float64]
) -> Difference:
    """Of a tick that differs."""
    apart = [place for place in _PLACES if _apart(recorded, now, place, tolerance * float(largest[place]))]
    first = apart[0]
    return Difference(
        int(recorded[NAMES.index("tick")]), NAMES[first], _value(recorded, first), _value(now, first),
        tuple(NAMES[place] for place in apart[1:]),
    )  # fmt: skip


def _apart(recorded: Any, now: Any, place: int, allowed: float) -> bool:
    if recorded[place] == now[place]:
        return False
    if allowed == 0.0 or CHANNELS[place].kind != "f8":
        return True
    was, is_ = _value(recorded, place), _value(now, place)
    if np.isnan(was) or np.isnan(is_):
        return bool(np.isnan(was) != np.isnan(is_))
    return bool(abs(was - is_) > allowed)


def _value(row: Any, place: int) -> Any:
    word = np.ascontiguousarray(row[place : place + 1])
    return word.view(np.float64)[0].item() if CHANNELS[place].kind == "f8" else int(word[0])
