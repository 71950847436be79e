"""How far work on a rig is: its stages, and the rig time that each is expected to take."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

# On the twin of table-500: `hilctl commission table-500 --twin --json FILE` (`stages`), 2026-11-26.
PREPARING_S = 14.0  # besides the warm-up
ARMING_S = 4.0  # of that
PLANT_S = 36.0  # mass, flow, oil, valve and delay


class Progress(NamedTuple):
    """Where some work is."""

    fraction: float
    left_s: float  # of rig time, estimated


def progress(stages: Mapping[str, float], stage: str, share: float) -> Progress:
    """At this share of a stage. One that is not expected changes nothing: it has no length."""
    names = list(stages)
    before = names[: names.index(stage)] if stage in stages else []
    total, done = sum(stages.values()), sum(stages[name] for name in before)
    done += share * stages.get(stage, 0.0)
    return Progress(done / total if total else 0.0, total - done)


class Stages:
    """Work that says where it is: a stage, what it does there, and the share of the stage that is done.

    What is known better meanwhile may make the rest longer; the reported share never goes back.
    """

    def __init__(self, expected_s: Mapping[str, float], tell: Callable[[str, Progress], None]) -> None:
        self._expected_s, self._tell = dict(expected_s), tell
        self.stage, self._share, self._furthest = next(iter(expected_s)), 0.0, 0.0

    def expect(self, stage: str, seconds: float) -> None:
        """A stage is planned now, and known better."""
        self._expected_s[stage] = seconds

    def begin(self, stage: str, text: str = "") -> None:
        """The next one; its name says it where no text does."""
        self.stage = stage
        self.say(text or stage, 0.0)

    def say(self, text: str, share: float | None = None) -> None:
        """What is done now, in the stage that has begun; without a share, that is as before."""
        self._share = self._share if share is None else share
        now = progress(self._expected_s, self.stage, self._share)
        self._furthest = max(self._furthest, now.fraction)
        self._tell(text, now._replace(fraction=self._furthest))
