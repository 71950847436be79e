"""The course on the rig: two minutes, under the parameters of the commissioning, and nothing is left changed.

    prepared      sensors zeroed, null and polarity proved, the oil warm; as a commissioning is
    plant         mass, flow gain, oil, valve: two sines and two chirps, without the inverse model
    friction      three of the speeds of the commissioning
    sines         with and without compensation, where one was commissioned

What cannot be measured is left out with its reason, unless the rig has tripped; then the parameters are restored, and
the work ends.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from hilctl.commission.candidates import switch
from hilctl.commission.parameters import INVERSE, adopt, applicable, restored, settable
from hilctl.commission.progress import SINE_S
from hilctl.commission.sines import Size, measure
from hilctl.errors import HilctlError, WrongUse
from hilctl.experiment import course, journal, store
from hilctl.experiment.drive import LegFault, holds, look
from hilctl.experiment.facts import read_facts
from hilctl.experiment.own_loop import refuse_on
from hilctl.experiment.prepare import prepare
from hilctl.experiment.stages import PLANT_S, PREPARING_S, Progress, Stages
from hilctl.experiment.store import StoreError
from hilctl.identify.friction import Campaign, CannotPlan, campaign_of
from hilctl.identify.friction.campaign import FORMAT, PLAN, RESUME, Header
from hilctl.identify.plant import identify_plant
from hilctl.params import BadValues
from hilctl.results.commissioned import Commissioned
from hilctl.results.verified import Judged, Verified
from hilctl.verify import friction, judge
from hilctl.verify.found import Asked, Found
from hilctl.wire.errors import Refused

if TYPE_CHECKING:
    from hilctl.client import Client

WORK, ORIGIN = "verification", "verify"
FRICTION_S = 24.0  # of rig time
LOOKED_S = 0.3
_FAULTS = (LegFault, StoreError, CannotPlan, BadValues)

Tell = Callable[[str, Progress], None]


class VerifyFailed(HilctlError):
    """It could not be verified. The message says at what, what is wrong, and what became of the parameters."""


class _Stage(Stages):
    """Where it is and what is found so far, also for messages."""

    name = ""
    found: Found | None = None

    def say(self, text: str, share: float | None = None) -> None:
        self.name = text
        super().say(text, share)


def verify(rig: "Client", asked: Asked, tell: Tell = lambda text, now: None) -> Verified:
    """Measures and judges. VerifyFailed where the rig does not go through with it."""
    refuse_on(rig, "commission")
    if asked.stored.rig != rig.hello["rig"]:
        raise WrongUse(f"{asked.source} is of the rig {asked.stored.rig}, this is {rig.hello['rig']}")
    if not asked.stored.plant and not asked.stored.campaign:
        raise WrongUse(f"{asked.source} holds neither machine nor friction: nothing to verify; commission first")
    if course.is_begun(asked.folder):
        raise WrongUse(f"{asked.folder} already holds samples; name another folder (--out)")
    _refuse_other_scales(rig, asked)
    begun_s, begun_tick, date = time.monotonic(), _tick(rig), datetime.now(UTC).isoformat(timespec="seconds")
    rate_hz, before, stage = float(rig.hello["rate_hz"]), settable(rig), _Stage(expected_s(asked), tell)
    begun = course.now(asked.stored.rig, rate_hz, before, {"source": str(asked.source)}, work=WORK)
    course.begun(asked.folder, begun)
    try:
        with journal.kept(asked.folder / course.LEGS):
            found = stage.found = _prepared(rig, asked, stage)
            _measure(rig, asked, found, stage)
    except KeyboardInterrupt:
        restored(rig, before, f"{ORIGIN}, interrupted")
        raise
    except (*_FAULTS, Refused, OSError) as fault:
        kept = restored(rig, before, f"{ORIGIN}, broken off")
        raise VerifyFailed(f"{stage.name}: {fault}; {kept}{_until_then(asked, stage.found)}") from fault
    kept = restored(rig, before, ORIGIN)
    stored, of = asked.stored, judge.compared(asked, found)
    why = judge.causes(asked, found, of)
    return Verified(
        rig=stored.rig, date=date, source=str(asked.source), commissioned=stored.date, verdict=judge.verdict_of(of),
        compared=of, causes=why, compensation=judge.may_stay(asked, found, why),
        notes=[*found.prepared.remarks, *found.notes, kept], prepared=found.prepared,
        oil_then_degc=stored.prepared.oil_after_degc if stored.prepared else None,
        oil_now_degc=found.prepared.oil_after_degc, folder=str(asked.folder),
        rig_seconds=(_tick(rig) - begun_tick) / rate_hz, wall_seconds=time.monotonic() - begun_s,
    )  # fmt: skip


def expected_s(asked: Asked) -> dict[str, float]:
    """Its stages in their order, and how long each may take."""
    stored = asked.stored
    stages = {"preparing": PREPARING_S + asked.warm_up_s}
    if stored.plant:
        stages["machine"] = PLANT_S
    if stored.campaign:
        stages["friction"] = FRICTION_S
    if stored.friction is not None:
        stages["sines"] = 2 * SINE_S * len(_driven(stored))
    return stages


def _refuse_other_scales(rig: "Client", asked: Asked) -> None:
    """VerifyFailed where forces are computed otherwise than they were: all of them would seem to have changed."""
    try:
        then = store.opened(asked.source.parent / "friction" / PLAN, Header, FORMAT, "campaign").facts
    except StoreError:
        return  # the result alone is kept
    now = read_facts(rig)
    found = then.differences(now.weighing(then["machine.m"]))
    if found:
        raise VerifyFailed(
            f"forces are not computed as they were when the rig was commissioned: {'; '.join(found)}; restore that, or "
            f"commission again: `{asked.command}`"
        )


def _until_then(asked: Asked, found: Found | None) -> str:
    """What has been found when it ends early, which may be why."""
    causes = judge.causes(asked, found, judge.compared(asked, found)) if found else []
    return "".join(f". Until then: {cause.text}; {cause.remedy}" for cause in causes)


def _prepared(rig: "Client", asked: Asked, stage: _Stage) -> Found:
    stage.begin("preparing")
    made = prepare(rig, warm_up_s=asked.warm_up_s, tell=stage.say)
    notes = _as_commissioned(rig, asked.stored)
    return Found(read_facts(rig), made, _supply(rig), notes=notes)


def _measure(rig: "Client", asked: Asked, found: Found, stage: _Stage) -> None:
    stored = asked.stored
    if stored.plant:
        with _or_without(rig, found, "mass, flow, oil and valve"):
            stage.begin("machine")
            found.plant = identify_plant(rig, lambda name, share: stage.say(f"machine: {name}", share))
    if stored.campaign:
        with _or_without(rig, found, "friction"):
            _friction(rig, asked, found, stage)
    if stored.friction is not None:
        with _or_without(rig, found, "the effect of compensation"):
            _sines(rig, stored, found, stage)


def _as_commissioned(rig: "Client", stored: Commissioned) -> list[str]:
    """Under the stored parameters and three-variable control, the inverse model off; notes where others were active."""
    switch(rig, 0.0, ORIGIN)
    wanted = {**applicable(stored.sent.values if stored.sent else {}), "law.feedback": "three_state"}
    wanted.pop(INVERSE, None)
    active = settable(rig)
    values = {key: value for key, value in wanted.items() if active.get(key) != value}
    if not values:
        return []
    adopt(rig, values, f"{ORIGIN}, as commissioned")
    named = ", ".join([*sorted(values)[:3], *(["…"] if len(values) > 3 else [])])
    line = stored.sent.line if stored.sent and stored.sent.line else "the values of its result"
    text = f"{len(values)} active parameters were not those of the commissioning ({named})"
    return [f"{text}; they were set for the verification, and are restored; in the rig file, {line} keeps them"]


def _supply(rig: "Client") -> float | None:
    """What its sensor shows in hold; None where the rig has none."""
    shown = look(rig, LOOKED_S, ("supply_pressure_pa",)).readings("supply_pressure_pa")
    shown = shown[np.isfinite(shown)]
    return float(np.mean(shown)) if len(shown) else None


@contextmanager
def _or_without(rig: "Client", found: Found, what: str) -> Iterator[None]:
    """Leaves it out with the reason, unless the rig has tripped."""
    try:
        yield
    except (LegFault, Refused, CannotPlan) as fault:
        if not holds(rig):
            raise
        found.notes.append(f"not measured: {what}: {fault}")
        found.why_not = str(fault)


def _friction(rig: "Client", asked: Asked, found: Found, stage: _Stage) -> None:
    """Three speeds; the mass is compared by itself."""
    speeds = friction.asked(friction.speeds_of(asked.stored))
    campaign = Campaign.begin(rig, asked.folder / "friction", speeds, FRICTION_S, found.prepared)
    stage.begin("friction")
    try:
        for measured in campaign.run():
            now = campaign.progress
            stage.say(f"friction: {measured.leg.speed_m_s:g} m/s measured", now.done / now.of)
    except LegFault as fault:
        raise LegFault(str(fault).removesuffix(RESUME).rstrip(". ")) from fault  # two minutes are repeated
    made = campaign_of(campaign)
    found.pairs = made.curve
    found.notes += [remark for remark in made.remarks if "moving mass" not in remark]


def _driven(stored: Commissioned) -> tuple[str, ...]:
    """Of the sines that were commissioned, the slowest and the fastest."""
    held = sorted((key for key, one in stored.thd.items() if one.after is not None), key=float)
    return tuple(dict.fromkeys((*held[:1], *held[-1:])))


def _sines(rig: "Client", stored: Commissioned, found: Found, stage: _Stage) -> None:
    """With and without compensation, as they were commissioned: the slowest, which shows wrong friction most, and the
    fastest, which shows a wrong mass most.
    """
    keys = _driven(stored)
    limits = rig.get("limits.position")
    center_m = 0.5 * (limits["limits.position.min_m"] + limits["limits.position.max_m"])
    sizes = {key: Size(float(key), stored.thd[key].amplitude_m, center_m) for key in keys}
    seen: dict[str, list[float]] = {key: [] for key in keys}
    stage.begin("sines")
    for share in (0.0, 1.0):
        switch(rig, share, ORIGIN)
        for number, (key, size) in enumerate(sizes.items()):
            text = f"sine of {key} Hz, {'with' if share else 'without'} compensation"
            stage.say(text, 0.5 * (share + number / len(sizes)))
            seen[key].append(measure(rig, size).distortion.percent)
    for key, (without, compensated) in seen.items():
        was = stored.thd[key]
        found.sines[key] = Judged(was.amplitude_m, without, compensated, was.after)


def _tick(rig: "Client") -> int:
    return int(rig.status()["tick"])
