"""The recordings of this run that have ended: where a sample is found that memory holds no longer."""

from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from hilctl.recording.recorder import State

KEPT = 1024


class Span(NamedTuple):
    """The samples of a file, by sequence number; in between some may be missing."""

    path: Path
    first: int
    last: int


class Shelf:
    """What was recorded, the newest last."""

    def __init__(self) -> None:
        self._spans: deque[Span] = deque(maxlen=KEPT)

    def __iter__(self) -> Any:
        return iter(self._spans)

    def add(self, ended: State) -> None:
        """A recording that has ended, in order or not. One that is reported twice is put there once."""
        span = Span(Path(ended.path), ended.first, ended.flushed)
        span = max([span, *(known for known in self._spans if known.path == span.path)], key=lambda one: one.last)
        self.forget(span.path)
        if ended.path and 0 <= span.first <= span.last:
            self._spans.append(span)

    def forget(self, path: Path) -> None:
        """This one was deleted."""
        for known in [span for span in self._spans if span.path == path]:
            self._spans.remove(known)

    def find(self, number: int) -> Span | None:
        """The newest that has this sample."""
        return next((span for span in reversed(self._spans) if span.first <= number <= span.last), None)

    def told(self) -> str:
        """What there is, in words."""
        spans = [f"{span.path.name} samples {span.first} to {span.last}" for span in list(self._spans)[-3:]]
        return f"recordings of this run hold {', '.join(reversed(spans))}" if spans else "nothing was recorded"


def read_span(span: Span, first: int, end: int, every: int) -> npt.NDArray[Any]:
    """Its samples by sequence number, from the disk; OSError where the file is gone."""
    from hilctl.recording.reader import open_recording
    from hilctl.signals import SAMPLE

    with open_recording(span.path) as recording:
        return recording.numbered(first, end, every).view(SAMPLE)
