"""The campaign: speed after speed, each stored when it is finished.

`run` yields after every speed. The caller pauses or stops it by not asking for the next, and resumes it, also in
another process and after a crash, by `Campaign.resume`: finished speeds are not measured again. No parameter of the rig
is changed.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy.typing as npt

from hilctl.experiment.drive import look
from hilctl.experiment.facts import OFFSETS, Facts, read_facts
from hilctl.experiment.noise import REST_S, with_noise
from hilctl.experiment.own_loop import refuse_own_loop
from hilctl.experiment.sensors import SENSED
from hilctl.experiment.trips import trip_text
from hilctl.identify.friction.estimate_mass import FAST, OFF, TELLING_M_S, apparent_mass
from hilctl.identify.friction.estimate_windows import Window
from hilctl.identify.friction.judge_expected import Expected, expect
from hilctl.identify.friction.judge_faults import CampaignFault, hunting
from hilctl.identify.friction.measure import aligned, drive, evaluate, wrong
from hilctl.identify.friction.plan import BUDGET_S, Leg
from hilctl.identify.friction.plan_accepted import accepted, slow
from hilctl.identify.friction.store import FORMAT, Header, Measured, Store

if TYPE_CHECKING:
    from hilctl.client import Client

WARMER_K = 5.0  # a change of the oil that moves friction
FRUITLESS = 0.75  # of the planned speeds without a window that counts end a campaign: overlap or hysteresis of the
LEAST_FRUITLESS = 6  # valve spoils the slowest ones on a sound rig
FEWEST = 4  # speeds in both directions, or there is no curve


class Progress(NamedTuple):
    """Before each speed, and at the end."""

    done: int
    of: int
    speed_m_s: float  # the next; 0 at the end
    seconds_left: float  # of rig time


class Campaign:
    """A campaign on a rig that holds."""

    def __init__(self, rig: "Client", store: Store) -> None:
        self.rig, self.store = rig, store
        self.expected: Expected = expect(store.header.facts)

    @classmethod
    def begin(
        cls,
        rig: "Client",
        folder: str | Path,
        speeds: Sequence[float] | None = None,
        budget_s: float = BUDGET_S,
        prepared: Mapping[str, Any] | None = None,
    ) -> "Campaign":
        """Plans and checks; nothing moves yet."""
        facts = read_facts(rig)
        _ready(rig, facts)
        still = look(rig, REST_S, SENSED)
        values, remarks = with_noise(facts.values, {channel: [still.readings(channel)] for channel in SENSED})
        facts = msgspec.structs.replace(facts, values=values)
        legs = accepted(rig, facts, speeds, budget_s)
        now = datetime.now(UTC)
        header = Header(
            format=FORMAT, id=f"{facts.rig}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}",
            begun=now.isoformat(timespec="seconds"), facts=facts, legs=legs,
            remarks=[*remarks, *([] if speeds else slow(legs))],
            prepared=dict(prepared or {}),
        )  # fmt: skip
        return cls(rig, Store.begin(Path(folder), header))

    @classmethod
    def resume(cls, rig: "Client", folder: str | Path) -> "Campaign":
        """Goes on with what is stored. CampaignFault where the rig is another, or weighs forces differently."""
        store = Store.open(Path(folder))
        then, now = store.header.facts, read_facts(rig)
        if then.rig != now.rig:
            raise CampaignFault(f"{folder} is a campaign on {then.rig}, this is {now.rig}; begin a new one")
        _same(then, now)
        _ready(rig, now)
        return cls(rig, store)

    @property
    def left(self) -> list[tuple[int, Leg]]:
        """The speeds that are not measured yet."""
        done = {m.index for m in self.store.finished()}
        return [(index, leg) for index, leg in enumerate(self.store.header.legs) if index not in done]

    @property
    def progress(self) -> Progress:
        """The progress."""
        left, all_of = self.left, len(self.store.header.legs)
        upcoming = left[0][1].speed_m_s if left else 0.0
        return Progress(all_of - len(left), all_of, upcoming, sum(leg.seconds for _, leg in left))

    def run(self) -> Iterator[Measured]:
        """Measures what is left. CampaignFault says what is wrong; finished speeds are kept."""
        facts, fruitless = self.store.header.facts, 0
        windows: list[Window] = []
        for index, leg in self.left:
            samples, again = self._samples(leg)
            measured = evaluate(index, leg, samples, facts, self.expected, again)
            problem = wrong(measured, samples, facts)
            if problem:
                raise CampaignFault(f"at {leg.speed_m_s:g} m/s: {problem}")
            fruitless += not measured.points
            self.store.save(measured, samples)
            windows += measured.discarded
            yield measured
            if fruitless >= max(LEAST_FRUITLESS, FRUITLESS * len(self.store.header.legs)):
                raise CampaignFault(hunting(windows, fruitless))
        done = weigh(self.store)
        if sum(m.pair is not None for m in done) < min(FEWEST, len(done)):
            raise CampaignFault(hunting([w for m in done for w in m.windows], len(done)))

    def _samples(self, leg: Leg) -> tuple[dict[str, npt.NDArray[Any]], tuple[str, ...]]:
        """Of one speed, with the offsets of the campaign's sensors; and why it was driven before."""
        from hilctl.client import NoReply, Refused

        facts = self.store.header.facts
        try:
            before = read_facts(self.rig)
            _same(facts, before)
            driven = drive(self.rig, leg)
            after = read_facts(self.rig)
        except Refused as refused:
            raise CampaignFault(
                f"the triangle of {leg.speed_m_s:g} m/s was refused: {refused.message}; finished speeds are kept: "
                "correct it, bring the rig to hold, and resume"
            ) from None
        except NoReply as silent:
            raise CampaignFault(
                f"the service stopped replying at {leg.speed_m_s:g} m/s: {silent}; finished speeds are kept: start the "
                "service, check the rig, arm, and resume"
            ) from None
        if after.epoch != before.epoch:
            _same(facts, after)
            moved = [key for key in OFFSETS if before[key] != after[key]]
            if moved:
                raise CampaignFault(f"{', '.join(moved)} changed while {leg.speed_m_s:g} m/s was measured; resume")
        return aligned(driven.rows, facts, before), driven.again

    def remarks(self) -> list[str]:
        """Remarks on the curve."""
        return remarks_of(self.store)


