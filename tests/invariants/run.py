"""What a sequence left behind, laid out for the judges: rows and truth tick by tick, and what was done to the rig."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hilctl.signals import Mode, Status
from tests.invariants.script import CLIENTS, Note, Play
from tests.invariants.session import joined


class Motion(NamedTuple):
    """A motion that was accepted, as it was planned, and the rows until the next one."""

    begin: int
    end: int
    low_m: float
    high_m: float
    speed_m_s: float
    peak_m_s2: float


class Run:
    """Rows, and the truth of the same ticks."""

    def __init__(self, play: Play) -> None:
        session = play.session
        self.name, self.rig, self.dt_s = play.rig, session.rig, session.period_s
        self.limits = self.rig.tables.limits
        self.notes: list[Note] = play.notes
        self.sets: dict[int, Any] = play.sets
        self.rows: Any = joined(session.rows)
        self.leases: list[tuple[int, bool]] = session.leases
        truth = joined(session.truth)
        self.tick = self.rows["tick"]
        at = np.minimum(np.searchsorted(truth["tick"], self.tick), len(truth) - 1)
        self.truth: Any = truth[at]
        # Ticks without an exchange are known when the link is back: at the end of a run perhaps not.
        unknown = self.tick > truth["tick"][-1]
        self.truth["v_most"][unknown] = self.truth["a_most"][unknown] = 0.0
        self.mode, self.trip = self.rows["mode"], self.rows["trip"]

    def ticks(self, seconds: float) -> int:
        """So many ticks."""
        return round(seconds / self.dt_s)

    def at(self, tick: int) -> int:
        """The index of the first row after a tick."""
        return int(np.searchsorted(self.tick, tick, side="right"))

    def within(self, before: Any, seconds: float) -> Any:
        """Where something was the case in the last so many seconds."""
        hits = np.flatnonzero(before)
        out = np.zeros(len(before), bool)
        if not len(hits):
            return out
        last = np.searchsorted(hits, np.arange(len(before)), side="right") - 1
        seen = last >= 0
        out[seen] = self.tick[seen] - self.tick[hits[last[seen]]] <= self.ticks(seconds)
        return out

    def noted(self, *words: str, after_s: float = 0.0) -> Any:
        """Ticks in which a line that begins so was played, and so long after."""
        out = np.zeros(len(self.tick), bool)
        for note in self.notes:
            if note.line.split()[: len(words)] == list(words):
                out[self.shown(note) : self.at(note.last + self.ticks(after_s))] = True
        return out

    def shown(self, note: Any) -> int:
        """The first row in which a line may show: what happens without a link is played when there is one again."""
        k = self.at(note.first)
        while k > 0 and self.rows["status"][k - 1] == Status.CLOSED:
            k -= 1
        return k

    def highest(self, values: Any, seconds: float) -> Any:
        """The greatest value of the last so many seconds, in every row."""
        out = values.copy()
        reach, done = self.ticks(seconds), 0
        while done < reach:  # a window that doubles
            step = min(done + 1, reach - done)
            np.maximum(out[step:], out[:-step].copy(), out=out[step:])
            done += step
        return out

    def summed(self, values: Any, seconds: float) -> Any:
        """The sum over the last so many seconds, in every row."""
        total = np.concatenate(([0], np.cumsum(values)))
        before = np.searchsorted(self.tick, self.tick - self.ticks(seconds), side="left")
        return total[1:] - total[before]

    def measured(self, x_m: Any, at: slice) -> Any:
        """A true position as the rig's own set of parameters converts it."""
        epochs = self.rows["epoch"][at]
        out = np.array(x_m)
        for epoch in np.unique(epochs):
            sensor = self.sets[int(epoch)].tables.sensors.displacement
            here = epochs == epoch
            out[here] = sensor.gain * (out[here] - sensor.offset)
        return out

    def epochs(self, of: Any) -> Any:
        """Rows under a parameter set of which this holds."""
        return np.isin(self.rows["epoch"], [epoch for epoch, rig in self.sets.items() if of(rig.tables)])

    @cached_property
    def motions(self) -> list[Motion]:
        """Every motion that was accepted."""
        made = [
            (note.reply["result"]["tick"], note.reply["result"]["extremes"]) for note in self.accepted("move", "track")
        ]
        begins = [self.at(tick - 1) for tick, _ in made]
        ends = [*begins, len(self.tick)][1:]
        return [
            Motion(begin, end, most["x_low_m"], most["x_high_m"], most["v_m_s"], most["a_m_s2"])
            for begin, end, (_, most) in zip(begins, ends, made, strict=True)
        ]

    @cached_property
    def moving(self) -> Any:
        """The true speed, the greatest of each tick."""
        return self.truth["v_most"]

    @cached_property
    def armed(self) -> Any:
        """The rig can be moved by us."""
        return (self.mode != Mode.OFF) & (self.rows["enabled"] != 0)

    def accepted(self, *verbs: str) -> list[Note]:
        """Requests that were taken."""
        return [n for n in self.notes if n.ok and len(n.line.split()) > 1 and n.line.split()[0] in CLIENTS
                and n.line.split()[1] in verbs]  # fmt: skip
