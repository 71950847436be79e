"""The motions of a study, one after the other, each on the disk when it is finished.

    dynamics.json       plan, rig and active parameters; written once
    legs/               the motions, as `hilctl.experiment.journal` keeps them

`Run.drive` yields after every motion, while the rig holds. The caller pauses by not asking for the next motion, stops
by not iterating further, and resumes with `Run.resume`, also in another process and after a crash. A motion that the
service refuses for a limit, or in which the valve saturates, is repeated with less. No parameter of the rig is changed.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from hilctl.experiment import drive as experiment
from hilctl.experiment import store
from hilctl.experiment.acted import with_acted
from hilctl.experiment.drive import LegFault, ready
from hilctl.experiment.facts import Facts, read_facts
from hilctl.experiment.journal import Journal
from hilctl.experiment.policy import REST_S, SPECTRUM
from hilctl.experiment.record import record_of
from hilctl.experiment.sensors import SENSED
from hilctl.identify.frequency.excite_shape import centre_of
from hilctl.identify.frequency.plan import Asked, Leg, Signal, check_asked, signal_of
from hilctl.identify.frequency.record import Experiment
from hilctl.law.motions import Samples, samples_of
from hilctl.results.prepared import Prepared

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

FORMAT = 3
PLAN, LEGS = "dynamics.json", "legs"
_STUDY = "study of dynamics"
SMALLER = 0.7  # of the amplitude before
ROUNDS = 4
PLANNING_S = 60.0  # for a reply: the first plan of its kind is compiled
SATURATED = 0.01  # of the samples: more are a saturated motion
_FINEST_S = 1e-3  # least interval between the knots of an uploaded history


class Header(msgspec.Struct, frozen=True):
    """The plan, as stored."""

    format: int
    begun: str  # date and time, UTC
    facts: Facts
    asked: Asked
    legs: list[Leg]
    command: str = ""
    prepared: Prepared | None = None


class Driven(NamedTuple):
    """A finished motion."""

    share: float  # of the planned amplitude
    begins: int  # sample at which the excitation begins
    notes: list[str]
    samples: Mapping[str, Any]


class Progress(NamedTuple):
    """Before each motion, and at the end."""

    done: int
    of: int
    name: str  # of the next; empty at the end
    seconds_left: float  # of rig time


class Run:
    """The experiments on a rig in hold; without a rig, those already stored."""

    def __init__(self, rig: "Client | None", folder: Path, header: Header) -> None:
        self.rig, self.folder, self.header = rig, folder, header
        self._driven = {leg.name: driven for leg in header.legs if (driven := self._stored(leg)[1]) is not None}

    @classmethod
    def begin(
        cls, rig: "Client", folder: str | Path, asked: Asked, facts: Facts, legs: Sequence[Leg], *, command: str = "",
        prepared: Prepared | None = None,
    ) -> "Run":  # fmt: skip
        """Checks and stores the plan; nothing moves yet. StoreError if the directory already holds a study."""
        check_asked(asked)
        ready(rig)
        header = Header(
            FORMAT, datetime.now(UTC).isoformat(timespec="seconds"), facts, asked, list(legs), command,
            prepared,
        )  # fmt: skip
        store.begin(Path(folder) / PLAN, header, _STUDY)
        return cls(rig, Path(folder), header)

    @classmethod
    def resume(cls, rig: "Client | None", folder: str | Path) -> "Run":
        """Continues a stored study. LegFault if the rig is another one, or its parameters have changed."""
        header = store.opened(Path(folder) / PLAN, Header, FORMAT, _STUDY)
        if rig is not None:
            same(header.facts, read_facts(rig))
        return cls(rig, Path(folder), header)

    def _stored(self, leg: Leg) -> tuple[Journal, Driven | None]:
        """Where it is kept; None if it is not finished, or its file is unreadable, so that it is driven again."""
        book = Journal(self.folder / LEGS)
        head, samples = book.taken(leg.name) or (None, {})
        return book, None if head is None else Driven(head["share"], head["begins"], head["notes"], samples)

    @property
    def left(self) -> list[Leg]:
        """The motions still to be driven."""
        return [leg for leg in self.header.legs if leg.name not in self._driven]

    @property
    def progress(self) -> Progress:
        """Motions done, and what is left."""
        left, count = self.left, len(self.header.legs)
        return Progress(count - len(left), count, left[0].name if left else "", sum(leg.seconds for leg in left))

    def drive(self) -> Iterator[Driven]:
        """Drives the remaining motions. LegFault says what is wrong; finished motions stay."""
        facts, left = self.header.facts, self.left
        if left and self.rig is None:
            raise LegFault(f"{len(left)} motions are not driven yet; name the rig, or start its service")
        for leg in left:
            assert self.rig is not None
            try:
                ready(self.rig)
                same(facts, read_facts(self.rig))
                driven = drive(self.rig, leg, facts, self.header.asked.channels)
            except LegFault as fault:
                raise LegFault(f"{fault}; finished motions are kept: continue with --resume") from None
            head = {"share": driven.share, "begins": driven.begins, "notes": driven.notes}
            self._stored(leg)[0].keep(head, driven.samples)
            self._driven[leg.name] = driven
            yield driven

    def experiments(self) -> tuple[Experiment, ...]:
        """The finished motions as experiments of a study."""
        facts = self.header.facts
        return tuple(
            experiment_of(leg, self._driven[leg.name], facts) for leg in self.header.legs if leg.name in self._driven
        )


def experiment_of(leg: Leg, driven: Driven, facts: Facts) -> Experiment:
    """A motion with its samples."""
    signal = None if leg.kind == "motion" else signal_of(leg, facts, driven.share).made
    record = with_acted(record_of(driven.samples, facts.rate_hz), facts.values)
    notes, losses = list(driven.notes), record.losses(SENSED)
    if losses.text:
        notes.append(f"{leg.name}: {losses.text}; bridged")
    return Experiment(
        name=leg.name, group=leg.group, kind=leg.kind, role=leg.role,
        settings={**leg.settings, "amplitude_m": leg.amplitude_m, "share": driven.share}, rate_hz=facts.rate_hz,
        channels={name: np.asarray(record.bridged[name], np.float64) for name in driven.samples}, band_hz=leg.band_hz,
        begins=driven.begins, signal=signal, notes=tuple(notes), record=record,
    )  # fmt: skip


def same(then: Facts, now: Facts) -> None:
    """LegFault if the loop changed between records: it is part of what they measure."""
    if then.rig != now.rig:
        raise LegFault(f"this is a study of {then.rig}, the rig is {now.rig}; begin a new study")
    offsets = tuple(key for key in then.values if key.startswith("sensors.") and key.endswith(".offset"))
    changed = [
        f"{key} was {value!r}, is {now.values.get(key)!r}" for key, value in then.values.items()
        if key not in offsets and now.values.get(key) != value
    ]  # fmt: skip
    if changed or then.rate_hz != now.rate_hz:
        shown = "; ".join(changed[:5]) or f"the loop ran at {then.rate_hz:g} Hz, now at {now.rate_hz:g} Hz"
        raise LegFault(f"parameters changed since the study began: {shown}; put them back, or begin a new study")


def drive(rig: "Client", leg: Leg, facts: Facts, channels: Sequence[str]) -> Driven:
    """The samples of a motion. LegFault when it does not end as planned."""
    from hilctl.client import Refused

    notes: list[str] = []
    share = 1.0
    rig.timeout_s = max(rig.timeout_s, PLANNING_S)
    for _ in range(ROUNDS):
        try:
            rig.wait(rig.move(centre_of(facts)))
            driven = _once(rig, leg, facts, channels, share, notes)
        except Refused as error:
            if error.code != "limit":
                raise LegFault(f"{leg.name} was refused: {error.message}; correct that, and arm the rig") from None
            why = f"refused at {100 * share:.0f} % of its amplitude: {error.message}"
        else:
            saturated = float(np.mean(driven.samples["saturated"] != 0))
            if saturated <= SATURATED:
                return driven
            why = f"at {100 * share:.0f} % of its amplitude saturated for {100 * saturated:.1f} % of the time"
        notes.append(f"{leg.name}: {why}; repeated with less")
        share *= SMALLER
    raise LegFault(f"{leg.name}: {why}; ask for less (--amplitude), or for a narrower band (--band)")


def _once(
    rig: "Client", leg: Leg, facts: Facts, channels: Sequence[str], share: float, notes: list[str]
) -> Driven:
    """The motion at a share of its amplitude; Refused when the service refuses it."""
    start, before = _prepared(rig, leg, facts, share)
    fetched = experiment.drive(rig, experiment.Leg(leg.name, start, channels, SPECTRUM, rest_s=REST_S))
    notes += [f"{leg.name}: {text}" for text in fetched.again]
    begins = 0 if before is None else round((fetched.facts["first_sample_s"] + before) * facts.rate_hz)
    return Driven(share, begins, list(notes), fetched.rows)


def _prepared(rig: "Client", leg: Leg, facts: Facts, share: float) -> "tuple[Callable[[], Motion], float | None]":
    """A function that starts the motion, and the rest in s before the excitation; None for a motion of the service."""
    if leg.kind == "motion":
        parameters = dict(leg.settings["parameters"])
        parameters["amplitude_m"] = share * parameters["amplitude_m"]
        return lambda: rig.track(leg.settings["kind"], **parameters), None
    signal = signal_of(leg, facts, share)
    history, rest = history_of(signal, facts.rate_hz)
    name = re.sub(r"[^a-z0-9]+", "-", leg.name.lower()).strip("-")  # as an upload may be called
    rig.upload(name, history.values, "displacement", interval_s=history.interval_s)
    parameters = {"upload": name, "center_m": centre_of(facts), "return_to_start": signal.closed}
    return lambda: rig.track("waveform", **parameters), rest * history.interval_s


def history_of(signal: Signal, rate_hz: float) -> tuple[Samples, int]:
    """The history to upload, no finer than the service accepts, and the samples of rest before the excitation."""
    every = max(1, int(np.ceil(rate_hz * _FINEST_S - 1e-9)))
    coarse: Any = signal.values[::every]
    rest = round(REST_S * rate_hz / every)  # a waveform's own taper falls on it
    first, last = (0.0, 0.0) if signal.closed else coarse[[0, -1]]
    values = np.concatenate([np.full(rest, first), coarse, np.full(rest, last)])
    return samples_of(values, "displacement", interval_s=every / rate_hz), rest
