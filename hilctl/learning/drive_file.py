"""A drive on the disk: the motion that is wanted, the best drive so far, what is known of the response, every repeat,
and the rig and parameters for which it was learned. It is complete after each repeat, or the one before still stands.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from hilctl.errors import WrongUse
from hilctl.experiment import course, store
from hilctl.experiment.course import Course
from hilctl.experiment.facts import Facts
from hilctl.learning.payload import Moved
from hilctl.learning.wanted import Lines, Reals, Wanted
from hilctl.results.proof import Learned, Repeat
from hilctl.results.stored import as_json

FORMAT = 1
_SHOWN = 5  # differences, in a message
# What the answer to a drive depends on. Limits do not count, for the service checks every drive; nor do zeros.
_COUNTS = ("machine.", "sensors.", "law.", "friction.")
_NOT = (".offset", ".noise")


class Drive(Struct, frozen=True):
    """As it is stored."""

    format: int
    course: Annotated[Course, Meta(description="rig, rate and parameters, and the motion that was asked for")]
    name: Annotated[str, Meta(description="under which it is uploaded")]
    text: Annotated[str, Meta(description="the motion")]
    center_m: float
    interval_s: float
    periodic: Annotated[bool, Meta(description="the values are one period; else all of the motion")]
    wanted_m: list[float]
    drive_m: Annotated[list[float], Meta(description="the best so far")]
    ratio: Annotated[list[tuple[float, float]], Meta(description="the response over the predicted one, in its lines")]
    repeats: list[Repeat]
    best: Annotated[int, Meta(description="index of the repeat with the least error")]
    moved_kg: Annotated[
        tuple[float, float] | None,
        Meta(description="mass and its standard error, by load pressure and acceleration, in that repeat"),
    ]
    why: Annotated[str, Meta(description="learning ended; empty while it goes on, or where it was cut off")]

    def __post_init__(self) -> None:
        count = len(self.wanted_m)
        if not 0 <= self.best < len(self.repeats):
            raise ValueError(f"best must be an index of {len(self.repeats)} repeats, is {self.best}")
        if count < 2 or len(self.drive_m) != count or len(self.ratio) != count // 2 + 1:
            raise ValueError(f"drive_m must have as many values as wanted_m, {count}, and ratio {count // 2 + 1}")

    @property
    def wanted(self) -> Wanted:
        """The motion."""
        return Wanted(self.text, np.array(self.wanted_m), self.interval_s, self.center_m, self.periodic)

    @property
    def best_m(self) -> Reals:
        """The drive."""
        return np.array(self.drive_m)

    @property
    def moved(self) -> Moved:
        """The mass."""
        return Moved(*self.moved_kg) if self.moved_kg else Moved(math.nan, math.nan)

    @property
    def ratios(self) -> Lines:
        """As complex numbers."""
        return np.array([complex(*one) for one in self.ratio])


def made(
    facts: Facts, motion: Mapping[str, Any], wanted: Wanted, found: Learned, drive: Reals, ratio: Lines, mass: Moved
) -> Drive:  # fmt: skip
    """Of a learning as far as it is."""
    begun = course.now(facts.rig, facts.rate_hz, facts.values, motion, work="learning")
    return Drive(
        FORMAT, begun, found.name, wanted.text, wanted.center_m, wanted.interval_s, wanted.repeats, wanted.x.tolist(),
        drive.tolist(), [(one.real, one.imag) for one in ratio.tolist()], list(found.repeats),
        found.best, (mass.kg, mass.error_kg) if math.isfinite(mass.kg) else None, found.why,
    )  # fmt: skip


def keep(file: Path, drive: Drive) -> None:
    """Complete, or not at all."""
    store.write(file, as_json(drive, indent=0))


def opened(file: Path) -> Drive:
    """What the file holds; WrongUse where it is no drive, or damaged."""
    try:
        return store.opened(file, Drive, FORMAT, "drive")
    except store.StoreError as error:
        raise WrongUse(f"{error} (`hilctl track KIND ... --learn`)", key=str(file)) from None


def refuse_other(drive: Drive, facts: Facts, file: Path) -> None:
    """WrongUse where the drive was learned on another rig, or under other parameters."""
    here = course.now(facts.rig, facts.rate_hz, facts.values, drive.course.asked, work="learning")
    found = [text for text in drive.course.differences(here) if _counts(text.partition(" ")[0])]
    if found:
        more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise WrongUse(
            f"{file} was learned for another rig or other parameters, which would answer it differently: "
            f"{'; '.join(found[:_SHOWN])}{more}; restore these (`hilctl set`), or learn a new drive", key=str(file),
        )  # fmt: skip


def _counts(key: str) -> bool:
    return key in ("rig", "rate_hz") or (key.startswith(_COUNTS) and not key.endswith(_NOT))
