"""Wall time of ticks and samples, and how far this computer's clock is from the rig PC's.

Ticks and the samples' `time_ns` count monotonic time, which no clock step disturbs. The service tells what to add.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hilctl.wire.errors import Code, Refused

NEAR_S = 1.0  # clocks that are as far apart are not worth a word

Times = int | Sequence[int] | npt.NDArray[np.int64]


class WallClock(NamedTuple):
    """As `hello` and `status` have it."""

    offsets: tuple[tuple[int, int], ...]  # from this monotonic time on, what is added
    uncertainty_ns: int
    tick0_ns: int | None  # monotonic: when tick 0 was due
    period_ns: int
    synchronized: bool | None
    error_ns: int | None  # of the rig PC's clock, as its host says

    @classmethod
    def of(cls, hello: Mapping[str, Any]) -> Self:
        """From `hello` or `status`."""
        told = hello.get("wall")
        if told is None:
            clock = "on the virtual clock time is counted in ticks alone"
            older = "this service does not tell its wall clock: its program is older"
            raise Refused(Code.WRONG_MODE, clock if "wall" in hello else older, "clock")
        offsets = tuple((one["since_ns"], one["offset_ns"]) for one in (*told["before"], told))
        return cls(offsets, **{name: told[name] for name in cls._fields[1:]})

    def of_times(self, time_ns: Times) -> Any:
        """Nanoseconds since 1970 (UTC) of monotonic times, as the channel `time_ns` has them; an array for an array."""
        times = np.asarray(time_ns, np.int64)
        since = np.asarray([since for since, _ in self.offsets[1:]], np.int64)
        added = np.asarray([offset for _, offset in self.offsets], np.int64)
        made = times + added[np.searchsorted(since, times, "right")]
        return made if made.ndim else int(made)

    def of_ticks(self, ticks: Times) -> Any:
        """The same of ticks: when each was due. It began later by the channel `wake_ns`."""
        if self.tick0_ns is None:
            raise Refused(Code.BUSY, "the loop has not made a sample yet; ask again in a moment", "tick")
        return self.of_times(self.tick0_ns + np.asarray(ticks, np.int64) * self.period_ns)

    def datetime_of_tick(self, tick: int) -> datetime:
        """The same of one tick, for people."""
        return datetime.fromtimestamp(1e-9 * self.of_ticks(tick), UTC)

    def tick_at(self, wall_ns: int) -> int:
        """The first tick that is due at or after this wall time, by the newest offset."""
        if self.tick0_ns is None:
            raise Refused(Code.BUSY, "the loop has not made a sample yet; ask again in a moment", "tick")
        return -((self.tick0_ns + self.offsets[-1][1] - wall_ns) // self.period_ns)


class ClockGap(NamedTuple):
    """How far the rig PC's clock is ahead of this computer's."""

    ahead_s: float
    uncertainty_s: float

    @classmethod
    def measured(cls, before_ns: int, hello: Mapping[str, Any], after_ns: int) -> Self:
        """From the service's clock, as it answered between these two times of ours."""
        theirs_ns = hello.get("time_ns", (before_ns + after_ns) // 2)
        return cls(1e-9 * (theirs_ns - (before_ns + after_ns) // 2), 0.5e-9 * (after_ns - before_ns))

    @property
    def text(self) -> str:
        """What to tell a person; empty while the clocks agree."""
        if abs(self.ahead_s) <= NEAR_S + self.uncertainty_s:
            return ""
        where = "behind" if self.ahead_s > 0 else "ahead of"
        return (f"this computer's clock is {_duration(abs(self.ahead_s))} {where} the rig PC's; times of events, "
                "recordings and starts are the rig PC's: correct the clock that is wrong (NTP)")  # fmt: skip


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    hours = seconds / 3600
    return f"{round(hours, 1):g} h" if hours < 48 else f"{round(hours / 24, 1):g} days"
