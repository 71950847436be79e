"""The legs of a long work on the disk, as they come: what was measured is not measured again.

    with journal.kept(folder):
        ...                       every leg that is driven in here is stored in the folder

A leg is known by its name and by how many of that name came before it. One that stands in the folder is taken from
there, and nothing moves; so the same work done again in the same folder is the same up to where it was cut off, and
goes on from there. A file that cannot be read is a leg that was not measured.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from hilctl.experiment import store

FORMAT = 1
_ACTIVE: ContextVar["Journal | None"] = ContextVar("journal", default=None)


class Journal:
    """A folder of legs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: Counter[str] = Counter()
        self._name, self._path = "", folder

    def taken(self, name: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Head and rows of the next leg of this name, where it was measured before."""
        plain = _plain(name)  # names may differ in more than a file's name can show
        self._seen[plain] += 1
        self._name, self._path = name, self.folder / f"{plain}-{self._seen[plain]:02d}.npz"
        try:
            head, rows = store.load(self._path, FORMAT, "leg", "measure it")
        except (store.NotKept, OSError):
            return None
        return (head, rows) if head["name"] == name else None

    def keep(self, head: Mapping[str, Any], rows: Mapping[str, Any]) -> None:
        """The leg that was asked for last, complete or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        head = {"format": FORMAT, "name": self._name, "order": self._seen.total(), **head}
        store.save(self._path, head, rows, packed=False)


def held(folder: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Head and rows of every leg, in the order of the work."""
    files = sorted(folder.glob("*.npz"), key=lambda path: path.stat().st_mtime_ns)
    found = [store.load(path, FORMAT, "leg", "measure it") for path in files]
    if all("order" in head for head, _ in found):  # a copy's files may all be of one instant; older legs say no order
        found.sort(key=lambda leg: int(leg[0]["order"]))
    return found


def active() -> Journal | None:
    """The one that legs are kept in now."""
    return _ACTIVE.get()


@contextmanager
def kept(folder: Path | None) -> Iterator[Journal | None]:
    """Legs are kept in this folder meanwhile; None: nowhere, where the experiment keeps its own."""
    journal = None if folder is None else Journal(folder)
    token = _ACTIVE.set(journal)
    try:
        yield journal
    finally:
        _ACTIVE.reset(token)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")
