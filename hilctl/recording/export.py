"""Recordings as text, for everything that reads no HDF5."""

import csv
from collections.abc import Sequence
from pathlib import Path

from hilctl.errors import WrongUse
from hilctl.params import nearest
from hilctl.recording.reader import Recording

_ROWS = 8192  # at a time: some megabytes


def export_csv(recording: Recording, path: str | Path, channels: Sequence[str] = (), every: int = 1) -> int:
    """Writes `time_s` and the channels (all when none is named); returns how many rows. Numbers keep every digit."""
    names = list(channels) or list(recording.channels)
    for name in names:
        if name not in recording.channels:
            raise WrongUse(f"no channel {name!r}; {nearest(name, recording.channels)}")
    count = 0
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["time_s", *names])
        step = _ROWS - _ROWS % every if every <= _ROWS else every
        for first in range(0, len(recording), step):
            rows = recording.rows(first, first + step, every)
            times = (rows["tick"] / recording.rate_hz).tolist()
            out.writerows(zip(times, *(rows[name].tolist() for name in names), strict=True))
            count += len(rows)
    return count
