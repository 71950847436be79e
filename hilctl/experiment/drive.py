"""One leg: a motion driven to its end, its samples fetched and judged by the policy; driven again if need be."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hilctl.errors import HilctlError
from hilctl.experiment import journal
from hilctl.experiment.blame import counted, whose
from hilctl.experiment.policy import HOPELESS, OFTEN, SLIGHT, TIMES, Allowance
from hilctl.experiment.record import AGES, Losses, Record, record_of
from hilctl.experiment.sensors import SENSED
from hilctl.experiment.trips import trip_text, why_ended

if TYPE_CHECKING:
    from hilctl.client import Client, Motion, Outcome


LOOKED_S = 0.5  # at rest


class LegFault(HilctlError):
    """A leg that cannot be had. The message says what stopped it and what to check; what was measured is kept."""


class LegEnded(LegFault):
    """A motion that was not finished."""

    motion: "Motion"
    outcome: "Outcome"


class Leg(NamedTuple):
    """What is driven, and what it is for."""

    name: str
    start: "Callable[[], Motion]"
    channels: Sequence[str]
    allowance: Allowance
    weighed: Sequence[str] = SENSED  # channels whose losses count
    rest_s: float = 0.0  # behind the motion, also fetched
    part: "Callable[[Motion], slice | None]" = lambda motion: None  # of its ticks: where losses count
    about: Mapping[str, Any] = {}  # what an estimator must know of it; stored with it
    wrong: Callable[[Record], str] = lambda record: ""  # why its samples cannot be right


class Driven(NamedTuple):
    """A leg as it was driven last, or as it is stored."""

    name: str
    rows: Mapping[str, Any]  # as they were fetched
    record: Record
    losses: Losses  # where they count
    about: Mapping[str, Any] = {}
    facts: Mapping[str, float] = {}  # of the motion, as `track` returns them
    part: slice = slice(None)  # of its ticks: where losses count
    again: tuple[str, ...] = ()  # why those before do not count
    left_out: str = ""  # of this one, beyond what is bridged
    warnings: Sequence[str] = ()  # of the motion, as `track` returns them

    @property
    def notes(self) -> list[str]:
        """What the result says of it."""
        said = [f"driven again: {problem}" for problem in self.again]
        said += [f"taken with a gap, which is left out: {self.left_out}"] if self.left_out else []
        return said + ([self.losses.text] if self.losses.text else []) + list(self.warnings)


def ready(rig: "Client", feedback: str = "") -> None:
    """LegFault when the rig cannot be driven; or, with `feedback`, when this law.feedback is not active."""
    status = rig.status()
    if status["trip"]:
        raise LegFault(f"{trip_text(status['trip'])}; correct the cause, then run `hilctl reset` and `hilctl arm`")
    if status["mode"] != "hold":
        raise LegFault(
            f"the rig is in {status['mode']}, not in hold, from which a motion starts; run `hilctl arm`, or end the "
            "running motion (`hilctl stop`)"
        )
    if status.get("supply", {}).get("level") == "low":
        raise LegFault("the supply is at its low level, at which nothing is measured; run `hilctl supply high`")
    active = rig.get("law.feedback")["law.feedback"] if feedback else ""
    if active != feedback:
        raise LegFault(f"law.feedback is {active}, this needs {feedback}; `hilctl set law.feedback={feedback}`")


def holds(rig: "Client") -> bool:
    """Whether the next motion can start: after a trip it holds for a while, then goes to off by itself."""
    status = rig.status()
    return status["mode"] == "hold" and not status["trip"]


@contextmanager
def under(rig: "Client", values: Mapping[str, Any], origin: str) -> Iterator[None]:
    """These parameters are active meanwhile."""
    before = rig.get(*values)
    changed = {key: value for key, value in before.items() if value != values[key]}
    if changed:
        rig.set({key: values[key] for key in changed}, origin=origin)
    try:
        yield
    finally:
        if changed:
            rig.set(changed, origin=origin)


def drive_all(
    rig: "Client", legs: Sequence[Leg], tell: Callable[[str, int], None] = lambda name, done: None
) -> list[Driven]:
    """One after the other; `tell` takes the name of the next, and how many are done."""
    found = []
    for done, leg in enumerate(legs):
        tell(leg.name, done)
        found.append(drive(rig, leg))
    return found


def drive(rig: "Client", leg: Leg) -> Driven:
    """LegFault where it does not end as planned, where too much is lost of it each time, or where it is wrong. One that
    stands in the journal is taken from there."""
    from hilctl.client import Motion

    book, rate_hz = journal.active(), float(rig.hello["rate_hz"])
    stored = book.taken(leg.name) if book else None
    if stored:
        head, rows = stored
        part = leg.part(Motion(**head["motion"])) or slice(None)
        return _of(head, rows, rate_hz, part, leg.weighed)._replace(about=leg.about)
    again: list[str] = []
    while True:
        before = counted(rig)
        motion, rows = _once(rig, leg)
        head = {"name": leg.name, "motion": motion._asdict(), "about": dict(leg.about), "again": again, "left_out": ""}
        driven = _of(head, rows, rate_hz, leg.part(motion) or slice(None), leg.weighed)
        losses = driven.losses
        problem = over(losses, leg.allowance)
        final = len(again) == TIMES - 1 or hopeless(losses, leg.allowance) or slight(losses, leg.allowance)
        if not problem or (final and usable(losses, leg.allowance)):
            wrong = leg.wrong(driven.record)
            if wrong:
                raise LegFault(f"{leg.name}: {wrong}")
            if book:
                book.keep({**head, "left_out": problem}, rows)
            return driven._replace(left_out=problem)
        again.append(problem)
        if final:
            cause = whose(before, counted(rig), losses)
            raise LegFault(f"{leg.name}: {_times(len(again))}: {problem}. {cause[0].upper()}{cause[1:]}")


def stored(folder: Path, rate_hz: float, of: int = 0) -> list[Driven]:
    """The legs that a folder holds, in the order in which they were driven: for an evaluation without a rig. LegFault
    where there are fewer than `of`."""
    found = [_of(head, rows, rate_hz, slice(None), SENSED) for head, rows in journal.held(folder) if "motion" in head]
    if len(found) < of:
        raise LegFault(f"{folder.parent} holds {len(found)} of {of} motions; go on with that measurement (--resume)")
    return found


def taken(name: str, rows: Mapping[str, Any], rate_hz: float, about: Mapping[str, Any]) -> Driven:
    """Rows from elsewhere, as a leg."""
    record = record_of(rows, rate_hz)
    return Driven(name, rows, record, record.losses(SENSED), about)


def _of(
    head: Mapping[str, Any], rows: Mapping[str, Any], rate_hz: float, part: slice, weighed: Sequence[str]
) -> Driven:  # fmt: skip
    record = record_of(rows, rate_hz)
    return Driven(
        head["name"], rows, record, record.part(part).losses(weighed), head.get("about", {}), head["motion"]["facts"],
        part, tuple(head["again"]), head["left_out"], head["motion"].get("warnings", ()),
    )  # fmt: skip


def over(losses: Losses, allowance: Allowance) -> str:
    """What is lost beyond what is allowed; empty where nothing is."""
    if losses.share > allowance.share:
        return f"{100 * losses.share:.2g} % lost, more than {100 * allowance.share:g} %: {losses.text}"
    if allowance.gap_ticks is not None and losses.longest > allowance.gap_ticks:
        count, most = losses.beyond(allowance.gap_ticks), allowance.gap_ticks
        return f"{losses.longest} ticks in a row lost, more than the {most} that are bridged, {count} times such a gap"
    return ""


def hopeless(losses: Losses, allowance: Allowance) -> bool:
    """Whether driving it again would show the same."""
    often = allowance.gap_ticks is not None and losses.beyond(allowance.gap_ticks) > OFTEN
    return often or losses.share > HOPELESS * allowance.share


def slight(losses: Losses, allowance: Allowance) -> bool:
    """Whether driving it again would hardly show more."""
    long = sum(gap for gap in losses.gaps if gap > (allowance.gap_ticks or 0))
    return usable(losses, allowance) and long <= SLIGHT * losses.ticks


def usable(losses: Losses, allowance: Allowance) -> bool:
    """Whether an estimator that leaves gaps out still has enough."""
    return allowance.leaves_out and losses.share <= allowance.share


def _times(count: int) -> str:
    return "driven once" if count == 1 else f"driven {count} times, each time too much was lost; the last"


def _once(rig: "Client", leg: Leg) -> "tuple[Motion, dict[str, Any]]":
    """The rows of the motion and of the rest behind it; an interrupt stops the table."""
    channels = tuple(dict.fromkeys((*leg.channels, "tick", "rejected")))
    try:
        motion = leg.start()
        outcome = rig.wait(motion)
        last = outcome.last
        if outcome.why == "done" and leg.rest_s:
            last = rig.pass_time(leg.rest_s).last
    except KeyboardInterrupt:
        rig.stop()
        raise
    if outcome.why != "done":
        ended = LegEnded(f"{leg.name}: {why_ended(rig, motion, outcome)}")
        ended.motion, ended.outcome = motion, outcome
        raise ended
    rows = rig.samples(motion.first, last, channels, keep=rig.hello["clock"] == "virtual")
    if len(rows["tick"]) < last - motion.first + 1:
        raise LegFault(f"{leg.name}: samples are missing; raise service.history_s")
    return motion, rows


def look(rig: "Client", seconds: float, channels: Sequence[str], name: str = "") -> Record:
    """The ticks of so much time from now on; with a name it is a leg of the journal."""
    rate_hz, book = float(rig.hello["rate_hz"]), journal.active() if name else None
    stored = book.taken(name) if book else None
    if stored:
        return record_of(stored[1], rate_hz)
    first = int(rig.status()["history"]["end"])
    rig.pass_time(seconds)
    wanted = tuple(dict.fromkeys(("tick", "rejected", *channels)))
    rows = rig.samples(first, None, wanted)
    if book:
        book.keep({}, rows)
    return record_of(rows, rate_hz)


def lately(rig: "Client", seconds: float, channels: Sequence[str]) -> Record:
    """The ticks of so much time until now, as far as the service still has them; one at least."""
    rate_hz, held = float(rig.hello["rate_hz"]), rig.status()["history"]
    first = max(int(held["first"]), int(held["end"]) - max(1, round(seconds * rate_hz)))
    return record_of(rig.samples(first, None, tuple(dict.fromkeys(("tick", "rejected", *channels)))), rate_hz)


def pressures_age_s(seen: Record) -> float:
    """How old the pressures are, but for one tick in twenty, when they are used."""
    return 1e-9 * max(float(np.quantile(seen[name], 0.95)) for name in AGES)
