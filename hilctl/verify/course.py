"""The course on the rig: two minutes, under the parameters of the commissioning, and nothing is left changed.

    prepared      sensors zeroed, null and polarity proved, the oil warm; as a commissioning is
    plant         mass, flow gain, oil, valve: two sines and two chirps, without the inverse model
    friction      three of the speeds of the commissioning
    sines         with and without compensation, where one was commissioned

What cannot be measured is left out with its reason, unless the rig has tripped; then the parameters are restored, and
the work ends.
"""

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hilctl.commission.candidates import switch
from hilctl.commission.parameters import INVERSE, adopt, applicable, restored, settable
from hilctl.commission.sines import FEW_CYCLES, Size, measure
from hilctl.design.loop import refuse_unstable
from hilctl.errors import HilctlError, WrongUse
from hilctl.experiment import course, journal
from hilctl.experiment.drive import LegFault, look
from hilctl.experiment.facts import Facts, read_facts
from hilctl.experiment.own_loop import refuse_on
from hilctl.experiment.prepare import prepare
from hilctl.experiment.store import StoreError
from hilctl.identify.friction import Campaign, CannotPlan, campaign_of
from hilctl.identify.plant import PlantFit, identify_plant
from hilctl.params import BadValues
from hilctl.results.commissioned import PARTS, Commissioned, has
from hilctl.results.friction import Pair
from hilctl.results.prepared import Prepared
from hilctl.results.quantity import Quantity
from hilctl.results.verified import Judged, Verified
from hilctl.verify import friction
from hilctl.verify.compare import compare_all
from hilctl.verify.diagnose import Seen, causes_of
from hilctl.verify.judge import compare_supply, compare_zeros, compensation, held_null, stored_machine, verdict_of
from hilctl.wire.errors import Refused

if TYPE_CHECKING:
    from hilctl.client import Client

WORK, ORIGIN = "verification", "verify"
FRICTION_S = 24.0  # of rig time
LOOKED_S = 0.3
_FAULTS = (LegFault, StoreError, CannotPlan, BadValues)


class VerifyFailed(HilctlError):
    """It could not be verified. The message says at what, what is wrong, and what became of the parameters."""


class Asked(NamedTuple):
    """What is held against what, and where it is kept."""

    stored: Commissioned
    source: Path  # the file of that
    folder: Path
    warm_up_s: float = 10.0
    command: str = "hilctl commission"  # for remedies

    def again(self, *parts: str) -> str:
        """The command that commissions these parts again, as far as they were commissioned."""
        held = [part for part in PARTS if part in parts and has(self.stored, part)] or parts
        return f"{self.command} --only {','.join(held)} --out {shlex.quote(str(self.source.parent))}"


class _Found:
    """What was measured so far."""

    def __init__(self) -> None:
        self.prepared: Prepared | None = None
        self.plant: PlantFit | None = None
        self.pairs: list[Pair] = []
        self.sines: dict[str, Judged] = {}
        self.facts: Facts | None = None
        self.supply_pa: float | None = None
        self.notes: list[str] = []
        self.why_no_sines = ""


def verify(rig: "Client", asked: Asked, tell: Callable[[str], None] = lambda text: None) -> Verified:
    """Measures and judges. VerifyFailed where the rig does not go through with it."""
    refuse_on(rig, "commission")
    if asked.stored.rig != rig.hello["rig"]:
        raise WrongUse(f"{asked.source} is of the rig {asked.stored.rig}, this is {rig.hello['rig']}")
    if not asked.stored.plant and not asked.stored.campaign:
        raise WrongUse(f"{asked.source} holds neither machine nor friction: nothing to verify; commission first")
    begun_s, begun_tick, date = time.monotonic(), _tick(rig), datetime.now(UTC).isoformat(timespec="seconds")
    before, found, stage = settable(rig), _Found(), [""]

    def stages(text: str) -> None:
        stage[0] = text
        tell(text)

    now = course.now(asked.stored.rig, rig.hello["rate_hz"], before, {"source": str(asked.source)}, work=WORK)
    course.begun(asked.folder, now)
    try:
        with journal.kept(asked.folder / course.LEGS):
            _measure(rig, asked, found, stages)
    except KeyboardInterrupt:
        restored(rig, before, f"{ORIGIN}, interrupted")
        raise
    except (*_FAULTS, Refused, OSError) as fault:
        kept = restored(rig, before, f"{ORIGIN}, broken off")
        raise VerifyFailed(f"{stage[0]}: {fault}; {kept}") from fault
    restored(rig, before, ORIGIN)
    rig_s = (_tick(rig) - begun_tick) / float(rig.hello["rate_hz"])
    return _judged(asked, found, date, rig_s, time.monotonic() - begun_s)


def _measure(rig: "Client", asked: Asked, found: _Found, tell: Callable[[str], None]) -> None:
    stored = asked.stored
    tell("preparing")
    found.prepared = prepare(rig, warm_up_s=asked.warm_up_s, tell=tell)
    _as_commissioned(rig, stored, found)
    found.facts = read_facts(rig)
    found.supply_pa = _supply(rig)
    if stored.plant:
        with _or_without(rig, found, "mass, flow, oil and valve"):
            found.plant = identify_plant(rig, lambda name, done: tell(f"machine: {name}"))
    pairs = friction.speeds_of(stored)
    if pairs:
        with _or_without(rig, found, "friction"):
            found.pairs = _friction(rig, asked, found, friction.asked(pairs), tell)
    if stored.friction is not None:
        with _or_without(rig, found, "the effect of compensation"):
            _sines(rig, stored, found, tell)


