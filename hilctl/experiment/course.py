"""What a long work was asked for, on which rig, and under which parameters: what must be the same to go on with it.

    course.json     written before anything moves
    prepared.json   the preparation, once it is done
    legs/           every motion, as it was measured (hilctl.experiment.journal)
    friction/       of a commissioning: the friction campaign, which keeps its own
"""

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from hilctl import __version__
from hilctl.experiment import store
from hilctl.experiment.facts import Facts
from hilctl.results.prepared import Prepared

FORMAT = 1
PLAN, PREPARED = "course.json", "prepared.json"
LEGS = "legs"
_SHOWN = 5  # differences, in a message


class Course(msgspec.Struct, frozen=True):
    """As it is stored."""

    format: int
    begun: str  # date and time, UTC
    rig: str
    rate_hz: float
    values: dict[str, Any]  # the active parameters
    asked: dict[str, Any]
    author: str = ""
    work: str = "commissioning"
    version: str = ""  # of hilctl; older ones did not say it

    @property
    def facts(self) -> Facts:
        """The rig as it was."""
        return Facts(self.rig, self.rate_hz, 0, self.values)

    def differences(self, other: "Course") -> list[str]:
        """What is not the same in another."""
        found = [
            f"{name} was {getattr(self, name)}, is {getattr(other, name)}" for name in ("rig", "rate_hz")
            if getattr(self, name) != getattr(other, name)
        ]  # fmt: skip
        for then, here in ((self.asked, other.asked), (self.values, other.values)):
            found += [
                f"{key} was {then.get(key)}, is {here.get(key)}" for key in sorted({*then, *here})
                if then.get(key) != here.get(key)
            ]  # fmt: skip
        return found

    def unknown_to(self, other: "Course") -> list[str]:
        """Parameters that only one of both has: it was begun by another version, or under another friction model."""
        both = sorted(self.values.keys() ^ other.values.keys())
        return [key for key in both if not key.startswith("friction.")]


def now(
    rig: str, rate_hz: float, values: Mapping[str, Any], asked: Mapping[str, Any], author: str = "",
    work: str = "commissioning",
) -> Course:  # fmt: skip
    """One that begins."""
    plain = msgspec.json.decode(msgspec.json.encode({"values": dict(values), "asked": dict(asked)}))
    date = datetime.now(UTC).isoformat(timespec="seconds")
    return Course(FORMAT, date, rig, rate_hz, plain["values"], plain["asked"], author, work, __version__)


def begun(folder: Path, course: Course) -> None:
    """A new one, in a folder that holds none; StoreError otherwise."""
    store.begin(folder / PLAN, course, course.work)


def opened(folder: Path, work: str = "commissioning") -> Course:
    """The one that the folder holds; StoreError where it holds none of this work."""
    found = store.opened(folder / PLAN, Course, FORMAT, work)
    if found.work != work:
        raise store.StoreError(f"{folder} holds the {found.work}, not the {work}; name another folder")
    return found


def resumed(folder: Path, course: Course) -> None:
    """StoreError where the folder holds none, or one that was begun otherwise."""
    then = opened(folder, course.work)
    other = then.unknown_to(course)
    if other:
        more = f" and {len(other) - _SHOWN} more" if len(other) > _SHOWN else ""
        by = f"hilctl {then.version}" if then.version else "an older hilctl"
        raise store.StoreError(
            f"{folder / PLAN} was begun by {by}, this is {__version__}, and only one of them knows the parameters "
            f"{', '.join(other[:_SHOWN])}{more}: continue with the version that began it, or begin a new {course.work} "
            "in another folder"
        )
    found = then.differences(course)
    if found:
        more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise store.StoreError(
            f"{folder} was begun otherwise: {'; '.join(found[:_SHOWN])}{more}; restore that and continue, or begin a "
            f"new {course.work} in another folder"
        )


def is_begun(folder: Path) -> bool:
    """Whether the folder holds a commissioning, or a friction campaign."""
    return any((folder / name).exists() for name in (PLAN, "friction"))


def author_of(folder: Path) -> str:
    """The author that was named; empty where none was, or nothing is held."""
    try:
        return opened(folder).author
    except store.StoreError:
        return ""


def forgotten(folder: Path) -> bool:
    """What the folder held of another commissioning is deleted; whether there was any."""
    found = [path for name in (PLAN, PREPARED, LEGS, "friction", "only") if (path := folder / name).exists()]
    for path in found:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return bool(found)


def keep_prepared(folder: Path, made: Prepared) -> None:
    """The preparation is done."""
    store.write(folder / PREPARED, store.as_json(made))


def prepared(folder: Path) -> Prepared | None:
    """The preparation, where it was done before."""
    try:
        return msgspec.json.decode((folder / PREPARED).read_bytes(), type=Prepared)
    except (OSError, msgspec.DecodeError):
        return None

