"""A study's directory: what was planned, and one file for each motion that is finished.

    dynamics.json       plan, rig and active parameters; written once
    motion-03.npz       every sample of that motion, and the sample at which its excitation begins
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from hilctl.experiment import store as kept
from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.experiment.asked import Asked
from hilctl.identify.dynamics.experiment.planning import Leg

FORMAT = 1
PLAN = "dynamics.json"
_STUDY = "study of dynamics"
_HOLDS = "motion of a study of dynamics"


class Header(msgspec.Struct, frozen=True):
    """The plan, as stored."""

    format: int
    begun: str  # date and time, UTC
    facts: Facts
    asked: Asked
    legs: list[Leg]
    command: str = ""
    prepared: dict[str, Any] = {}


class Driven(msgspec.Struct, frozen=True):
    """A finished motion."""

    index: int
    share: float  # of the planned amplitude
    begins: int  # sample at which the excitation begins
    notes: list[str]
    samples: dict[str, Any]


class Store:
    """The directory of one study."""

    def __init__(self, folder: Path, header: Header) -> None:
        self.folder, self.header = folder, header

    @classmethod
    def begin(cls, folder: Path, header: Header) -> "Store":
        """A new study; StoreError if the directory already holds one."""
        kept.begin(folder / PLAN, header, _STUDY)
        return cls(folder, header)

    @classmethod
    def open(cls, folder: Path) -> "Store":
        """A study begun earlier; StoreError if there is none."""
        return cls(folder, kept.opened(folder / PLAN, Header, FORMAT, _STUDY))

    @property
    def left(self) -> list[int]:
        """The motions still to be driven."""
        return [index for index in range(len(self.header.legs)) if self.driven(index) is None]

    def save(self, driven: Driven) -> None:
        """Whole, or not at all."""
        head = {"format": FORMAT, "share": driven.share, "begins": driven.begins, "notes": driven.notes}
        kept.save(self.path(driven.index), head, driven.samples)

    def driven(self, index: int) -> Driven | None:
        """A finished motion; None if it is not finished, or its file is unreadable, so that it is driven again."""
        try:
            head, samples = kept.load(self.path(index), FORMAT, _HOLDS, "drive it")
        except (kept.NotKept, OSError):
            return None
        return Driven(index, float(head["share"]), int(head["begins"]), list(head["notes"]), dict(samples))

    def path(self, index: int) -> Path:
        """The file of a motion."""
        return self.folder / f"motion-{index + 1:02d}.npz"


def plain_name(name: str) -> str:
    """A motion's name as the service accepts the name of an upload."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def as_floats(samples: Mapping[str, Any]) -> dict[str, Any]:
    """Every channel as float64."""
    return {name: np.asarray(values, np.float64) for name, values in samples.items()}
