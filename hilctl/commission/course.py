"""What a commissioning was asked for, on which rig, and under which parameters: what must be the same to go on with it.

    course.json     written before anything moves
    prepared.json   the preparation, once it is done
    legs/           every motion, as it was measured (hilctl.experiment.journal)
    friction/       the friction campaign, which keeps its own
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from hilctl.experiment import store

FORMAT = 1
_FILE, _PREPARED, _WORK = "course.json", "prepared.json", "commissioning"
_SHOWN = 5  # differences, in a message


class Course(msgspec.Struct, frozen=True):
    """As it is stored."""

    format: int
    begun: str  # date and time, UTC
    rig: str
    rate_hz: float
    values: dict[str, Any]  # the active parameters
    asked: dict[str, Any]

    def differences(self, other: "Course") -> list[str]:
        """What is not the same in another."""
        found = [
            f"{name} was {getattr(self, name)}, is {getattr(other, name)}" for name in ("rig", "rate_hz")
            if getattr(self, name) != getattr(other, name)
        ]  # fmt: skip
        for then, now in ((self.asked, other.asked), (self.values, other.values)):
            found += [
                f"{key} was {then.get(key)}, is {now.get(key)}" for key in sorted({*then, *now})
                if then.get(key) != now.get(key)
            ]  # fmt: skip
        return found


def begun(folder: Path, rig: str, rate_hz: float, values: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """A new one, in a folder that holds none; StoreError otherwise."""
    store.begin(folder / _FILE, _course(rig, rate_hz, values, asked), _WORK)


def resumed(folder: Path, rig: str, rate_hz: float, values: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """StoreError where the folder holds none, or one that was begun otherwise."""
    then = store.opened(folder / _FILE, Course, FORMAT, _WORK)
    found = then.differences(_course(rig, rate_hz, values, asked))
    if found:
        more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise store.StoreError(
            f"{folder} was begun otherwise: {'; '.join(found[:_SHOWN])}{more}; restore that and continue, or begin a "
            "new commissioning in another folder"
        )


def keep_prepared(folder: Path, made: Mapping[str, Any]) -> None:
    """The preparation is done."""
    store.write(folder / _PREPARED, store.as_json(made))


def prepared(folder: Path) -> dict[str, Any] | None:
    """The preparation, where it was done before."""
    try:
        made: dict[str, Any] = msgspec.json.decode((folder / _PREPARED).read_bytes())
    except (OSError, msgspec.DecodeError):
        return None
    return made


def _course(rig: str, rate_hz: float, values: Mapping[str, Any], asked: Mapping[str, Any]) -> Course:
    plain = msgspec.json.decode(msgspec.json.encode({"values": dict(values), "asked": dict(asked)}))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Course(FORMAT, now, rig, rate_hz, plain["values"], plain["asked"])
