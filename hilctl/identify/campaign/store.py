"""A campaign's directory: what was planned, and one pair of files for each speed that is finished.

    campaign.json   plan, rig, parameters in force and their epoch; written once
    speed-07.npz    every sample of that triangle: the fit, and the gates, can be repeated without the rig
    speed-07.json   its windows with their reasons, its points; written last: a speed is finished when this stands

Every file appears whole or not at all: it is written beside, flushed to the disk, and renamed. So a campaign that is
cut off anywhere loses the speed that was running, and no other.
"""

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from hilctl.identify.campaign.facts import Facts
from hilctl.identify.campaign.planning import Leg
from hilctl.identify.campaign.points import Pair, Point
from hilctl.identify.campaign.windows import Window

FORMAT = 1


class StoreError(Exception):
    """The directory is not what was asked for. The message says what it is and what to do."""


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
        if (folder / "campaign.json").exists():
            raise StoreError(f"{folder} holds a campaign already; resume it, or name another directory")
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "campaign.json", msgspec.json.format(msgspec.json.encode(header), indent=1))
        return cls(folder, header)

    @classmethod
    def open(cls, folder: Path) -> "Store":
        """A campaign that was begun; StoreError where there is none."""
        try:
            header = msgspec.json.decode((folder / "campaign.json").read_bytes(), type=Header)
        except FileNotFoundError:
            raise StoreError(f"{folder} holds no campaign: it has no campaign.json") from None
        except (msgspec.DecodeError, OSError) as error:
            raise StoreError(f"{folder}/campaign.json cannot be read: {error}") from None
        if header.format != FORMAT:
            raise StoreError(f"{folder}/campaign.json has format {header.format}, this program reads {FORMAT}")
        return cls(folder, header)

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
        _write(self._path(measured.index, "npz"), packed.getvalue())
        self.judged(measured)

    def judged(self, measured: Measured) -> None:
        """Only the result; the samples stand already."""
        _write(self._path(measured.index, "json"), msgspec.json.format(msgspec.json.encode(measured), indent=1))

    def samples(self, index: int) -> dict[str, npt.NDArray[Any]]:
        """Every sample of a finished speed."""
        with np.load(self._path(index, "npz")) as packed:
            return {name: packed[name] for name in packed.files}

    def _path(self, index: int, kind: str) -> Path:
        return self.folder / f"speed-{index:02d}.{kind}"


def _write(path: Path, content: bytes) -> None:
    beside = path.with_name(f".{path.name}.part")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
