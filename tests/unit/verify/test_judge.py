"""The verdict of all, and whether compensation may stay on."""

import pytest
from msgspec.structs import replace

from hilctl.results.commissioned import Commissioned
from hilctl.results.friction import ActiveFriction
from hilctl.results.prepared import Prepared, Zeroed
from hilctl.results.quantity import Quantity
from hilctl.results.verified import Cause, Compared, Judged
from hilctl.verify.at_rest import compare_supply, compare_zeros, with_null
from hilctl.verify.compensation import compensation
from hilctl.verify.judge import verdict_of

GOOD = Judged(0.08, 20.0, 1.0, 0.9)
CAUSE = [Cause("payload", "heavier", ["m"], "restore it")]
WITH = Commissioned(friction=ActiveFriction("lugre", "lugre", "", True, {}, {}))


def prepared(null=0.01, **zeros):
    made = [Zeroed(name, f"sensors.{name}.offset", 0.0, value, value, "") for name, value in zeros.items()]
    return Prepared("", made, "", null, 1.0, None, None, 1, [])


@pytest.mark.parametrize(
    ("verdicts", "wanted"),
    [
        ({"m": "unchanged", "Qn": "unchanged"}, "unchanged"),
        ({"m": "unchanged", "zv": "undecided"}, "unchanged"),
        ({"m": "undecided", "zv": "changed"}, "changed"),
        ({"m": "undecided", "Qn": "unchanged"}, "undecided"),
        ({"m": "unchanged", "friction_slow": "not measured"}, "undecided"),
        ({"zv": "unchanged"}, "undecided"),
        ({}, "undecided"),
    ],
)
def test_one_change_is_enough_and_what_decides_must_be_sure(verdicts, wanted):
    assert verdict_of({key: Compared(key, verdict) for key, verdict in verdicts.items()}) == wanted


@pytest.mark.parametrize(
    ("sines", "causes", "unstable", "may", "says"),
    [
        ({"1": GOOD}, [], "", True, "still helps: distortion at 1 Hz 20 % without it, 1 % with it (0.9 % when"),
        ({"1": Judged(0.08, 20.0, 15.0, 1.0)}, CAUSE, "", True, "it helps less than when it was commissioned"),
        ({"1": GOOD, "5": Judged(0.02, 9.0, 11.5, 1.0)}, [], "", False, "distorts more"),
        ({"1": Judged(0.08, 9.0, 11.0, 8.5)}, [], "", True, "no worse than it was"),
        ({"1": Judged(0.08, 9.0, 12.0, 10.0)}, [], "", True, "no worse than it was"),
        ({"1": Judged(0.08, 9.0, 13.0, 10.0)}, [], "", False, "distorts more"),
        ({}, [], "", True, "has not changed; not proved on the rig: late"),
        ({}, CAUSE, "", False, "the rig has changed"),
        ({"1": GOOD}, [], "no gains hold", False, "unstable: no gains hold"),
    ],
)
def test_the_rig_decides_whether_compensation_may_stay(sines, causes, unstable, may, says):
    told = compensation(WITH, sines, "late", unstable, causes)
    assert told.may_stay is may and says in told.text
    assert bool(told.remedy) == (not may)


def test_where_none_was_commissioned_nothing_may_stay():
    assert compensation(Commissioned(), {}, "", "", CAUSE).may_stay is None


def test_zeros_and_supply_count_by_the_supply_pressure():
    was, now = prepared(pressure_a=20e3, pressure_b=0.0, acceleration=0.1), prepared(pressure_a=140e3, pressure_b=1e4)
    found = compare_zeros(was, now, 21e6)
    assert [one.verdict for one in found.values()] == ["changed", "unchanged"]
    assert {one.verdict for one in compare_zeros(None, now, 21e6).values()} == {"not stored"}
    assert compare_supply(21e6, 19.5e6)["supply_pressure"].verdict == "changed"
    assert compare_supply(21e6, 20.5e6)["supply_pressure"].verdict == "unchanged"
    assert compare_supply(21e6, None) == {}


def test_a_null_that_is_only_the_command_of_a_held_table_is_as_sure_as_the_overlap_lets_it():
    plant = {"overlap_a": Quantity(0.03, 0.029, 0.031)}
    held = with_null(plant, prepared(0.01))["null"]
    assert (held.low, held.high) == pytest.approx((0.01 - 0.031, 0.01 + 0.031))
    own = Quantity(0.012, 0.0115, 0.0125)
    assert with_null({"null": own}, prepared(0.01))["null"] is own
    unsure = replace(own, origin="not identifiable").withheld()
    assert with_null({"null": unsure}, prepared(0.01))["null"].value == 0.01
    assert with_null({}, None) == {}
