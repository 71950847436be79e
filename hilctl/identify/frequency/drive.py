"""An excitation as the service takes it: a history of displacement that is uploaded and tracked as a waveform.

A study's directory: what was planned, and one file for each motion that is finished.

dynamics.json       plan, rig and active parameters; written once
motion-03.npz       every sample of that motion, and the sample at which its excitation begins

One motion over the wire: repeated smaller if the service refuses it or the valve saturates; all samples fetched.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from hilctl.errors import HilctlError
from hilctl.experiment import drive as experiment
from hilctl.experiment import store as kept
from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import Facts
from hilctl.experiment.policy import REST_S, SPECTRUM
from hilctl.experiment.trips import trip_text
from hilctl.identify.frequency.excite_shape import Reals, centre_of
from hilctl.identify.frequency.plan import Asked, Leg, Signal, signal_of
from hilctl.law.motions import Samples, samples_of
from hilctl.params import BadValues, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hilctl.client import Client, Motion

AROUND_S = 0.3  # before and behind: a waveform's own taper falls on rest


def as_history(values: Reals, rate_hz: float) -> tuple[Samples, int]:
    """The history with some rest around it, and how many samples after its first one the excitation begins.

    The motion's facts say when the history's first sample is driven: `first_sample_s`.

    It has to begin and end at rest: a blended stepped sine, a sweep or a multisine with soft ends.
    """
    peak = float(np.abs(values).max())
    steep = [float(np.abs(values[i])) for i in (0, -1)]
    if max(steep) > 0.01 * peak:
        raise BadValues(
            [Problem("values", f"{max(steep):.3g} m at an end", "must begin and end at rest", "give it soft ends")]
        )
    rest = np.zeros(round(AROUND_S * rate_hz))
    return samples_of(np.concatenate([rest, values, rest]), "displacement", interval_s=1 / rate_hz), len(rest)


FORMAT = 1
PLAN = "dynamics.json"
_STUDY = "study of dynamics"
_HOLDS = "motion of a study of dynamics"


class Header(msgspec.Struct, frozen=True):
    """The plan, as stored."""

    format: int
    begun: str  # date and time, UTC
    facts: Facts
    asked: Asked
    legs: list[Leg]
    command: str = ""
    prepared: dict[str, Any] = {}


class Driven(msgspec.Struct, frozen=True):
    """A finished motion."""

    index: int
    share: float  # of the planned amplitude
    begins: int  # sample at which the excitation begins
    notes: list[str]
    samples: dict[str, Any]


class Store:
    """The directory of one study."""

    def __init__(self, folder: Path, header: Header) -> None:
        self.folder, self.header = folder, header

    @classmethod
    def begin(cls, folder: Path, header: Header) -> "Store":
        """A new study; StoreError if the directory already holds one."""
        kept.begin(folder / PLAN, header, _STUDY)
        return cls(folder, header)

    @classmethod
    def open(cls, folder: Path) -> "Store":
        """A study begun earlier; StoreError if there is none."""
        return cls(folder, kept.opened(folder / PLAN, Header, FORMAT, _STUDY))

    @property
    def left(self) -> list[int]:
        """The motions still to be driven."""
        return [index for index in range(len(self.header.legs)) if self.driven(index) is None]

    def save(self, driven: Driven) -> None:
        """Whole, or not at all."""
        head = {"format": FORMAT, "share": driven.share, "begins": driven.begins, "notes": driven.notes}
        kept.save(self.path(driven.index), head, driven.samples)

    def driven(self, index: int) -> Driven | None:
        """A finished motion; None if it is not finished, or its file is unreadable, so that it is driven again."""
        try:
            head, samples = kept.load(self.path(index), FORMAT, _HOLDS, "drive it")
        except (kept.NotKept, OSError):
            return None
        return Driven(index, float(head["share"]), int(head["begins"]), list(head["notes"]), dict(samples))

    def path(self, index: int) -> Path:
        """The file of a motion."""
        return self.folder / f"motion-{index + 1:02d}.npz"


def plain_name(name: str) -> str:
    """A motion's name as the service accepts the name of an upload."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def as_floats(samples: Mapping[str, Any]) -> dict[str, Any]:
    """Every channel as float64."""
    return {name: np.asarray(values, np.float64) for name, values in samples.items()}


SMALLER = 0.7  # of the amplitude before
ROUNDS = 4
PLANNING_S = 60.0  # for a reply: the first plan of its kind is compiled
SATURATED = 0.01  # of the samples: more are a saturated motion
_FINEST_S = 1e-3  # least interval between the knots of an uploaded history


class DynamicsFault(HilctlError):
    """The study cannot continue. The message says what is wrong and what to do; finished motions are kept."""


