"""A recording copied from the rig's disk to ours, piece by piece."""

import os
from contextlib import suppress
from pathlib import Path

from hilctl.client.asker import Asker
from hilctl.errors import WrongUse


def download(rig: Asker, name: str, target: Path) -> Path:
    """The copy, whole or not at all; another file is never overwritten."""
    if target.is_dir():
        target = target / name
    if target.exists():
        raise WrongUse(f"{target} exists already; name another file")
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with draft.open("xb") as file:
            at: int | None = 0
            while at is not None:
                piece = rig.ask("download", name=name, offset=at)
                file.write(piece["data"])
                at = piece["next"]
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    return target
