"""One leg: a motion driven to its end, its samples fetched and judged by the policy; driven again if need be."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.errors import HilctlError
from hilctl.experiment import journal
from hilctl.experiment.policy import HOPELESS, OFTEN, TIMES, Allowance
from hilctl.experiment.record import Losses, Record, record_of
from hilctl.experiment.sensors import SENSED
from hilctl.experiment.trips import why_ended

if TYPE_CHECKING:
    from hilctl.client import Client, Motion, Outcome


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


class Driven(NamedTuple):
    """A leg as it was driven last."""

    motion: "Motion"
    rows: dict[str, Any]  # as they were fetched
    record: Record
    losses: Losses  # where they count
    again: tuple[str, ...]  # why those before do not count
    left_out: str  # of this one, beyond what is bridged

    @property
    def notes(self) -> list[str]:
        """What the result says of it."""
        said = [f"driven again: {problem}" for problem in self.again]
        said += [f"taken with a gap, which is left out: {self.left_out}"] if self.left_out else []
        return said + ([self.losses.text] if self.losses.text else [])


def drive(rig: "Client", leg: Leg) -> Driven:
    """LegFault where it does not end as planned, or where too much is lost of it each time. One that stands in the
    journal is taken from there."""
    book = journal.active()
    stored = book.taken(leg.name) if book else None
    if stored:
        return _as_kept(rig, leg, *stored)
    again: list[str] = []
    while True:
        before = _link(rig)
        motion, raw = _once(rig, leg)
        record = record_of(raw, float(rig.hello["rate_hz"]))
        losses = record.part(leg.part(motion) or slice(None)).losses(leg.weighed)
        problem = over(losses, leg.allowance)
        final = len(again) == TIMES - 1 or hopeless(losses, leg.allowance)
        if not problem or (final and usable(losses, leg.allowance)):
            if book:
                book.keep({"motion": motion._asdict(), "again": again, "left_out": problem}, raw)
            return Driven(motion, raw, record, losses, tuple(again), problem)
        again.append(problem)
        if final:
            raise LegFault(f"{leg.name}: {_times(len(again))}: {problem}. {_whose(before, _link(rig), losses)}")


def _as_kept(rig: "Client", leg: Leg, head: dict[str, Any], rows: dict[str, Any]) -> Driven:
    from hilctl.client import Motion

    motion = Motion(**head["motion"])
    record = record_of(rows, float(rig.hello["rate_hz"]))
    losses = record.part(leg.part(motion) or slice(None)).losses(leg.weighed)
    return Driven(motion, rows, record, losses, tuple(head["again"]), head["left_out"])


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


def usable(losses: Losses, allowance: Allowance) -> bool:
    """Whether an estimator that leaves gaps out still has enough."""
    return allowance.leaves_out and losses.share <= allowance.share


def _times(count: int) -> str:
    return "driven once" if count == 1 else f"driven {count} times, each time too much was lost; the last"


def _link(rig: "Client") -> dict[str, Any]:
    status = rig.status()
    return {**status["link"]["errors"], "missed": status["core"]["missed"]}


def _whose(before: dict[str, Any], after: dict[str, Any], losses: Losses) -> str:
    """Who lost it, by the counters of link and loop, and what to do."""
    failed = {name: after[name] - before.get(name, 0) for name in after if name != "missed"}
    counted = [f"{count} {name}" for name, count in failed.items() if count > 0]
    said = []
    if counted:
        said.append(
            f"the link failed meanwhile: {', '.join(counted)}; check its cable, its termination and the device's load, "
            "raise driver.answer_timeout_s within the period, or lower loop.rate_hz (`hilctl status` shows the link)"
        )
    if after["missed"] > before["missed"]:
        late = after["missed"] - before["missed"]
        said.append(f"the loop missed {late} ticks; `hilctl doctor` says why a host is late")
    if not counted and losses.rejected:
        names = " and ".join(losses.rejected)
        said.append(f"the link is sound, so the readings themselves were rejected: check range and cable of {names}")
    return "; ".join(said) or "run `hilctl doctor`"


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
