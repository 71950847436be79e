"""The result: everything that was measured, held against what is stored."""

from collections.abc import Mapping

from hilctl.design.loop import refuse_unstable
from hilctl.experiment.facts import Facts
from hilctl.params import BadValues
from hilctl.results.quantity import Quantity
from hilctl.results.verified import Cause, Compared, Compensation, Verdict
from hilctl.verify import friction
from hilctl.verify.at_rest import compare_supply, compare_zeros, with_null
from hilctl.verify.compare import compare_all
from hilctl.verify.compensation import compensation
from hilctl.verify.diagnose import Seen, causes_of
from hilctl.verify.found import Asked, Found

DECIDES = ("m", "Qn", *friction.NAMES)  # most of what compensation does


def compared(asked: Asked, found: Found) -> dict[str, Compared]:
    """Every quantity."""
    stored, supply_pa = asked.stored, float(found.facts["machine.Ps"])
    force_n = supply_pa * float(found.facts["machine.A"])
    return {
        **compare_all(with_null(stored.plant or {}, stored.prepared), _machine(found), supply_pa),
        **friction.compared(stored, found.pairs, force_n),
        **compare_zeros(stored.prepared, found.prepared, supply_pa), **compare_supply(supply_pa, found.supply_pa),
    }  # fmt: skip


def causes(asked: Asked, found: Found, of: Mapping[str, Compared]) -> list[Cause]:
    """What the changes allow."""
    stored, now_degc = asked.stored, found.prepared.oil_after_degc
    then_degc = stored.prepared.oil_after_degc if stored.prepared else None
    warmer = now_degc - then_degc if now_degc is not None and then_degc is not None else None
    shifts = friction.shifts(friction.speeds_of(stored), of, stored.fit.table if stored.fit else {})
    return causes_of(Seen(of, shifts, asked.again, warmer, bool(found.facts["machine.vertical"])))


def verdict_of(of: Mapping[str, Compared]) -> Verdict:
    """Of all together; undecided where one of those is that decide most of what compensation does."""
    if any(one.verdict == "changed" for one in of.values()):
        return "changed"
    sure = [of[key].verdict == "unchanged" for key in DECIDES if key in of]
    return "unchanged" if sure and all(sure) else "undecided"


def may_stay(asked: Asked, found: Found, why: list[Cause]) -> Compensation:
    """Whether compensation may stay on."""
    return compensation(asked.stored, found.sines, found.why_not, _unstable(found), why)


def _machine(found: Found) -> dict[str, Quantity]:
    """By the names that a stored result has."""
    told = found.plant.told if found.plant else {}
    return with_null({key.removeprefix("machine."): one for key, one in told.items()}, found.prepared)


def _unstable(found: Found) -> str:
    """Why the active gains do not hold the machine as it is now; empty where they do."""
    if found.plant is None:
        return ""
    facts = found.facts
    now = Facts(facts.rig, facts.rate_hz, facts.epoch, {**facts.values, **found.plant.changes()})
    try:
        refuse_unstable(now.controller, now.friction, now.dt_s)
    except BadValues as bad:
        return str(bad)
    return ""