def ready(rig: "Client", then: str = "") -> None:
    """DynamicsFault when the rig cannot be driven; `then` says what to do once it can."""
    status = rig.status()
    if status["trip"]:
        remedy = "correct the cause, then run `hilctl reset` and `hilctl arm`"
        raise DynamicsFault(f"{trip_text(status['trip'])}; {remedy}{then}")
    if status["mode"] != "hold":
        raise DynamicsFault(f"the rig is in mode {status['mode']}, a motion starts from hold; run `hilctl arm`{then}")


def drive(rig: "Client", index: int, leg: Leg, facts: Facts, channels: "Sequence[str]") -> Driven:
    """The samples of a motion. DynamicsFault when it does not end as planned."""
    from hilctl.client import NoReply, Refused

    notes: list[str] = []
    share, refused = 1.0, ""
    rig.timeout_s = max(rig.timeout_s, PLANNING_S)
    for _ in range(ROUNDS):
        try:
            rig.wait(rig.move(centre_of(facts)))
            driven = _once(rig, index, leg, facts, channels, share, notes)
        except NoReply as silent:
            raise DynamicsFault(
                f"no reply from the service during {leg.name}: {silent}. Finished motions are kept: start the service, "
                "look at the rig, run `hilctl arm`, and continue with --resume"
            ) from None
        except Refused as error:
            if error.code != "limit":
                raise DynamicsFault(
                    f"{leg.name} was refused: {error.message}. Finished motions are kept: correct that, bring the rig "
                    "to hold, and continue with --resume"
                ) from None
            refused = error.message
            notes.append(f"{leg.name}: refused at {100 * share:.0f} % of its amplitude: {refused}; repeated with less")
        else:
            saturated = float(np.mean(driven.samples["saturated"] != 0))
            if saturated <= SATURATED:
                return driven
            refused = f"the valve was saturated for {100 * saturated:.1f} % of the time"
            notes.append(f"{leg.name}: at {100 * share:.0f} % of its amplitude {refused}; repeated with less")
        share *= SMALLER
    raise DynamicsFault(
        f"{leg.name}: no amplitude from 100 to {100 * share / SMALLER:.0f} % of the planned one works: {refused}; ask "
        "for less (--amplitude), or for a narrower band (--band)"
    )


def _once(
    rig: "Client", index: int, leg: Leg, facts: Facts, channels: "Sequence[str]", share: float, notes: list[str]
) -> Driven:
    """The motion at a share of its amplitude; Refused when the service refuses it."""
    start, before = _prepared(rig, leg, facts, share)
    try:
        fetched = experiment.drive(rig, experiment.Leg(leg.name, start, channels, SPECTRUM, rest_s=REST_S))
    except LegFault as error:
        raise DynamicsFault(
            f"{error}. Finished motions are kept: correct the cause, run `hilctl reset` and `hilctl arm` "
            "after a trip, and continue with --resume"
        ) from None
    notes += [f"{leg.name}: {text}" for text in fetched.again]
    begins = 0 if before is None else round((fetched.motion.facts["first_sample_s"] + before) * facts.rate_hz)
    return Driven(index, share, begins, list(notes), fetched.rows)


def _prepared(rig: "Client", leg: Leg, facts: Facts, share: float) -> "tuple[Callable[[], Motion], float | None]":
    """A function that starts the motion, and the rest in s before the excitation; None for a motion of the service."""
    if leg.kind == "motion":
        parameters = dict(leg.settings["parameters"])
        parameters["amplitude_m"] = share * parameters["amplitude_m"]
        return lambda: rig.track(leg.settings["kind"], **parameters), None
    signal = signal_of(leg, facts, share)
    history, rest = history_of(signal, facts.rate_hz)
    name = plain_name(leg.name)
    rig.upload(name, history.values, "displacement", interval_s=history.interval_s)
    parameters = {"upload": name, "center_m": centre_of(facts), "return_to_start": signal.closed}
    return lambda: rig.track("waveform", **parameters), rest * history.interval_s


def history_of(signal: Signal, rate_hz: float) -> tuple[Samples, int]:
    """The history to upload, no finer than the service accepts, and the samples of rest before the excitation."""
    every = max(1, int(np.ceil(rate_hz * _FINEST_S - 1e-9)))
    coarse: Any = signal.values[::every]
    if signal.closed:
        return as_history(coarse, rate_hz / every)
    rest = round(REST_S * rate_hz / every)
    values = np.concatenate([np.full(rest, coarse[0]), coarse, np.full(rest, coarse[-1])])
    return samples_of(values, "displacement", interval_s=every / rate_hz), rest