def remarks_of(store: Store) -> list[str]:
    """Remarks on the curve of a stored campaign."""
    found = list(store.header.remarks)
    done = store.finished()
    oil = [m.oil_degc for m in done if m.oil_degc is not None]
    if oil and max(oil) - min(oil) >= WARMER_K:
        found.append(
            f"the oil warmed from {min(oil):.1f} to {max(oil):.1f} °C during the campaign: the curve mixes friction of "
            "cold and warm oil; warm up longer, or measure again"
        )
    without = [m for m in done if m.pair is None]
    if without:
        speeds = ", ".join(f"{m.leg.speed_m_s:g}" for m in without)
        found.append(f"no point in both directions at {speeds} m/s; see the reasons of the discarded windows")
    declared = store.header.facts["machine.m"]
    masses = {m.mass_kg for m in done} - {declared}
    if masses:
        found.append(
            f"the table's corners show a moving mass of {max(masses):.0f} kg, machine.m is {declared:g} kg: the "
            "measured mass was used for m a; check machine.m, machine.A, and the scales of the "
            "accelerometer and the pressure sensors"
        )
    lost = max((m.lost for m in done), default=0.0)
    if lost > 0.0:
        found.append(f"of the readings of a speed up to {100 * lost:.2g} % were lost, and left out")
    again = [f"{m.leg.speed_m_s:g} m/s" for m in done if m.again]
    if again:
        found.append(f"driven more than once, because too much was lost: {', '.join(again)}")
    missing = len(store.header.legs) - len(done)
    if missing:
        found.append(f"not complete: {missing} of {len(store.header.legs)} speeds are not measured")
    return found


def again(folder: str | Path, mass_kg: float | None = None) -> list[Measured]:
    """Judges the stored samples again, without a rig; the results replace the stored ones."""
    store = Store.open(Path(folder))
    facts = store.header.facts if mass_kg is None else store.header.facts.weighing(mass_kg)
    expected, found = expect(store.header.facts), []
    for old in store.finished():
        made = evaluate(old.index, old.leg, store.samples(old.index), facts, expected, old.again)
        store.judged(made)
        found.append(made)
    return found


def weigh(store: Store) -> list[Measured]:
    """Judges again with the mass that the corners show, where it is not the declared one."""
    done, facts = store.finished(), store.header.facts
    fast = [m for m in done if m.leg.speed_m_s >= FAST * max(each.leg.speed_m_s for each in done)]
    if not fast or fast[-1].leg.speed_m_s < TELLING_M_S:
        return done
    mass_kg = apparent_mass([(m.leg, store.samples(m.index)) for m in fast], facts)
    if mass_kg is None or abs(mass_kg / facts["machine.m"] - 1) <= OFF or not 0.2 < mass_kg / facts["machine.m"] < 5:
        return done
    return again(store.folder, mass_kg)


def _ready(rig: "Client", facts: Facts) -> None:
    refuse_own_loop(facts["law.feedback"], "friction")
    status = rig.status()
    if status["trip"]:
        raise CampaignFault(f"{trip_text(status['trip'])}; then `hilctl reset`")
    if status["mode"] != "hold":
        raise CampaignFault(f"the rig is {status['mode']}; `hilctl arm` brings it to hold")
    if facts["law.feedback"] != "three_state":
        raise CampaignFault(
            f"law.feedback is {facts['law.feedback']}: the speed would ripple, and the curve would be wrong; "
            "`hilctl set law.feedback=three_state`"
        )


def _same(then: Facts, now: Facts) -> None:
    found = then.differences(now)
    if found:
        raise CampaignFault(
            f"parameters that enter the force changed since the campaign began: {'; '.join(found)}; restore them, or "
            "begin a new campaign"
        )
