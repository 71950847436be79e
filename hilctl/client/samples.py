"""The client's part for numbers in bulk: histories that are uploaded, samples that are fetched."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hilctl.client.asker import Asker
from hilctl.client.download import Progress, unheard
from hilctl.wire.encode import arrays_of
from hilctl.wire.op import LAST, MAX_CHUNK


class Samples(Asker):
    """Uploads histories, fetches samples."""

    def upload(
        self,
        name: str,
        values: Sequence[float] | npt.NDArray[Any],
        quantity: Literal["displacement", "acceleration"],
        *,
        interval_s: float = 0.0,
        times_s: Sequence[float] | npt.NDArray[Any] | None = None,
        progress: Progress = unheard,
    ) -> float:
        """Sends a history, evenly spaced or with its times; returns how long it is in seconds."""
        numbers = np.ascontiguousarray(values, "<f8")
        if times_s is not None:
            numbers, interval_s = np.column_stack((np.asarray(times_s, "<f8"), numbers)).ravel(), 0.0
        self.ask("waveform", name=name, action="begin", quantity=quantity, interval_s=interval_s, count=len(numbers))
        step = MAX_CHUNK // 8
        for offset in range(0, len(numbers), step):
            chunk = numbers[offset : offset + step].tobytes()
            self.ask("waveform", name=name, action="chunk", offset=offset, data=chunk)
            progress(offset + len(chunk) // 8, len(numbers))
        return float(self.ask("waveform", name=name, action="end")["seconds"])

    def samples(
        self,
        first: int,
        last: int | None = None,
        channels: Sequence[str] = (),
        *,
        every: int = 1,
        keep: bool = False,
    ) -> dict[str, npt.NDArray[Any]]:
        """Samples by sequence number, up to the newest when `last` is not given, as one array a channel.

        None is missing.
        """
        pages: list[dict[str, npt.NDArray[Any]]] = []
        goal, at = LAST if last is None else last, first
        while True:
            page = self.ask("fetch", first=at, last=goal, channels=list(channels), every=every, keep=keep)
            if last is None:
                goal = page["end"] - 1  # what comes while we fetch is not asked for
            if page["count"] or not pages:
                pages.append(arrays_of(page["columns"]))
            if page["next"] is None:
                break
            at = page["next"]
        return {name: np.concatenate([page[name] for page in pages]) for name in pages[0]}