def _supply(rig: "Client") -> float | None:
    """What its sensor shows in hold; None where the rig has none."""
    shown = look(rig, LOOKED_S, ("supply_pressure_pa",)).readings("supply_pressure_pa")
    shown = shown[np.isfinite(shown)]
    return float(np.mean(shown)) if len(shown) else None


def _as_commissioned(rig: "Client", stored: Commissioned, found: _Found) -> None:
    """Under the stored parameters and three-variable control, the inverse model off."""
    switch(rig, 0.0, ORIGIN)
    wanted = {**applicable(stored.sent.values if stored.sent else {}), "law.feedback": "three_state"}
    wanted.pop(INVERSE, None)
    active = settable(rig)
    values = {key: value for key, value in wanted.items() if active.get(key) != value}
    if not values:
        return
    adopt(rig, values, f"{ORIGIN}, as commissioned")
    named = ", ".join([*sorted(values)[:3], *(["…"] if len(values) > 3 else [])])
    found.notes.append(
        f"{len(values)} active parameters were not those of the commissioning ({named}); they were meanwhile, and are "
        f"restored; {stored.sent.line if stored.sent and stored.sent.line else 'the rig file'} keeps them"
    )


@contextmanager
def _or_without(rig: "Client", found: _Found, what: str) -> Iterator[None]:
    """Leaves it out with the reason, unless the rig has tripped."""
    try:
        yield
    except (LegFault, Refused, CannotPlan) as fault:
        status = rig.status()
        if status["mode"] != "hold" or status["trip"]:
            raise
        found.notes.append(f"not measured: {what}: {fault}")
        found.why_no_sines = str(fault)


def _friction(
    rig: "Client", asked: Asked, found: _Found, speeds: list[float], tell: Callable[[str], None]
) -> list[Pair]:
    campaign = Campaign.begin(rig, asked.folder / "friction", speeds, FRICTION_S, found.prepared)
    for measured in campaign.run():
        tell(f"friction: {measured.leg.speed_m_s:g} m/s measured")
    made = campaign_of(campaign)
    found.notes += [remark for remark in made.remarks if "moving mass" not in remark]  # which is compared by itself
    return made.curve


def _sines(rig: "Client", stored: Commissioned, found: _Found, tell: Callable[[str], None]) -> None:
    """The slowest, which shows wrong friction most, the fastest, which shows a wrong mass most, and the one by which
    friction models were chosen: with and without compensation."""
    held = sorted((key for key, one in stored.thd.items() if one.after is not None), key=float)
    chosen = f"{stored.choice.frequency_hz:g}" if stored.choice else ""
    keys = [key for key in held if key in (held[0], chosen, held[-1])]
    limits = rig.get("limits.position")
    center_m = 0.5 * (limits["limits.position.min_m"] + limits["limits.position.max_m"])
    sizes = {key: Size(float(key), stored.thd[key].amplitude_m, center_m) for key in keys}
    seen: dict[str, list[float]] = {key: [] for key in keys}
    for share in (0.0, 1.0):
        switch(rig, share, ORIGIN)
        for key, size in sizes.items():
            tell(f"sine of {key} Hz, {'with' if share else 'without'} compensation")
            seen[key].append(measure(rig, size, FEW_CYCLES).distortion.percent)
    for key, (without, compensated) in seen.items():
        was = stored.thd[key]
        found.sines[key] = Judged(was.amplitude_m, without, compensated, was.before, was.after)


def _judged(asked: Asked, found: _Found, date: str, rig_s: float, wall_s: float) -> Verified:
    stored, made = asked.stored, found.prepared
    assert made is not None and found.facts is not None
    then, now = stored_machine(stored), _machine(found)
    declared_pa = float(found.facts["machine.Ps"])
    compared = compare_all(then, now, declared_pa)
    pairs = friction.speeds_of(stored)
    compared |= friction.compared(pairs, found.pairs, stored)
    compared |= compare_zeros(stored.prepared, made, declared_pa) | compare_supply(declared_pa, found.supply_pa)
    oil_then = stored.prepared.oil_after_degc if stored.prepared else None
    oil_now = made.oil_after_degc
    warmer = oil_now - oil_then if oil_now is not None and oil_then is not None else None
    causes = causes_of(Seen(
        compared, friction.shifts(pairs, compared, stored.fit.table if stored.fit else {}), asked.again, warmer
    ))  # fmt: skip
    return Verified(
        rig=stored.rig, date=date, source=str(asked.source), commissioned=stored.date, verdict=verdict_of(compared),
        compared=compared, causes=causes,
        compensation=compensation(stored, found.sines, found.why_no_sines, _unstable(found), causes),
        notes=[*made.remarks, *found.notes], prepared=made, oil_then_degc=oil_then, oil_now_degc=oil_now,
        folder=str(asked.folder), rig_seconds=rig_s, wall_seconds=wall_s,
    )  # fmt: skip


def _machine(found: _Found) -> dict[str, Quantity]:
    """By the names that a stored result has."""
    assert found.prepared is not None
    told = found.plant.told if found.plant else {}
    named = {key.removeprefix("machine."): one for key, one in told.items()}
    return named if "null" in named else {**named, "null": held_null(found.prepared, named)}


def _unstable(found: _Found) -> str:
    """Why the active gains do not hold the machine as it is now; empty where they do."""
    if found.plant is None or found.facts is None:
        return ""
    facts = found.facts
    now = Facts(facts.rig, facts.rate_hz, facts.epoch, {**facts.values, **found.plant.changes()})
    try:
        refuse_unstable(now.controller, now.friction, now.dt_s)
    except BadValues as bad:
        return str(bad)
    return ""


def _tick(rig: "Client") -> Any:
    return int(rig.status()["tick"])
