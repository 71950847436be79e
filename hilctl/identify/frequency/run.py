"""The experiments of a study: motion after motion, each stored when it is finished.

`drive` yields after every motion, while the rig holds. The caller pauses by not asking for the next motion, stops by
not iterating further, and resumes with `Run.resume`, also in another process and after a crash. No parameter of the
rig is changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.experiment.facts import Facts, read_facts
from hilctl.experiment.record import record_of
from hilctl.experiment.sensors import SENSED
from hilctl.identify.frequency.drive import FORMAT, Driven, DynamicsFault, Header, Store, as_floats, drive, ready
from hilctl.identify.frequency.plan import Asked, Leg, check_asked, signal_of
from hilctl.identify.frequency.record import Experiment

if TYPE_CHECKING:
    from hilctl.client import Client

class Progress(NamedTuple):
    """Before each motion, and at the end."""

    done: int
    of: int
    name: str  # of the next; empty at the end
    seconds_left: float  # of rig time


class Run:
    """The experiments on a rig in hold; without a rig, those already stored."""

    def __init__(self, rig: "Client | None", store: Store) -> None:
        self.rig, self.store = rig, store

    @classmethod
    def begin(
        cls, rig: "Client", folder: str | Path, asked: Asked, facts: Facts, legs: Sequence[Leg], *, command: str = "",
        prepared: Mapping[str, Any] | None = None,
    ) -> "Run":  # fmt: skip
        """Checks and stores the plan; nothing moves yet."""
        check_asked(asked)
        ready(rig)
        header = Header(
            FORMAT, datetime.now(UTC).isoformat(timespec="seconds"), facts, asked, list(legs), command,
            dict(prepared or {}),
        )  # fmt: skip
        return cls(rig, Store.begin(Path(folder), header))

    @classmethod
    def resume(cls, rig: "Client | None", folder: str | Path) -> "Run":
        """Continues a stored study. DynamicsFault if the rig is another one, or its parameters have changed."""
        run = cls(rig, Store.open(Path(folder)))
        if rig is not None:
            same(run.store.header.facts, read_facts(rig))
        return run

    @property
    def progress(self) -> Progress:
        """Motions done, and what is left."""
        legs, left = self.store.header.legs, self.store.left
        name = legs[left[0]].name if left else ""
        return Progress(len(legs) - len(left), len(legs), name, sum(legs[index].seconds for index in left))

    def drive(self) -> Iterator[Driven]:
        """Drives the remaining motions. DynamicsFault says what is wrong; finished motions stay."""
        header = self.store.header
        left = self.store.left
        if left and self.rig is None:
            raise DynamicsFault(f"{len(left)} motions are not driven yet; name the rig, or start its service")
        for index in left:
            assert self.rig is not None
            ready(self.rig, "; finished motions are kept: continue with --resume")
            same(header.facts, read_facts(self.rig))
            driven = drive(self.rig, index, header.legs[index], header.facts, header.asked.channels)
            self.store.save(driven)
            yield driven

    def experiments(self) -> tuple[Experiment, ...]:
        """The finished motions as experiments of a study."""
        header = self.store.header
        found = []
        for index, leg in enumerate(header.legs):
            driven = self.store.driven(index)
            if driven is not None:
                found.append(experiment_of(leg, driven, header.facts))
        return tuple(found)


def experiment_of(leg: Leg, driven: Driven, facts: Facts) -> Experiment:
    """A motion with its samples."""
    signal = None if leg.kind == "motion" else signal_of(leg, facts, driven.share).made
    record = record_of(driven.samples, facts.rate_hz)
    notes, losses = list(driven.notes), record.losses(SENSED)
    if losses.text:
        notes.append(f"{leg.name}: {losses.text}; bridged")
    return Experiment(
        name=leg.name, group=leg.group, kind=leg.kind, role=leg.role,
        settings={**leg.settings, "amplitude_m": leg.amplitude_m, "share": driven.share}, rate_hz=facts.rate_hz,
        channels=as_floats({name: record[name] for name in driven.samples}), band_hz=leg.band_hz,
        begins=driven.begins, signal=signal, notes=tuple(notes),
    )  # fmt: skip


def same(then: Facts, now: Facts) -> None:
    """DynamicsFault if the loop changed between records: it is part of what they measure."""
    if then.rig != now.rig:
        raise DynamicsFault(f"this is a study of {then.rig}, the rig is {now.rig}; begin a new study")
    offsets = tuple(key for key in then.values if key.startswith("sensors.") and key.endswith(".offset"))
    changed = [
        f"{key} was {value!r}, is {now.values.get(key)!r}" for key, value in then.values.items()
        if key not in offsets and now.values.get(key) != value
    ]  # fmt: skip
    if changed or then.rate_hz != now.rate_hz:
        shown = "; ".join(changed[:5]) or f"the loop ran at {then.rate_hz:g} Hz, now at {now.rate_hz:g} Hz"
        raise DynamicsFault(f"parameters changed since the study began: {shown}; put them back, or begin a new study")
