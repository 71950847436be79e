"""One pass over a recording of any length: lines as they look, and each channel and motion in numbers."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hilctl.recording.reader import Recording
from hilctl.report.series import POINTS, Reals
from hilctl.results.recorded import Figures
from hilctl.signals import Mode

_REAL = "f8"  # what is counted, or means something by its bits, has no mean
_BLOCK = 60_000  # samples that are in memory at once, about


class Passed:
    """What is known after it."""

    def __init__(self, recording: Recording, lines: Sequence[str]) -> None:
        self.every = max(1, -(-len(recording) // POINTS))
        self._lines: dict[str, list[Any]] = {name: [] for name in lines if name in recording.channels}
        self._ticks: list[Any] = []
        kinds, units = recording.kinds, recording.units
        self._sums = {name: _Sums() for name in recording.channels if kinds.get(name) == _REAL}
        self.errors: dict[int, _Sums] = {}
        self.modes: dict[str, int] = {}
        self.skipped = self.rejected = self.saturated = 0
        for rows in _blocks(recording, self.every):
            self._take(rows)
        self.figures = [one.figures(name, units.get(name, "")) for name, one in self._sums.items()]

    def _take(self, rows: Any) -> None:
        for name, sums in self._sums.items():
            sums.take(rows[name])
        for number in np.unique(rows["motion"][rows["motion"] > 0]).tolist():
            self.errors.setdefault(number, _Sums()).take(rows["error_m"][rows["motion"] == number])
        for mode, count in zip(*np.unique(rows["mode"], return_counts=True), strict=True):
            name = Mode(int(mode)).name.lower()
            self.modes[name] = self.modes.get(name, 0) + int(count)
        self.skipped += int(rows["skipped"].sum())
        self.rejected += int(np.count_nonzero(rows["rejected"]))
        self.saturated += int(np.count_nonzero(rows["saturated"]))
        begins = np.arange(0, len(rows), self.every)
        both = self.every > 1
        self._ticks.append(np.repeat(rows["tick"][begins], 2) if both else rows["tick"])
        for name, kept in self._lines.items():
            values = rows[name].astype(np.float64)
            ends = (np.fmin.reduceat(values, begins), np.fmax.reduceat(values, begins))
            kept.append(np.stack(ends, axis=1).ravel() if both else values)

    @property
    def ticks(self) -> Reals:
        """Where the lines have their points."""
        return np.concatenate(self._ticks) if self._ticks else np.empty(0)

    @property
    def lines(self) -> dict[str, Reals]:
        """Of each stretch of samples the least and the greatest."""
        return {name: np.concatenate(kept) for name, kept in self._lines.items() if kept}


def _blocks(recording: Recording, every: int) -> Iterator[Any]:
    size = every * max(1, _BLOCK // every)
    for first in range(0, len(recording), size):
        yield recording.rows(first, first + size)


class _Sums:
    """A channel so far."""

    def __init__(self) -> None:
        self.count = self.empty = 0
        self.total = self.squares = 0.0
        self.least, self.most = np.inf, -np.inf

    def take(self, values: Any) -> None:
        numbers = values[np.isfinite(values)].astype(np.float64)
        self.empty += len(values) - len(numbers)
        if len(numbers):
            self.count += len(numbers)
            self.total += float(numbers.sum())
            self.squares += float(numbers @ numbers)
            self.least, self.most = min(self.least, float(numbers.min())), max(self.most, float(numbers.max()))

    @property
    def rms(self) -> float | None:
        return float(np.sqrt(self.squares / self.count)) if self.count else None

    @property
    def peak(self) -> float | None:
        return max(abs(self.least), abs(self.most)) if self.count else None

    def figures(self, name: str, unit: str) -> Figures:
        if not self.count:
            return Figures(name, unit, None, None, None, None, self.empty)
        return Figures(name, unit, self.least, self.most, self.total / self.count, self.rms, self.empty)
