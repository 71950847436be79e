"""What waits for the file: rows, events, changes and a replay's inputs that are written in one go."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.recording.layout import Change, Event, Known, Taken

Block = tuple[int, npt.NDArray[Any]]  # sequence number of its first row, and the rows


class Batch(NamedTuple):
    """What is written in one go."""

    blocks: list[Block]
    events: list[Event]
    changes: list[Change]
    inputs: list[Taken | Known]

    def then(self, more: "Batch") -> "Batch":
        """Both."""
        return Batch(
            self.blocks + more.blocks,
            self.events + more.events,
            self.changes + more.changes,
            self.inputs + more.inputs,
        )

    @property
    def rows(self) -> int:
        """How many."""
        return sum(len(rows) for _, rows in self.blocks)

    def split(self, number: int, tick: int) -> "tuple[Batch, Batch]":
        """What belongs before the row of this sequence number, the first one after `tick`; and the rest."""
        before, after = nothing(), nothing()
        for first, rows in self.blocks:
            head = min(max(number - first, 0), len(rows))
            if head:
                before.blocks.append((first, rows[:head]))
            if head < len(rows):
                after.blocks.append((first + head, rows[head:]))
        for event in self.events:
            (before if event.tick <= tick else after).events.append(event)
        for change in self.changes:
            (before if change.tick <= tick else after).changes.append(change)
        for one in self.inputs:
            if isinstance(one, Known):
                (before if one.row < number else after).inputs.append(one)
                continue
            if one.tick <= tick:
                before.inputs.append(one)
            if one.tick + one.between > tick:  # right after that tick: its number says whether it is before the state
                after.inputs.append(one)
        return before, after

    def joined(self) -> list[Block]:
        """The blocks; those that follow each other as one: one write instead of many."""
        runs: list[tuple[int, list[npt.NDArray[Any]]]] = []
        expected = None
        for first, rows in self.blocks:
            if first == expected:
                runs[-1][1].append(rows)
            else:
                runs.append((first, [rows]))
            expected = first + len(rows)
        return [(first, np.concatenate(rows) if len(rows) > 1 else rows[0]) for first, rows in runs]


def nothing() -> Batch:
    """An empty one, to be filled."""
    return Batch([], [], [], [])
