"""A study's folder: its plan, a file for each finished chunk, the table, the summary and the page.

A file is whole or absent. One process at a time works in it. What was finished before is not computed again.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from hilctl.errors import HilctlError, WrongUse
from hilctl.experiment.store import StoreError, opened, write
from hilctl.study.plan import FORMAT, Plan
from hilctl.study.work import Chunk, compute

PLAN, RESULT = "study-plan.json", "study-runs.json"


class Folder:
    """One study on disk."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path, self.plan = path, plan
        self.content = msgspec.json.encode(plan)

    @classmethod
    def begin(cls, path: Path, plan: Plan) -> "Folder":
        """A new one; StoreError where there is one already."""
        if (path / PLAN).exists():
            raise StoreError(f"{path} already holds a study; continue it (`hilctl study {path} --resume`), or name "
                             "another folder (--out)")  # fmt: skip
        made = cls(path, plan)
        made._chunks.mkdir(parents=True, exist_ok=True)
        write(path / PLAN, made.content)
        return made

    @classmethod
    def open(cls, path: Path) -> "Folder":
        """One that was begun."""
        if not (path / PLAN).is_file():
            raise WrongUse(f"{path}: is no folder of a study: it has no {PLAN}; give the folder that `hilctl study` "
                           "printed")  # fmt: skip
        return cls(path, opened(path / PLAN, Plan, FORMAT, "study"))

    @property
    def _chunks(self) -> Path:
        return self.path / "chunks"

    def _file(self, number: int) -> Path:
        return self._chunks / f"{number:06d}.msgpack"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """For the process that computes."""
        file = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            raise HilctlError(f"{self.path}: another process works on this study; wait until it ends") from None
        finally:
            os.close(file)

    def put(self, content: bytes) -> Chunk:
        """Keeps a finished chunk. A second one of the same number, from a worker that was given up, changes nothing."""
        chunk = self._checked(content)
        if self.get(chunk.number) is None:
            write(self._file(chunk.number), content)
        return chunk

    @property
    def total(self) -> int:
        """See Work."""
        return self.plan.chunks

    def call(self, number: int) -> tuple[Any, ...]:
        """See Work."""
        return compute, self.content, number

    def keep(self, number: int, content: bytes) -> None:
        """See Work."""
        if self.put(content).number != number:
            raise StoreError(f"chunk {number} came back as another one")

    def told(self, number: int) -> str:
        """See Work."""
        runs = self.plan.chunk_runs(number)
        return f"runs {runs.start} to {runs.stop - 1}"

    def without(self, number: int, why: str) -> bool:
        """See Work."""
        return False

    def get(self, number: int) -> Chunk | None:
        """A finished chunk; None where it is missing, or was damaged."""
        try:
            chunk = self._checked(self._file(number).read_bytes())
        except (OSError, msgspec.DecodeError, StoreError):
            return None
        return chunk if chunk.number == number else None

    def _checked(self, content: bytes) -> Chunk:
        chunk = msgspec.msgpack.decode(content, type=Chunk)
        if chunk.digest != self.plan.digest or len(chunk.rows) != len(self.plan.chunk_runs(chunk.number)):
            raise StoreError(f"chunk {chunk.number} belongs to another study")
        return chunk

    def missing(self) -> list[int]:
        """Chunks that are to be computed."""
        return [number for number in range(self.plan.chunks) if self.get(number) is None]

    def finished(self) -> list[Chunk]:
        """All chunks, in their order; StoreError where some are missing."""
        chunks = [self.get(number) for number in range(self.plan.chunks)]
        done = [one for one in chunks if one is not None]
        if len(done) < len(chunks):
            raise StoreError(f"{self.path}: {len(chunks) - len(done)} of {len(chunks)} chunks are missing; "
                             f"`hilctl study {self.path} --resume` computes them")  # fmt: skip
        return done

    def row(self, run: int) -> dict[str, object] | None:
        """The stored row of a run, where its chunk is finished."""
        chunk = self.get(run // self.plan.chunk)
        return None if chunk is None else chunk.rows[run % self.plan.chunk]
