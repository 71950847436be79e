"""Runs a recording again: stretch by stretch, each from a state of the controller that the file holds."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.law.reference.motion import Kind
from hilctl.loop import layout
from hilctl.loop.lost import LOST, OPEN
from hilctl.recording.layout import Known
from hilctl.recording.reader import Recording
from hilctl.replay.build import TOLERANCE, Build, build_of
from hilctl.replay.relay import Entries, state_of
from hilctl.replay.source import need_replayable
from hilctl.replay.terms import Difference, first_difference
from hilctl.replay.tick import FOUND, rt_replay
from hilctl.rt.jit import compile_now
from hilctl.signals import NAMES

Alter = Callable[[Any], None]  # a parameter set, as the loop has it, changed in place

CHUNK = 1 << 14  # rows at a time: some megabytes
_TICK, _SKIPPED, _COMMAND = (NAMES.index(name) for name in ("tick", "skipped", "u_cmd"))


class Gap(NamedTuple):
    """Ticks that could not be compared."""

    first: int  # tick after the last one that was
    until: int | None  # tick at which a known state lets it go on; None: not again in this file
    why: str


class Commands(NamedTuple):
    """How far the commands are from those recorded."""

    largest: float
    largest_tick: int
    rms: float


class Replayed(NamedTuple):
    """What a replay found."""

    ticks: int  # compared
    differ: int
    first: Difference | None
    gaps: list[Gap]
    build: Build
    tolerance: float  # 0: every bit
    commands: Commands
    rate_hz: float
    seconds: float  # of wall time

    @property
    def exact(self) -> bool:
        """Whether every bit of every tick of the file was compared."""
        return self.tolerance == 0.0 and not self.gaps

    @property
    def real_time(self) -> float:
        """How many times faster than the recorded run."""
        return self.ticks / self.rate_hz / max(self.seconds, 1e-9)


def prepare(announce: Callable[[], None]) -> None:
    """Loads the compiled replay, or compiles it, which is announced."""
    compile_now(rt_replay, announce)


class Replay:
    """One replay; `alter` is given every parameter set, `rows` are the first and the end of those to be replayed."""

    def __init__(self, recording: Recording, alter: Alter | None = None, rows: tuple[int, int] | None = None) -> None:
        need_replayable(recording)
        self._recording, self._alter = recording, alter
        self._known = recording.known
        self._entries = Entries(recording, alter)
        self._build = build_of(recording)
        self._memory = np.zeros(layout.ROWS_AT, np.uint8)
        self._found: Any = np.zeros(1, FOUND)
        self._found[0]["tolerance"] = 0.0 if self._build.same else TOLERANCE
        first, end = rows or (0, len(recording))
        self._from, self._rows = first, min(end, len(recording))
        self._first: Difference | None = None
        self._gaps: list[Gap] = []
        self._ticks = 0
        self._squares, self._largest, self._largest_tick = 0.0, 0.0, -1

    def run(self, progress: Callable[[int, int], None] = lambda done, of: None) -> Replayed:
        """All of it."""
        prepare(lambda: None)
        begun_s, row, why = time.perf_counter(), self._from, "the file holds no state of the controller before it"
        tick = int(self._recording.rows(row, row + 1)["tick"][0]) if row < self._rows else 0
        while row < self._rows:
            known, at = self._next_known(row)
            if at > row:
                self._gaps.append(Gap(tick, None if known is None else known.tick + 1, why))
            if known is None:
                break
            row, tick, why = self._stretch(known, at, progress)
        found = self._found[0]
        rms = (self._squares / max(self._ticks, 1)) ** 0.5
        return Replayed(self._ticks, int(found["differ"]), self._first, self._gaps, self._build,
                        float(found["tolerance"]), Commands(self._largest, self._largest_tick, rms),
                        self._recording.rate_hz, time.perf_counter() - begun_s)  # fmt: skip

    def _next_known(self, row: int) -> tuple[Known | None, int]:
        """The first state at or after this row of the file, and its row; where there is none, the file's end."""
        while self._known:
            known = self._known.pop(0)
            at = self._recording.row_of(known.row)
            if at is not None and row <= at < self._rows:
                return known, at
        return None, self._rows

    def _stretch(self, known: Known, row: int, progress: Callable[[int, int], None]) -> tuple[int, int, str]:
        """From a known state as far as it goes: the row and tick at which it ends, and why."""
        self._begin(known)
        expected, entries = known.tick, self._entries.since(known.taken, known.tick)
        tick = known.tick + 1
        while row < self._rows:
            rows: Any = self._recording.rows(row, min(row + CHUNK, self._rows)).view(np.int64).reshape(-1, len(NAMES))
            ticks = rows[:, _TICK]
            whole = unbroken(expected, ticks, rows[:, _SKIPPED])
            count = min(whole, int(np.searchsorted(ticks, entries.usable_until)))
            self._compare(row, rows[:count], entries)
            row += count
            progress(row, self._rows)
            if count:
                expected = int(ticks[count - 1])
                tick = expected + 1
            if count < len(rows):
                return row, tick, entries.why if count < whole else f"{int(ticks[count]) - tick} samples are missing"
        return row, tick, ""

    def _begin(self, known: Known) -> None:
        memory = self._memory
        memory[:] = 0
        state, carried = state_of(self._recording.types, known, self._alter)
        memory[layout.law.at : layout.law.at + len(state)] = np.frombuffer(state, np.uint8)
        loop: Any = layout.loop.of(memory)[0]
        loop.late, loop.stalls = carried.late, carried.stalls
        loop.status.late_in_a_row, loop.status.ending = carried.late_in_a_row, carried.ending
        loop.health.failing, loop.health.lost, loop.health.errors = carried.failing, carried.lost, carried.errors
        layout.options.of(memory)[0].lost_periods = carried.lost_periods
        words = memory[layout.words.at : layout.words.end].view(np.int64)
        words[layout.DEVICE_LINK] = LOST if carried.lost else OPEN
        if known.knots:
            bank = int(layout.law.of(memory)[0].bank)
            knots = layout.knots.of(memory)[bank].knots
            knots[: len(known.knots) // 8] = np.frombuffer(known.knots, np.float64)
            if layout.law.of(memory)[0].motion.kind == Kind.EXTERNAL:
                knots[: len(carried.points)] = carried.points

    def _compare(self, row: int, rows: npt.NDArray[np.int64], entries: "Entries") -> None:
        if not len(rows):
            return
        found, commands = self._found[0], np.empty(len(rows))
        found["entry"], found["row"], found["refused"] = entries.next, -1, -1
        readings = self._entries.readings(row, row + len(rows))
        rt_replay(self._memory, np.ascontiguousarray(rows), readings, entries.table, entries.blobs, commands,
                  self._found)  # fmt: skip
        entries.next = int(found["entry"])
        if self._first is None and found["row"] >= 0:
            recorded = rows[int(found["row"])]
            self._first = first_difference(recorded, found["sample"], float(found["tolerance"]), found["largest"])
        elif self._first is None and found["refused"] >= 0:
            entry = entries.table[int(found["refused"])]
            self._first = Difference(int(entry["tick"]), "request", int(entry["refusal"]), int(found["answer"]), ())
        self._ticks += len(rows)
        apart = commands - np.ascontiguousarray(rows[:, _COMMAND]).view(np.float64)
        off = np.abs(np.nan_to_num(apart, nan=np.inf))
        self._squares += float(off @ off)
        if off.max() > self._largest:
            self._largest, self._largest_tick = float(off.max()), int(rows[int(off.argmax()), _TICK])


def unbroken(expected: int, ticks: npt.NDArray[np.int64], skipped: npt.NDArray[np.int64]) -> int:
    """How many rows follow each other, the first one the tick `expected`."""
    before = np.concatenate(([expected], ticks[:-1]))
    broken = np.flatnonzero(ticks != before + 1 + skipped)
    return int(broken[0]) if len(broken) else len(ticks)
