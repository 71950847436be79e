"""The campaign: speed after speed, each on the disk when it is finished.

    campaign.json   plan, rig, active parameters and their epoch; written once
    legs/           the triangles, as `hilctl.experiment.journal` keeps them

Windows and points are computed from the triangles, whenever a campaign is opened. `run` yields after every speed. The
caller pauses or stops it by not asking for the next, and resumes it, also in another process and after a crash, by
`Campaign.resume`: finished speeds are not measured again. No parameter of the rig is changed.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from hilctl.experiment import drive as experiment
from hilctl.experiment import journal, store
from hilctl.experiment.drive import LegFault, look, ready
from hilctl.experiment.facts import OFFSETS, Facts, read_facts
from hilctl.experiment.measured import report
from hilctl.experiment.noise import REST_S, with_noise
from hilctl.experiment.own_loop import refuse_own_loop
from hilctl.experiment.policy import MEANS
from hilctl.experiment.record import Record, record_of
from hilctl.experiment.scales import SURE
from hilctl.experiment.sensors import SENSED
from hilctl.identify.friction.estimate_mass import apparent_mass, is_off, tells
from hilctl.identify.friction.estimate_speed import Measured, aligned, evaluate
from hilctl.identify.friction.estimate_windows import CHANNELS
from hilctl.identify.friction.judge_expected import expect
from hilctl.identify.friction.judge_windows import examine, hunting
from hilctl.identify.friction.plan import BUDGET_S, Leg
from hilctl.identify.friction.plan_accepted import accepted, slow
from hilctl.results.prepared import Prepared

if TYPE_CHECKING:
    from hilctl.client import Client

FORMAT = 2
PLAN, LEGS, _KIND = "campaign.json", "legs", "campaign"
FRUITLESS = 0.75  # of the planned speeds without a window that counts end a campaign: overlap or hysteresis of the
LEAST_FRUITLESS = 6  # valve spoils the slowest ones on a sound rig
RESUME = "Finished speeds are kept: correct it, `hilctl reset` and `hilctl arm` after a trip, and resume"
NEAR, REACHED = 0.5, 0.97  # of the fastest speed that was measured; of limits.velocity
FEWEST = 4  # speeds in both directions, or there is no curve


class Header(msgspec.Struct, frozen=True):
    """What stands in campaign.json."""

    format: int
    id: str
    begun: str  # date and time, UTC
    facts: Facts
    legs: list[Leg]
    remarks: list[str] = []
    prepared: Prepared | None = None


class Progress(NamedTuple):
    """Before each speed, and at the end."""

    done: int
    of: int
    speed_m_s: float  # the next; 0 at the end
    seconds_left: float  # of rig time


class Campaign:
    """A campaign on a rig that holds; without a rig, what is stored of one."""

    def __init__(self, rig: "Client | None", folder: Path, header: Header) -> None:
        self.rig, self.folder, self.header = rig, folder, header
        self.expected, self._facts = expect(header.facts), header.facts
        self._measured = {index: made for index in range(len(header.legs)) if (made := self._judged(index))}
        self._weigh()

    @classmethod
    def begin(
        cls, rig: "Client", folder: str | Path, speeds: Sequence[float] | None = None, budget_s: float = BUDGET_S,
        prepared: Prepared | None = None,
    ) -> "Campaign":  # fmt: skip
        """Plans and checks; nothing moves yet. StoreError where the folder holds another."""
        facts = read_facts(rig)
        _ready(rig, facts)
        still = look(rig, REST_S, SENSED)
        values, remarks = with_noise(facts.values, {channel: [still.readings(channel)] for channel in SENSED})
        facts = msgspec.structs.replace(facts, values=values)
        legs, now = accepted(rig, facts, speeds, budget_s), datetime.now(UTC)
        header = Header(
            FORMAT, f"{facts.rig}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}", now.isoformat(timespec="seconds"),
            facts, legs, [*remarks, *([] if speeds else slow(legs))], prepared,
        )  # fmt: skip
        store.begin(Path(folder) / PLAN, header, _KIND)
        return cls(rig, Path(folder), header)

    @classmethod
    def resume(cls, rig: "Client | None", folder: str | Path) -> "Campaign":
        """Goes on with what is stored. LegFault where the rig is another, or weighs forces differently."""
        header = store.opened(Path(folder) / PLAN, Header, FORMAT, _KIND)
        if rig is not None:
            now = read_facts(rig)
            if header.facts.rig != now.rig:
                raise LegFault(f"{folder} is a campaign on {header.facts.rig}, this is {now.rig}; begin a new one")
            _same(header.facts, now)
            _ready(rig, now)
        return cls(rig, Path(folder), header)

    @property
    def finished(self) -> list[Measured]:
        """The speeds that are finished, in the order of the plan."""
        return [self._measured[index] for index in sorted(self._measured)]

    @property
    def left(self) -> list[tuple[int, Leg]]:
        """The speeds that are not measured yet, but for those that are left out."""
        return [(index, leg) for index, leg in self._not_measured if not self._passes_limit(leg)]

    @property
    def left_out(self) -> list[Leg]:
        """The speeds that are not measured, because the table would pass limits.velocity."""
        return [leg for _, leg in self._not_measured if self._passes_limit(leg)]

    @property
    def _not_measured(self) -> list[tuple[int, Leg]]:
        return [(index, leg) for index, leg in enumerate(self.header.legs) if index not in self._measured]

    @property
    def faster_m_s(self) -> float:
        """By how much the table was faster than asked, at most, at its greatest speeds."""
        near = [m.faster_m_s for m in self._measured.values() if m.leg.speed_m_s >= NEAR * self._fastest_m_s]
        return max(near, default=0.0)

    @property
    def _fastest_m_s(self) -> float:
        return max((m.leg.speed_m_s for m in self._measured.values()), default=0.0)

    def _passes_limit(self, leg: Leg) -> bool:
        """Whether the table would, by what the greatest speeds before it showed."""
        limit = float(self.header.facts["limits.velocity.max_m_s"])
        return leg.speed_m_s > self._fastest_m_s > 0.0 and leg.speed_m_s + self.faster_m_s > REACHED * limit

    @property
    def progress(self) -> Progress:
        """The progress."""
        left, all_of = self.left, len(self.header.legs)
        upcoming = left[0][1].speed_m_s if left else 0.0
        return Progress(all_of - len(left), all_of, upcoming, sum(leg.seconds for _, leg in left))

    def run(self) -> Iterator[Measured]:
        """Measures what is left. LegFault says what is wrong; finished speeds are kept."""
        fruitless = []
        for before in self.finished:
            _report(before)
        for index, leg in self.left:
            if self._passes_limit(leg):  # by a speed that was measured since
                continue
            self._drive(index)
            measured = self._judged(index)
            if measured is None:
                raise LegFault(f"{leg.name}: what was stored of it in {self.folder / LEGS} is gone; resume")
            self._measured[index] = measured
            _report(measured)
            yield measured
            fruitless += [] if measured.points else [measured]
            if len(fruitless) >= max(LEAST_FRUITLESS, FRUITLESS * len(self.header.legs)):
                raise LegFault(hunting([w for m in fruitless for w in m.windows], len(fruitless)))
        self._weigh()
        done = self.finished
        if sum(m.pair is not None for m in done) < min(FEWEST, len(done)):
            raise LegFault(hunting([w for m in done for w in m.windows], len(done)))

    def _stored(self, index: int) -> tuple[Record, Sequence[str]] | None:
        """A triangle, and why it was driven before; None where it is not finished, or its file is unreadable."""
        stored = journal.Journal(self.folder / LEGS).taken(self.header.legs[index].name)
        if stored is None:
            return None
        head, rows = stored
        return aligned(record_of(rows, self.header.facts.rate_hz), self.header.facts, head["about"]), head["again"]

    def _judged(self, index: int) -> Measured | None:
        stored = self._stored(index)
        return stored and evaluate(index, self.header.legs[index], stored[0], self._facts, self.expected, stored[1])

    def _weigh(self) -> None:
        """Judges a complete campaign again with the mass that its corners show, where it is not the declared one."""
        fast = [] if self.left else tells(self.header.legs)
        kept = [(leg, s[0]) for index, leg in enumerate(self.header.legs) if leg in fast and (s := self._stored(index))]
        mass_kg = apparent_mass(kept, self.header.facts)
        if mass_kg is not None and is_off(mass_kg / self.header.facts["machine.m"]):
            self._facts = self.header.facts.weighing(mass_kg)
            self._measured = {index: made for index in self._measured if (made := self._judged(index))}

    def _drive(self, index: int) -> None:
        """The triangle of one speed, into the folder."""
        from hilctl.client import NoReply, Refused

        if self.rig is None:
            raise LegFault("speeds are not measured yet; name the rig, or start its service")
        rig, leg = self.rig, self.header.legs[index]
        try:
            before = read_facts(rig)
            _same(self.header.facts, before)
            offsets = {key: before[key] for key in OFFSETS}
            with journal.kept(self.folder / LEGS):
                experiment.drive(rig, experiment.Leg(
                    leg.name, lambda: rig.track("triangle", **leg.parameters), CHANNELS, MEANS, about=offsets,
                    wrong=lambda record: self._wrong(rig, index, record, offsets),
                ))  # fmt: skip
            return
        except Refused as refused:
            why = f"the triangle of {leg.speed_m_s:g} m/s was refused: {refused.message}"
        except NoReply as silent:
            why = f"the service stopped replying {leg.name}: {silent}; start it, and check the rig"
        except LegFault as fault:
            why = str(fault)
        raise LegFault(f"{why}. {RESUME}")

    def _wrong(self, rig: "Client", index: int, record: Record, offsets: Mapping[str, float]) -> str:
        """Why a triangle does not count: then it is not stored."""
        facts, after = self.header.facts, read_facts(rig)
        _same(facts, after)
        moved = [key for key in OFFSETS if offsets[key] != after[key]]
        if moved:
            return f"{', '.join(moved)} changed meanwhile"
        record = aligned(record, facts, offsets)
        pair = evaluate(index, self.header.legs[index], record, facts, self.expected).pair
        return examine(record, pair, facts, after)


def _report(measured: Measured) -> None:
    for p in measured.points:
        within_n = SURE * p.std_n
        report("friction", direction=p.direction, speed_m_s=p.speed_m_s, force_n=p.force_n, std_n=p.std_n,
               low_n=p.force_n - within_n, high_n=p.force_n + within_n)  # fmt: skip


def _ready(rig: "Client", facts: Facts) -> None:
    refuse_own_loop(facts["law.feedback"], "friction")
    ready(rig, "three_state")


def _same(then: Facts, now: Facts) -> None:
    found = then.differences(now)
    if found:
        raise LegFault(
            f"parameters that enter the force changed since the campaign began: {'; '.join(found)}; restore them, or "
            "begin a new campaign"
        )
