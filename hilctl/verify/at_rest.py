"""What is read at rest: the null, the zeros of the pressure sensors, the supply."""

from collections.abc import Mapping

from hilctl.results.prepared import Prepared
from hilctl.results.quantity import Quantity
from hilctl.results.verified import Compared
from hilctl.verify.compare import Rule, compare
from hilctl.verify.diagnose import OFFSETS, SUPPLY

OFFSET = 0.005  # of the supply pressure
PASCAL = 1e3  # to which a zero is known
STUCK_NULL = 1e-3  # of full opening: so far from the null a table holds still by static friction alone
GAUGE, SUPPLY_SHARE = 0.01, 0.05  # to which a transducer is right; a change of the flow by a fortieth


def with_null(machine: Mapping[str, Quantity], made: Prepared | None) -> dict[str, Quantity]:
    """The machine with its null: as it was identified, or else the opening at which the table was held."""
    own = machine.get("null")
    if made is None or (own is not None and own.identified):
        return dict(machine)
    return {**machine, "null": held_null(made, machine)}


def held_null(made: Prepared, machine: Mapping[str, Quantity]) -> Quantity:
    """The opening that holds the table: it may stand anywhere within overlap and static friction."""
    overlaps = [machine[key].value or 0.0 for key in ("overlap_a", "overlap_b") if key in machine]
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
