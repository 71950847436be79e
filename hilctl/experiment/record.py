"""A stretch of the loop's time: every channel at every tick, and the state of every reading there.

    fresh      a reading of this tick
    held       the tick ran, and the device gave an older reading once more: its age grew by the time that passed
    rejected   not believed, in its place the loop's prediction; or it stands out alone
    missing    the tick did not run

The service gives one row for each tick that ran, and in it a bit for each reading that was rejected. A record has one
value for each tick: nan where it was rejected or is missing; of a command, a count or a mode the one before, which was
applied meanwhile. The columns `lost` and `held` say which, bit by bit like `rejected`. `fresh` is what an estimator
weighs by. One that needs a value at every tick asks for `bridged`: what is not fresh there follows from the fresh
readings around it (hilctl.experiment.bridge), never from the loop's prediction.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment.bridge import bridged
from hilctl.experiment.sensors import SENSED
from hilctl.signals import SENSOR_KINDS

Column = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

LOST, HELD = "lost", "held"
_BITS: dict[str, int] = {kind.channel: 1 << k for k, kind in enumerate(SENSOR_KINDS)}
_BITS["load_pressure_pa"] = _BITS["pressure_a_pa"] | _BITS["pressure_b_pa"]
# Channels with an age of their own.
_AGES = {"pressure_a_age_ns": "pressure_a_pa", "pressure_b_age_ns": "pressure_b_pa"}
AGES = tuple(_AGES)
_SAME = 0.5  # of the time that passed: a reading whose age grew by more is the one before
_MISSED = 1 << 62  # the tick did not run
_SPIKE_FROM = 50  # readings
_OUT = 60.0  # times the median second difference: jolts of acceleration reach 40
_ALIKE = 0.1  # how exactly its neighbours are half of it: jolts of acceleration reach 0.2
_APPLIED = ("u_applied", "u_cmd")  # a command stays as it is while a tick is missed


class Losses(NamedTuple):
    """What was lost of some ticks."""

    ticks: int  # due
    missed: int  # did not run
    rejected: dict[str, int]  # readings in ticks that ran, by channel; those with any
    gaps: tuple[int, ...]  # ticks in a row without all of these readings: how many each time
    held: Mapping[str, int] = MappingProxyType({})  # likewise, of those that are not rejected

    @property
    def stale(self) -> float:
        """The worst channel's share that is not fresh, lost or held: by so much intervals are wider."""
        names = {*self.rejected, *self.held}
        worst = max((self.rejected.get(name, 0) + self.held.get(name, 0) for name in names), default=0)
        return (self.missed + worst) / max(self.ticks, 1)

    @property
    def share(self) -> float:
        """The worst channel's, ticks that did not run included."""
        return (self.missed + max(self.rejected.values(), default=0)) / max(self.ticks, 1)

    @property
    def longest(self) -> int:
        """The longest gap."""
        return max(self.gaps, default=0)

    def beyond(self, ticks: int) -> int:
        """How many gaps are longer."""
        return sum(gap > ticks for gap in self.gaps)

    @property
    def text(self) -> str:
        """Empty where nothing was lost."""
        parts = [f"{self.missed} ticks did not run"] if self.missed else []
        counts = set(self.rejected.values())
        if len(self.rejected) > 1 and len(counts) == 1:
            parts += [f"{counts.pop()} readings of each sensor were rejected"]
        else:
            parts += [f"{count} readings of {name} were rejected" for name, count in self.rejected.items()]
        if not parts:
            return ""
        return f"of {self.ticks} ticks, {', '.join(parts)}; at most {self.longest} in a row"

    @property
    def held_text(self) -> str:
        """Empty where nothing was held."""
        if not self.held:
            return ""
        share = max(self.held.values()) / self.ticks
        return (
            f"{100 * share:.0f} % of the readings of {' and '.join(self.held)} are held: the device "
            "delivers them less often than the loop runs; intervals are wider"
        )


