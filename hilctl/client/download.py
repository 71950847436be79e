"""A recording, or a file of a job, copied from the rig's disk to ours, piece by piece."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from hilctl.client.asker import Asker
from hilctl.errors import WrongUse

Progress = Callable[[int, int], None]  # bytes that have come, and all


def unheard(done: int, of: int) -> None:
    """For who does not want to know."""


def pieces(rig: Asker, name: str, job: int = 0, progress: Progress = unheard) -> Iterator[bytes]:
    """What it holds, in order. `job`: a file of this job."""
    at: int | None = 0
    while at is not None:
        piece = rig.ask("download", name=name, offset=at, **({"job": job} if job else {}))
        progress(at + len(piece["data"]), piece["bytes"])
        yield piece["data"]
        at = piece["next"]


def download(rig: Asker, name: str, target: Path, job: int = 0, progress: Progress = unheard) -> Path:
    """The copy, whole or not at all; another file is never overwritten."""
    if target.is_dir():
        target = target / name
    if target.exists():
        raise WrongUse(f"{target} exists already; name another file")
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with draft.open("xb") as file:
            for data in pieces(rig, name, job, progress):
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    return target
