"""Stored measurements judged again, many at once, over the workers of a study: what was measured then, by today's
judgement and fits. A measurement travels as the bytes of its files, so that a cluster needs no shared disk. One that
cannot be judged keeps its reason, and the others are done.
"""

import csv
import hashlib
import io
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from hilctl.errors import SPOILT, HilctlError, WrongUse
from hilctl.experiment import course
from hilctl.experiment.store import write
from hilctl.identify.again import KINDS, Row
from hilctl.results.refitted import Refitted
from hilctl.results.stored import as_json
from hilctl.study.program import need_same, program

TABLE, RESULT = "fits.csv", "fits.json"
_HEAD = ("folder", "rig", "begun", "model", "explained_percent", "refused")


class _Facts(msgspec.Struct):
    rig: str = ""


class _Plan(msgspec.Struct):
    """What the plans of all kinds say."""

    begun: str = ""
    rig: str = ""
    facts: _Facts = msgspec.field(default_factory=_Facts)


def judge(expected: Mapping[str, str], kind: str, packed: bytes) -> bytes:
    """One measurement, as JSON; what cannot be judged says why."""
    need_same(expected, "a worker")
    found, files = KINDS[kind], msgspec.msgpack.decode(packed)
    try:
        plan = msgspec.json.decode(next(content for name, _, content in files if name == found.plan), type=_Plan)
    except (msgspec.DecodeError, UnicodeDecodeError):
        plan = _Plan()
    result, row = None, Row("", None, {})
    with TemporaryDirectory(prefix="hilctl-again-") as place:
        for name, changed_ns, content in files:
            file = Path(place) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            os.utime(file, ns=(changed_ns, changed_ns))
        try:
            result = found.judged(Path(place))
            row = found.row(result)
        except HilctlError as error:
            row = row._replace(refused=error.text)
        except SPOILT as error:
            why = f"its files cannot be judged ({type(error).__name__}: {error})"
            row = row._replace(refused=f"{why}; copy them again, or measure again")
    return as_json(Refitted(
        folder="", rig=plan.rig or plan.facts.rig, begun=plan.begun, model=row.model,
        explained_percent=row.explained_percent, parameters=dict(row.parameters),
        refused=row.refused.replace(f"{place}/", "").replace(place, "the folder"),
        result=None if result is None else msgspec.json.decode(as_json(result, indent=0)),
    ), indent=0)  # fmt: skip


class Fits:
    """Measurements of a kind, and their results, which are kept under a hash of the files and of the program."""

    def __init__(self, kind: str, folders: list[Path], out: Path) -> None:
        self._kind, self.folders, self.out = kind, folders, out
        plan, mine = KINDS[kind].plan, msgspec.json.encode((kind, program()))
        self._names: dict[int, str] = {}
        self._refused: dict[int, str] = {}
        for number, folder in enumerate(folders):
            try:
                self._names[number] = hashlib.sha256(mine + _packed(folder, plan)).hexdigest()[:24]
            except FileNotFoundError:
                self._refused[number] = f"it has no {plan}: it holds no measurement that this version can judge"
            except OSError as error:
                self._refused[number] = f"{error.filename}: {error.strerror}"
        if not self._names:
            raise WrongUse(f"{', '.join(map(str, folders))}: holds no {plan} that can be read; give the folders that "
                           f"`hilctl identify {kind}` left")  # fmt: skip

    @property
    def total(self) -> int:
        """See Work."""
        return len(self._names)

    def missing(self) -> list[int]:
        """See Work."""
        return [number for number in self._names if self._read(number) is None]

    def call(self, number: int) -> tuple[Any, ...]:
        """See Work."""
        return judge, program(), self._kind, _packed(self.folders[number], KINDS[self._kind].plan)

    def keep(self, number: int, content: bytes) -> None:
        """See Work."""
        msgspec.json.decode(content, type=Refitted)
        self._file(number).parent.mkdir(parents=True, exist_ok=True)
        write(self._file(number), content)

    def told(self, number: int) -> str:
        """See Work."""
        return str(self.folders[number])

    def without(self, number: int, why: str) -> bool:
        """See Work."""
        self._refused[number] = why
        return True

    def _file(self, number: int) -> Path:
        return self.out / "fits" / f"{self._names[number]}.json"

    def _read(self, number: int) -> Refitted | None:
        try:
            return msgspec.json.decode(self._file(number).read_bytes(), type=Refitted)
        except (OSError, msgspec.DecodeError):
            return None

    def concluded(self) -> list[Refitted]:
        """All of them in the order of the folders, and in a table and one JSON file."""
        found = [self._concluded(number, folder) for number, folder in enumerate(self.folders)]
        write(self.out / RESULT, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
        write(self.out / TABLE, _table(found))
        return found

    def _concluded(self, number: int, folder: Path) -> Refitted:
        made = self._read(number) if number in self._names else None
        if made is None:
            return Refitted(folder=str(folder), refused=self._refused[number])
        result = None if made.result is None else {**made.result, "folder": str(folder)}
        return msgspec.structs.replace(made, folder=str(folder), result=result)


def _packed(folder: Path, plan: str) -> bytes:
    """The plan, and what else was measured: name, instant of the last change, content; always in the same order."""
    beside = [file for file in (folder / course.PREPARED,) if file.is_file()]
    legs = sorted(file for file in (folder / course.LEGS).rglob("*") if file.is_file())
    return msgspec.msgpack.encode([
        (str(PurePosixPath(file.relative_to(folder))), file.stat().st_mtime_ns, file.read_bytes())
        for file in (folder / plan, *beside, *legs)
    ])  # fmt: skip


def _table(found: list[Refitted]) -> bytes:
    names = list(dict.fromkeys(name for one in found for name in one.parameters))
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow([*_HEAD, *(f"{name}{end}" for name in names for end in ("", "_low", "_high"))])
    for one in found:
        row: list[object] = [getattr(one, name) for name in _HEAD]
        for name in names:
            q = one.parameters.get(name)
            row += ["", "", ""] if q is None else [q.value, q.low, q.high]
        lines.writerow(["" if cell is None else cell for cell in row])
    return out.getvalue().encode()
