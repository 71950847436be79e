"""The course: a drive is played, judged, corrected and played again, until nothing more is to be gained.

It ends when the figure is below the target, when corrections gain nothing more, when the rig's answer has changed (the
drive would be corrected for another rig), or after so many drives. The best drive is kept, and stays uploaded.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import Facts
from hilctl.learning import drive_file
from hilctl.learning.correct import SHARE, WHOLE, bounded, step
from hilctl.learning.judge import Band, in_percent, judged
from hilctl.learning.payload import Moved, changed, moved
from hilctl.learning.played import Answer, accepted, loosened, played, sensed, together
from hilctl.learning.response import Response, predicted
from hilctl.learning.wanted import Lines, Reals, Wanted, lines_of
from hilctl.results.proof import Learned, Repeat
from hilctl.wire.errors import Code, Refused

if TYPE_CHECKING:
    from hilctl.client import Client

DRIVES = 10
TARGET_PERCENT = {True: 0.5, False: 2.0}  # by whether the motion repeats
LEAST_SHARE = 0.15  # of what is missing: less is not corrected
MUCH_WORSE = 1.5  # times the least error: whether the rig is still the same is then looked at
SAME = 1.25  # times its error, beyond CHANCE times what may be another each time: when a drive is played again
CHANCE = 3.0
PLAYS, CERTAIN = 3, 0.25  # a drive is played so often, until no more of its error than this may be chance


class Asked(NamedTuple):
    """How far, and where it is kept."""

    name: str
    drives: int = DRIVES
    target_percent: float = 0.0  # 0: as the kind of motion has it
    file: Path | None = None
    motion: Mapping[str, Any] = MappingProxyType({})  # kind and parameters, for the file
    before: drive_file.Drive | None = None  # to learn further from


class Tried(NamedTuple):
    """A drive and what came of it."""

    drive: Reals
    lines: Lines
    answer: Answer
    repeat: Repeat
    chance_percent: float  # of the wanted acceleration: what would be another the next time
    moved: Moved


def learn(
    rig: "Client", facts: Facts, wanted: Wanted, asked: Asked,
    tell: Callable[[int, Repeat], None] = lambda index, repeat: None,
) -> Learned:  # fmt: skip
    """LegFault where a drive cannot be measured; the best of those before is then kept in the file."""
    course = _Course(rig, facts, wanted, asked)
    try:
        return course.run(tell)
    except LegFault as fault:
        if not (course.tried and asked.file):
            raise
        course.keep(f"a drive could not be measured: {fault}")
        raise LegFault(f"{fault}; the best drive so far is kept in {asked.file}") from fault


class _Course:
    def __init__(self, rig: "Client", facts: Facts, wanted: Wanted, asked: Asked) -> None:
        self.rig, self.facts, self.wanted, self.asked = rig, facts, wanted, asked
        self.band = Band.of(wanted, facts.rate_hz)
        self.target = asked.target_percent or TARGET_PERCENT[wanted.repeats]
        self.predicted = predicted(facts, wanted.hz)
        self.response = Response(wanted.hz, self.predicted.gain)
        self.tried: list[Tried] = []
        self.best, self.share, self.checks = 0, SHARE, False
        before = asked.before
        self.earlier = list(before.repeats) if before else []
        if before:
            self.response.ratio = before.ratios

    def run(self, tell: Callable[[int, Repeat], None]) -> Learned:
        """Until there is a reason to end."""
        before, why = self.asked.before, ""
        drive = before.best_m if before else self.wanted.x
        sensors = sensed(self.rig, self.facts, self.asked.name)
        self.upload(drive)
        while not why:
            answers: list[Answer] = []
            while not answers or (len(answers) < PLAYS and not self.certain(together(answers))):
                loosened(self.rig, self.wanted)
                answers.append(played(self.rig, self.wanted, lines_of(drive), self.asked.name, sensors))
            self.add(drive, together(answers))
            tell(len(self.earlier) + len(self.tried) - 1, self.tried[-1].repeat)
            why = self.judge()
            if not why:
                drive, why = self.next()
            self.keep(why)
        self.upload(self.tried[self.best].drive)
        return self.learned(why)

    def upload(self, drive: Reals) -> None:
        """Refused where it would pass a limit."""
        accepted(self.rig, self.wanted, drive, self.asked.name)

    def add(self, drive: Reals, answer: Answer) -> None:
        """What came of a drive."""
        lines, share = lines_of(drive), self.share if self.tried and not self.checks else 0.0
        if self.tried:
            last = self.tried[-1]
            self.response.saw(lines - last.lines, answer.x - last.answer.x, 2 * self.chance(answer))
        mass = moved(answer, float(self.facts["machine.A"]), self.wanted, self.band.highest_hz)
        repeat = judged(self.wanted, answer, self.band, share)
        self.tried.append(Tried(drive, lines, answer, repeat, self.chance_percent(answer), mass))

    def certain(self, answer: Answer) -> bool:
        """Whether the error is one of the drive. Of a record there are no cycles to tell that by."""
        error_percent = judged(self.wanted, answer, self.band, 0.0).error_percent
        return not self.wanted.repeats or self.chance_percent(answer) < max(CERTAIN * error_percent, self.target)

    def chance(self, answer: Answer) -> Reals:
        """The power in a line that would be another the next time."""
        return np.asarray(np.maximum(answer.noise, self.predicted.shaken_m2 / answer.ticks))

    def chance_percent(self, answer: Answer) -> float:
        """The same, of the wanted acceleration."""
        return in_percent(self.wanted, self.chance(answer), self.band)

    def judge(self) -> str:
        """Which is the best now, and why this was the last; empty where it was not."""
        last, best = self.tried[-1], self.tried[self.best]
        with_it = self.asked.before.moved if self.asked.before and len(self.tried) == 1 else best.moved
        if said := changed(with_it, last.moved):
            return said
        if self.checks:
            self.checks = False
            if last.repeat.error_percent > SAME * best.repeat.error_percent + CHANCE * last.chance_percent:
                return (f"the rig has changed: the best drive now gives an error of {last.repeat.error_percent:.3g} %, "
                        f"after {best.repeat.error_percent:.3g} %; check payload, oil temperature and supply pressure, "
                        "then learn a new drive")  # fmt: skip
        elif last.repeat.error_percent < best.repeat.error_percent:
            self.best = len(self.tried) - 1
        elif len(self.tried) > 1:
            self.share /= 2
            most = MUCH_WORSE * best.repeat.error_percent + CHANCE * last.chance_percent
            self.checks = last.repeat.error_percent > most
        best = self.tried[self.best]
        if best.repeat.percent <= self.target:
            return f"{self.band.figure} is below {self.target:g} %"
        if len(self.tried) == self.asked.drives:
            return f"{self.asked.drives} drives were played"
        if self.share < LEAST_SHARE and not self.checks:
            return "further drives gain nothing: what is left does not repeat, or is beyond the valve"
        return ""

    def next(self) -> tuple[Reals, str]:
        """The next drive, uploaded; or why there is none."""
        best = self.tried[self.best]
        if self.checks:
            self.upload(best.drive)
            return best.drive, ""
        lines, hz = self.wanted.lines, self.wanted.hz
        whole = step(lines - best.answer.x, self.chance(best.answer), self.response, lines, self.band.highest_hz)
        while True:
            drive = self.wanted.corrected(bounded(hz, best.lines + self.share * whole - lines, lines, WHOLE))
            try:
                self.upload(drive)
            except Refused as refused:
                if refused.code != Code.LIMIT:
                    raise
                self.share /= 2
                if self.share < LEAST_SHARE:
                    return best.drive, f"the next drive was refused, {refused.message}"
            else:
                return drive, ""

    def learned(self, why: str) -> Learned:
        """The result so far."""
        best, repeats = len(self.earlier) + self.best, [*self.earlier, *(one.repeat for one in self.tried)]
        frequency_hz = 1 / self.wanted.seconds if self.wanted.repeats else None
        reached = repeats[best].percent <= self.target
        return Learned(self.asked.name, frequency_hz, repeats, best, reached, why, str(self.asked.file or ""))

    def keep(self, why: str) -> None:
        """On the disk, where that is asked for."""
        if self.asked.file is None:
            return
        best = self.tried[self.best]
        found = drive_file.made(self.facts, self.asked.motion, self.wanted, self.learned(why), best.drive,
                                self.response.ratio, best.moved)  # fmt: skip
        drive_file.keep(self.asked.file, found)
