"""Whether the disk of the recordings takes what a recording of every channel writes, and for how many hours.

Measured as the recorder writes: what has come between two flushes, then fsync.
"""

import os
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from hilctl.doctor.finding import Finding, Wish
from hilctl.recording.room import MB, free_bytes
from hilctl.signals import SAMPLE

_FLUSHES, _LONGEST_S, _MOST_BYTES = 8, 2.0, 64 * MB
_SHIFT_H = 8.0
_CROWDED = 0.5  # of a flush's time: beyond it, another program that writes makes the queue grow


class Disk(NamedTuple):
    """What was measured in the folder, or in the closest one above it that exists."""

    folder: str
    free_bytes: int = -1  # not known
    flushes_s: tuple[float, ...] = ()  # each: writing what comes between two flushes, and fsync
    problem: str = ""


def bytes_per_s(wish: Wish) -> float:
    """Of a recording."""
    return SAMPLE.itemsize * wish.rate_hz


def measure(folder: Path, wish: Wish) -> Disk:
    """Writes a file without a name, for two seconds at most; nothing of it stays."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    free = -1
    try:
        free = free_bytes(there)
        size = min(int(bytes_per_s(wish) / wish.flush_hz), _MOST_BYTES // _FLUSHES)
        spent: list[float] = []
        data = os.urandom(size)  # a file system that compresses gains nothing
        with tempfile.TemporaryFile(dir=there) as file:
            begun_s = time.monotonic()
            while len(spent) < _FLUSHES and time.monotonic() - begun_s < _LONGEST_S:
                one_s = time.monotonic()
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                spent.append(time.monotonic() - one_s)
    except OSError as error:
        return Disk(str(folder), free, (), error.strerror or str(error))
    return Disk(str(folder), free, tuple(spent))


def speed(disk: Disk, wish: Wish) -> Finding:
    """Against what this rig's recordings need."""
    need = bytes_per_s(wish) / MB
    wanted = f"{need:.3g} MB/s, every channel at {wish.rate_hz:g} Hz, flushed {wish.flush_hz:g} times a second"
    if disk.problem:
        how = f"let this user write there (chown {_user()} {disk.folder}), or set recording.folder in the rig file"
        if "space" in disk.problem.lower():
            how = f"remove old recordings (`hilctl recordings`; {disk.folder}), or set recording.folder in the rig file"
        return Finding("disk", "bad", f"{disk.folder} cannot be written: {disk.problem}", wanted, how)
    if not disk.flushes_s:
        return Finding("disk", "unknown", "not measured", wanted)
    mean_s, slowest_s, due_s = sum(disk.flushes_s) / len(disk.flushes_s), max(disk.flushes_s), 1 / wish.flush_hz
    found = f"{need * due_s / mean_s:.3g} MB/s, slowest flush {1000 * slowest_s:.3g} ms of {1000 * due_s:.0f} ms"
    how = "set recording.folder in the rig file to a local solid-state disk, or lower recording.flush_hz"
    if mean_s > due_s or slowest_s > wish.queue_s:
        return Finding("disk", "bad", found, wanted, how)
    if mean_s > _CROWDED * due_s or slowest_s > _CROWDED * wish.queue_s:
        return Finding("disk", "better", found, wanted, how)
    return Finding("disk", "good", found, wanted)


def space(disk: Disk, wish: Wish) -> Finding:
    """In hours of recording, down to `recording.free_mb`."""
    wanted = f"{_SHIFT_H:g} h of recording above recording.free_mb = {wish.free_mb:g} MB"
    if disk.free_bytes < 0:
        return Finding("disk space", "unknown", f"of {disk.folder}: {disk.problem or 'not reported'}", wanted)
    left = disk.free_bytes - wish.free_mb * MB
    hours = max(left, 0.0) / bytes_per_s(wish) / 3600
    found = f"{disk.free_bytes / 1e9:.3g} GB free, {hours:.3g} h of recording"
    how = f"remove old recordings (`hilctl recordings`; {disk.folder}), or set recording.folder in the rig file"
    if left <= 0:
        return Finding("disk space", "bad", found, wanted, how)
    return Finding("disk space", "good" if hours >= _SHIFT_H else "better", found, wanted, how * (hours < _SHIFT_H))


def _user() -> str:
    return os.environ.get("USER") or str(os.getuid())
