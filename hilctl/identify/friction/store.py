"""A campaign's directory: what was planned, and one pair of files for each speed that is finished.

    campaign.json   plan, rig, active parameters and their epoch; written once
    speed-07.npz    every sample of that triangle: the fit, and the gates, can be repeated without the rig
    speed-07.json   its windows with their reasons, its points; written last: a speed is finished when this stands

Every file appears whole or not at all: it is written beside, flushed to the disk, and renamed. So a campaign that is
cut off anywhere loses the speed that was running, and no other.
"""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from hilctl.experiment import store as kept
from hilctl.experiment.facts import Facts
from hilctl.identify.friction.estimate_windows import Window
from hilctl.identify.friction.plan import Leg
from hilctl.results.friction import Pair, Point

FORMAT = 1
PLAN = "campaign.json"


class Header(msgspec.Struct, frozen=True):
    """What stands in campaign.json."""

    format: int
    id: str
    begun: str  # date and time, UTC
    facts: Facts
    legs: list[Leg]
    remarks: list[str] = []
    prepared: dict[str, Any] = {}


class Measured(msgspec.Struct, frozen=True):
    """One speed, finished."""

    index: int
    leg: Leg
    ended: str  # date and time, UTC
    epoch: int
    ticks: int  # of the loop that it took, pauses not counted
    oil_degc: float | None
    mass_kg: float  # with which m a was taken off
    windows: list[Window]
    points: list[Point]
    pair: Pair | None
    lost: float = 0.0  # share of the readings
    again: list[str] = []  # why it was driven before, and did not count

    @property
    def discarded(self) -> list[Window]:
        """The windows that do not count; each says why."""
        return [w for w in self.windows if w.reason]


class Store:
    """The directory of one campaign."""

    def __init__(self, folder: Path, header: Header) -> None:
        self.folder, self.header = folder, header

    @classmethod
    def begin(cls, folder: Path, header: Header) -> "Store":
        """A new campaign; StoreError where one stands already."""
        kept.begin(folder / PLAN, header, "campaign")
        return cls(folder, header)

    @classmethod
    def open(cls, folder: Path) -> "Store":
        """A campaign that was begun; StoreError where there is none."""
        return cls(folder, kept.opened(folder / PLAN, Header, FORMAT, "campaign"))

    def finished(self) -> list[Measured]:
        """The speeds that are finished, in the order of the plan. A file that cannot be read does not count."""
        found = []
        for index in range(len(self.header.legs)):
            path = self._path(index, "json")
            try:
                found.append(msgspec.json.decode(path.read_bytes(), type=Measured))
            except (OSError, msgspec.DecodeError):
                continue  # it will be measured again
        return found

    def save(self, measured: Measured, samples: Mapping[str, npt.NDArray[Any]]) -> None:
        """Samples first: a speed with a result has its samples."""
        packed = io.BytesIO()
        np.savez(packed, allow_pickle=False, **dict(samples))
        kept.write(self._path(measured.index, "npz"), packed.getvalue())
        self.judged(measured)

    def judged(self, measured: Measured) -> None:
        """Only the result; the samples stand already."""
        kept.write(self._path(measured.index, "json"), kept.as_json(measured))

    def samples(self, index: int) -> dict[str, npt.NDArray[Any]]:
        """Every sample of a finished speed."""
        with np.load(self._path(index, "npz")) as packed:
            return {name: packed[name] for name in packed.files}

    def _path(self, index: int, kind: str) -> Path:
        return self.folder / f"speed-{index:02d}.{kind}"
