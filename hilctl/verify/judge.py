"""The result: everything compared, the causes, and whether compensation may stay on."""

from collections.abc import Mapping

from hilctl.results.commissioned import Commissioned
from hilctl.results.prepared import Prepared
from hilctl.results.quantity import Quantity
from hilctl.results.verified import Cause, Compared, Compensation, Judged, Verdict
from hilctl.verify.compare import OFFSET, Rule, compare
from hilctl.verify.diagnose import OFFSETS, SUPPLY

OFF = "`hilctl set law.feed.inverse=0` switches it off"
PASCAL = 1e3  # to which a zero is known
KEEPS = 0.5  # of what compensation was worth
WORSE = 1.25  # times the distortion without, and than it was commissioned with: two cycles repeat within a fifth
STUCK_NULL = 1e-3  # of full opening: so far from the null a table holds still by static friction alone
GAUGE, SUPPLY_SHARE = 0.01, 0.05  # to which a transducer is right; a change of the flow by a fortieth
_CORE = ("m", "Qn", "friction_slow", "friction_middle", "friction_fast")


def stored_machine(stored: Commissioned) -> dict[str, Quantity]:
    """Its quantities, the null included."""
    found = dict(stored.plant or {})
    if "null" not in found and stored.prepared is not None:
        found["null"] = held_null(stored.prepared, found)
    return found


def held_null(made: Prepared, machine: Mapping[str, Quantity]) -> Quantity:
    """The opening that holds the table: it may stand anywhere within overlap and static friction."""
    overlaps = [machine[key].value or 0.0 for key in ("dead_band", "overlap_a", "overlap_b") if key in machine]
    half, null = STUCK_NULL + max(overlaps, default=0.0), made.null_opening
    return Quantity(null, null - half, null + half, "", "measured", "the opening at which the table is held")


def compare_zeros(stored: Prepared | None, now: Prepared, supply_pa: float) -> dict[str, Compared]:
    """The zeros of the pressure sensors."""
    then = {one.key: one.new for one in stored.zeroed} if stored else {}
    found = {}
    for one in now.zeroed:
        if one.key in OFFSETS:
            was = _zero(then[one.key]) if one.key in then else None
            rule = Rule(f"zero of {one.sensor}", amount=OFFSET * supply_pa)
            found[one.key] = compare(was, _zero(one.new), rule)
    return found


def _zero(pa: float) -> Quantity:
    return Quantity(pa, pa - PASCAL, pa + PASCAL, "Pa", "measured", "the supply off, the chambers vented")


def compare_supply(declared_pa: float, shown_pa: float | None) -> dict[str, Compared]:
    """What its sensor shows beside machine.Ps, at which the valve's gain holds; nothing where the rig has none."""
    if shown_pa is None:
        return {}
    near = GAUGE * shown_pa
    now = Quantity(shown_pa, shown_pa - near, shown_pa + near, "Pa", "measured", "in hold")
    then = Quantity(declared_pa, declared_pa, declared_pa, "Pa", "assumed", "machine.Ps")
    return {SUPPLY: compare(then, now, Rule("supply pressure", share=SUPPLY_SHARE))}


def verdict_of(compared: Mapping[str, Compared]) -> Verdict:
    """Of all together; undecided where one of those that decide most of the compensation is."""
    if any(one.verdict == "changed" for one in compared.values()):
        return "changed"
    sure = all(compared[key].verdict == "unchanged" for key in _CORE if key in compared)
    return "unchanged" if sure and any(key in compared for key in _CORE) else "undecided"


def compensation(
    stored: Commissioned, sines: Mapping[str, Judged], why_not: str, unstable: str, causes: list[Cause]
) -> Compensation:  # fmt: skip
    """Judged on the rig: by the sines, under the stored parameters."""
    if unstable:
        return Compensation(False, f"with the machine as it is now the loop is unstable: {unstable}",
                            "`hilctl off`; `hilctl tune` computes gains that hold", dict(sines))  # fmt: skip
    if stored.friction is None:
        return Compensation(None, "none was commissioned")
    if not sines:
        reason = why_not or "no sine of the commissioning could be repeated"
        if causes:
            return Compensation(False, f"not proved on the rig: {reason}; and the rig has changed", OFF)
        return Compensation(True, f"the rig has not changed; not proved on the rig: {reason}")
    said = ", ".join(_sine_text(key, one) for key, one in sines.items())
    if any(one.compensated > WORSE * one.without / min(_times_then(one) or 1.0, 1.0) for one in sines.values()):
        return Compensation(False, f"it distorts more than it removes: {said}", OFF, dict(sines))
    helps = "it still helps" if all(_times(one) >= 1.0 for one in sines.values()) else "it is no worse than it was"
    if any(_times(one) < KEEPS * (_times_then(one) or 0.0) for one in sines.values()):
        helps = "it helps less than when it was commissioned"
    return Compensation(True, f"{helps}: {said}", "", dict(sines))


def _times(one: Judged) -> float:
    return one.without / max(one.compensated, 1e-9)


def _times_then(one: Judged) -> float | None:
    if one.then_without is None or not one.then_compensated:
        return None
    return one.then_without / one.then_compensated


def _sine_text(key: str, one: Judged) -> str:
    then = _times_then(one)
    was = f" ({then:.2g} times when it was commissioned)" if then is not None else ""
    return f"{key} Hz: {one.without:.3g} → {one.compensated:.3g} %, {_times(one):.2g} times less{was}"
