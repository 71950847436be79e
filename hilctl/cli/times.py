"""Times as people type them, by the rig PC's clock."""

import time
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hilctl.client import Client

_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def rig_time_ns(text: str, rig: "Client", sign: int) -> int | None:
    """A wall time of the rig PC in ns since 1970: a date and time, or a duration from now on (1) or ago (-1), which
    needs no clock of ours to be right. None: it is neither."""
    unit_s = _UNITS_S.get(text[-1:])
    try:
        if unit_s is not None:
            away_s = rig.clock_gap.ahead_s + sign * float(text[:-1]) * unit_s
            return max(0, time.time_ns() + int(1e9 * away_s))
        return max(0, int(1e9 * datetime.fromisoformat(text).timestamp()))
    except (ValueError, OverflowError):
        return None


def date_of(time_ns: int) -> str:
    """For a line of a list."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time_ns * 1e-9))
