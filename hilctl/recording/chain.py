"""The files of one recording as one: a rotated recording from its first file to its last, each row once."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hilctl.errors import WrongUse
from hilctl.recording.ahead import Reading
from hilctl.recording.damaged import Damaged
from hilctl.recording.layout import CHUNK_ROWS, SUFFIX
from hilctl.recording.reader import Recording, open_recording

BLOCK_ROWS = 32 * CHUNK_ROWS  # some 17 MB


class Part(NamedTuple):
    """The rows of a file that no later file has too."""

    recording: Recording
    end: int


class Chain:
    """The files, the oldest first, open; `missing` names the file before the first one, where it is gone."""

    def __init__(self, path: Path, *, alone: bool = False) -> None:
        found = open_recording(path)
        recordings = [found]
        self.missing = found.continues
        if not alone:
            before, self.missing = _before(found)
            recordings = [*before, found, *_after(found)]
        nexts = [*(r.first for r in recordings[1:]), None]
        ends = [len(r) if n is None else r.rows_before(n) for r, n in zip(recordings, nexts, strict=True)]
        self.parts = [Part(r, end) for r, end in zip(recordings, ends, strict=True)]
        self.first, self.last = recordings[0], recordings[-1]
        if any(r.channels != self.first.channels for r in recordings):
            self.close()
            raise WrongUse(f"{path}: its files have different channels; export them one by one with --alone")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Gives the files back."""
        for part in self.parts:
            part.recording.close()

    @property
    def paths(self) -> list[Path]:
        """The files."""
        return [part.recording.path for part in self.parts]

    @property
    def incomplete(self) -> dict[Path, str]:
        """Those that were cut off, lack samples, or are still being written."""
        return {part.recording.path: part.recording.end for part in self.parts if not part.recording.complete}

    def spans(self, from_s: float, to_s: float) -> list[tuple[Recording, int, int]]:
        """The rows of each file whose time, ticks by the rate, is from `from_s` up to and with `to_s`."""
        rate = self.first.rate_hz
        low, high = np.ceil(from_s * rate - 1e-6), np.floor(to_s * rate + 1e-6)
        found = [(r, _row_at(r, low, end), _row_at(r, high + 1, end)) for r, end in self.parts]
        return [span for span in found if span[1] < span[2]]

    def blocks(self, spans: list[tuple[Recording, int, int]], every: int) -> Iterator[npt.NDArray[np.int64]]:
        """Rows as words, one table after the other, each of at most BLOCK_ROWS."""
        passed = 0  # rows, before this block
        for recording, first, end in spans:
            with Reading(recording.path) as file:
                for at in range(first, end, BLOCK_ROWS):
                    stop = min(at + BLOCK_ROWS, end)
                    skip = -passed % every
                    passed += stop - at
                    file.at(stop / len(recording))
                    if at + skip < stop:
                        rows = np.ascontiguousarray(recording.rows(at + skip, stop)[::every])
                        yield rows.view(np.int64).reshape(len(rows), -1)


def _before(recording: Recording) -> tuple[list[Recording], str]:
    """Those that it continues, and the name of the one before them that is gone."""
    found: list[Recording] = []
    name, run = recording.continues, recording.run
    while name:
        path = recording.path.with_name(name)
        if not path.is_file() or any(r.path == path for r in found):
            return found, name
        found.insert(0, open_recording(path))
        if found[0].run != run:
            found.pop(0).close()
            return found, name
        name = found[0].continues
    return found, ""


def _after(recording: Recording) -> list[Recording]:
    """Those that continue it."""
    followers: dict[str, Path] = {}
    for path in sorted(recording.path.parent.glob(f"*{SUFFIX}")):
        try:
            with open_recording(path) as other:
                if other.run == recording.run and other.continues:
                    followers.setdefault(other.continues, path)
        except (OSError, Damaged):
            continue  # no recording
    found: list[Recording] = []
    name = recording.path.name
    while (path := followers.pop(name, Path())) != Path():
        found.append(open_recording(path))
        name = path.name
    return found


def _row_at(recording: Recording, tick: float, end: int) -> int:
    """The first row, up to `end`, whose tick is not below this one."""
    low = 0
    while low < end:
        middle = (low + end) // 2
        if int(recording.rows(middle, middle + 1)["tick"][0]) < tick:
            low = middle + 1
        else:
            end = middle
    return low
