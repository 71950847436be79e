"""The choices of the person who commissions."""

import shlex
from pathlib import Path
from typing import Any, NamedTuple

from hilctl.commission import sines, tracking
from hilctl.commission.history import History

CAMPAIGN_S = 90.0  # of rig time: the whole work then takes less than five minutes


class How(NamedTuple):
    """What is measured, and where it is kept."""

    folder: Path
    stands_at_m: float | None = None
    warm_up_s: float = 10.0
    speeds_m_s: tuple[float, ...] | None = None
    campaign_s: float = CAMPAIGN_S
    sines_hz: tuple[float, ...] = sines.FREQUENCIES_HZ
    learn_hz: tuple[float, ...] = ()
    learn_repeats: int = 10
    tune: bool = False
    tasks: tuple[tracking.Task, ...] = ()  # tracked before and after; none: triangles that the rig can do
    histories: tuple[History, ...] = ()
    author: str = ""
    resume: bool = False  # goes on with the one in the folder
    only: tuple[str, ...] = ()  # parts, which complete the result in the folder; none: everything
    command: str = "hilctl commission"  # for messages that name it
    job: bool = False  # the command names its folder

    @property
    def samples(self) -> Path:
        """Where the legs are kept."""
        return self.folder / "only" / "-".join(self.only) if self.only else self.folder

    @property
    def asked(self) -> dict[str, Any]:
        """What decides which motions are driven."""
        return {
            "stands_at_m": self.stands_at_m, "speeds_m_s": self.speeds_m_s, "campaign_s": self.campaign_s,
            "sines_hz": self.sines_hz, "learn_hz": self.learn_hz, "learn_repeats": self.learn_repeats,
            "tune": self.tune, "tasks": [task.text for task in self.tasks],
            "histories": [(one.name, one.peak_m) for one in self.histories],
        }  # fmt: skip

    def does(self, part: str) -> bool:
        """Whether a part is asked for."""
        if self.only:
            return part in self.only
        return {"gains": self.tune, "learning": bool(self.learn_hz)}.get(part, True)

    def alone(self, *parts: str) -> str:
        """The command that measures these parts alone, and completes the result."""
        where = "" if self.job else f" --out {shlex.quote(str(self.folder))}"
        return f"{self.command} --only {','.join(parts)}{where}"