class Record(Mapping[str, Column]):
    """Every tick from the first to the last."""

    def __init__(self, columns: Mapping[str, Column], rate_hz: float) -> None:
        self.columns, self.rate_hz = dict(columns), rate_hz

    def __getitem__(self, channel: str) -> Column:
        return self.columns[channel]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def ticks(self) -> int:
        """How many there are."""
        return len(self.columns["tick"])

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.ticks / self.rate_hz

    def readings(self, channel: str) -> Column:
        """A channel, nan where it is not fresh."""
        return np.where(fresh(self, channel), self[channel], np.nan)

    @cached_property
    def bridged(self) -> "Record":
        """With a value at every tick; the columns `lost` and `held` still say which are none of their tick."""
        columns = dict(self.columns)
        for name, values in self.columns.items():
            if values.dtype.kind == "f" and name not in _APPLIED:
                gone = ~fresh(self, name)
                columns[name] = bridged(values, gone, runs(gone) if name in _BITS else ())
        return Record(columns, self.rate_hz)

    def part(self, ticks: slice) -> "Record":
        """A part of it."""
        return Record({name: column[ticks] for name, column in self.columns.items()}, self.rate_hz)

    def gaps(self, channels: Sequence[str], beyond: int = 0) -> list[slice]:
        """Where more ticks in a row than that have not all of these readings."""
        return [part for part in runs(lost(self, *channels)) if part.stop - part.start > beyond]

    def losses(self, channels: Sequence[str]) -> Losses:
        """Of these channels together."""
        gone = self[LOST]
        missed = gone & _MISSED != 0
        rejected = {c: int(np.count_nonzero(gone[~missed] & _BITS[c])) for c in channels if c in _BITS}
        held = {c: int(np.count_nonzero(~lost(self, c) & ~fresh(self, c))) for c in channels if c in _BITS}
        return Losses(
            self.ticks, int(np.count_nonzero(missed)), {c: n for c, n in rejected.items() if n},
            tuple(part.stop - part.start for part in self.gaps(channels)), {c: n for c, n in held.items() if n},
        )  # fmt: skip


def lost(samples: Mapping[str, Column], *channels: str) -> Mask:
    """Where the tick did not run, or one of these readings was rejected."""
    return np.asarray(samples[LOST] & (_MISSED | _of(channels)) != 0)


def fresh(samples: Mapping[str, Column], *channels: str) -> Mask:
    """Where the tick ran and all of these channels are readings of it."""
    there = ~lost(samples, *channels)
    return there if HELD not in samples else there & (samples[HELD] & _of(channels) == 0)


def _of(channels: Sequence[str]) -> int:
    bits = 0
    for channel in channels:
        bits |= _BITS.get(channel, 0)
    return bits


def runs(gone: Mask) -> list[slice]:
    """Where they are in a row."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], gone.astype(np.int8), [0]))))
    return [slice(int(first), int(end)) for first, end in edges.reshape(-1, 2)]


def longest(gone: Mask) -> int:
    """The most in a row."""
    return max((part.stop - part.start for part in runs(gone)), default=0)


def record_of(samples: Mapping[str, Any], rate_hz: float) -> Record:
    """From the rows that the service gave, in the order of their ticks; they hold `tick` and `rejected`."""
    ticks = np.asarray(samples["tick"], np.int64)
    if not len(ticks):
        none = np.zeros(0, np.int64)
        return Record({**{name: np.asarray(c) for name, c in samples.items()}, LOST: none, HELD: none}, rate_hz)
    every = np.arange(ticks[0], ticks[-1] + 1)
    at = ticks - ticks[0]
    before = np.searchsorted(ticks, every, "right") - 1
    gone = np.full(len(every), _MISSED, np.int64)
    gone[at] = np.asarray(samples["rejected"], np.int64)
    held = np.zeros(len(every), np.int64)
    for age, name in _AGES.items():
        if age in samples:
            older = np.diff(np.asarray(samples[age], float)) > _SAME * np.diff(ticks) * 1e9 / rate_hz
            held[at[1:][older]] |= _BITS[name]
    for name in SENSED:
        if name in samples:
            there = fresh({LOST: gone}, name)
            stands_out = spikes(np.where(there, np.asarray(samples[name], np.float64)[before], np.nan))
            gone[stands_out] |= _BITS[name]
    columns: dict[str, Column] = {}
    for name, values in samples.items():
        given = np.asarray(values)[before]
        if name not in _APPLIED and given.dtype.kind == "f":
            given = np.where(lost({LOST: gone}, name), np.nan, given)
        columns[name] = given
    columns["tick"], columns[LOST], columns[HELD] = every, gone, held
    return Record(columns, rate_hz)


def spikes(values: Column) -> Mask:
    """Single readings that stand out: a disturbed line gives a value that is in range, and no motion makes.

    One reading that is off by h has the second differences -h, 2h, -h; neither noise nor a step has them.
    """
    found = np.zeros(len(values), bool)
    bend = np.diff(values, 2)
    size = np.abs(bend)
    some = size[(size > 0) & np.isfinite(size)]
    if len(bend) < _SPIKE_FROM or not len(some):
        return found
    middle, before, after = bend[1:-1], bend[:-2], bend[2:]
    alone: Column = np.maximum(np.abs(before + 0.5 * middle), np.abs(after + 0.5 * middle)) < _ALIKE * np.abs(middle)
    found[2:-2] = alone & (np.abs(middle) > _OUT * float(np.median(some)))
    return found
