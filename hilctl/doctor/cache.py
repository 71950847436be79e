"""Whether compiled code can be kept, and whether this rig's is there: else its first start compiles for a minute."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from hilctl.doctor.finding import Finding
from hilctl.rt import store
from hilctl.rt.jit import PLAIN, is_warm


class Compiled(NamedTuple):
    """The cache, and how much of what a start needs is in it."""

    folder: str
    writable: bool
    kept: bool  # in that folder or, where it cannot be written, in a temporary one
    needed: int
    missing: tuple[str, ...]


def look(needed: Iterable[Any]) -> Compiled:
    """At the functions that a start needs."""
    wanted = list(needed)
    missing = () if PLAIN else tuple(one.__name__ for one in wanted if not is_warm(one))
    root = store.root()
    return Compiled(str(root), writable(root / "functions"), store.folder() is not None, len(wanted), missing)


def writable(folder: Path) -> bool:
    """Whether it is this user's to write, or can be made."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def judged(seen: Compiled, rig: str) -> Finding:
    """Kept, and there."""
    wanted = "compiled code kept from one start to the next, and compiled ahead"
    if not seen.writable:
        found = f"{seen.folder} cannot be written by this user"
        found += ": kept in a temporary folder until it is cleared" if seen.kept else ": each start compiles a minute"
        how = f"chown {os.getuid()} {seen.folder}, or set XDG_CACHE_HOME (in a unit: CacheDirectory=) to another"
        return Finding("compiled code", "better", found, wanted, how)
    if seen.missing:
        found = f"{len(seen.missing)} of {seen.needed} functions are not compiled yet: the first start takes a minute"
        return Finding("compiled code", "better", found, wanted, f"hilctl doctor {rig or 'RIG'} --warm")
    return Finding("compiled code", "good", f"{seen.needed} functions in {seen.folder}", wanted)
