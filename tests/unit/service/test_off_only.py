"""What is bound to off: every shift of displacement, every presence, every loosening, and nothing else."""

from typing import Any

import pytest

from hilctl.law.settings import Controller
from hilctl.params import BadValues, leaves
from hilctl.rig import Rig, load
from hilctl.service.changed import changed
from hilctl.service.off_only import SHIFTS, bound_to_off

GUARDED = [leaf for leaf in leaves(Controller) if leaf.path.startswith(("limits.", "sensors."))]


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load("table-500", twin=True)


def bound(rig: Rig, values: dict[str, Any]) -> list[str]:
    return [one.key for one in bound_to_off(rig, changed(rig, values))]


def test_every_limit_and_every_sensor_key_says_which_way_it_protects_less() -> None:
    assert [leaf.path for leaf in GUARDED if leaf.loosens is None] == []
    assert {leaf.path for leaf in GUARDED if leaf.path.endswith(".action") and leaf.loosens != "down"} == set()
    assert {leaf.path for leaf in GUARDED if leaf.path.endswith(".present") and leaf.loosens != "both"} == set()


@pytest.mark.parametrize("leaf", [leaf for leaf in GUARDED if leaf.kind == "choice"], ids=lambda leaf: leaf.path)
def test_an_action_may_become_stronger_anywhere_and_weaker_in_off(rig: Rig, leaf: Any) -> None:
    for old in leaf.choices:
        for new in leaf.choices:
            before = changed(rig, {leaf.path: old})
            weaker = leaf.choices.index(new) < leaf.choices.index(old)
            assert [one.key for one in bound_to_off(before, changed(before, {leaf.path: new}))] == [leaf.path] * weaker


NUMBERS = [leaf for leaf in GUARDED if leaf.kind in ("float", "int") and leaf.path not in SHIFTS]


@pytest.mark.parametrize("leaf", NUMBERS, ids=lambda leaf: leaf.path)
def test_a_number_may_be_tightened_anywhere_and_loosened_in_off(rig: Rig, leaf: Any) -> None:
    value, tried = _value(rig, leaf.path), 0
    step = 1 if leaf.kind == "int" else 1e-3 * (abs(value) or leaf.high - leaf.low)
    for new, way in ((value + step, "up"), (value - step, "down")):
        try:
            after = changed(rig, {leaf.path: new})
        except BadValues:
            continue  # beyond its bounds, or against another limit
        tried += 1
        assert [one.key for one in bound_to_off(rig, after)] == [leaf.path] * (leaf.loosens in ("both", way))
    assert tried


def _value(rig: Rig, path: str) -> Any:
    found: Any = rig.controller
    for name in path.split("."):
        found = getattr(found, name)
    return rig.controller.limits.stale.max_s if found is None else found


def test_an_age_that_is_left_open_is_judged_by_the_one_that_holds_instead(rig: Rig) -> None:
    key, most = "sensors.pressure_a.stale_s", rig.controller.limits.stale.max_s
    assert bound(rig, {key: 2 * most}) == [key]
    assert bound(rig, {key: 0.5 * most}) == []
    tight = changed(rig, {key: 0.5 * most})
    assert [one.key for one in bound_to_off(tight, changed(tight, {key: None}))] == [key]
    loose = changed(rig, {key: 2 * most})
    assert bound_to_off(loose, changed(loose, {key: None})) == ()


@pytest.mark.parametrize("key", SHIFTS)
def test_displacement_is_shifted_in_off_and_other_sensors_anywhere(rig: Rig, key: str) -> None:
    other = key.replace("displacement", "acceleration")
    assert bound(rig, {key: _value(rig, key) + 1e-3}) == [key]
    assert bound(rig, {other: _value(rig, other) + 1e-3}) == []


def test_gains_are_bound_to_nothing_and_several_reasons_are_all_told(rig: Rig) -> None:
    assert bound(rig, {"law.pid.kp_per_m": 3.0, "machine.m": 501.0, "friction.fc": 300.0}) == []
    values = {"sensors.displacement.offset": 0.01, "limits.velocity.action": "warn", "sensors.spool.present": False,
              "law.pid.kp_per_m": 3.0}  # fmt: skip
    assert sorted(bound(rig, values)) == sorted(key for key in values if key != "law.pid.kp_per_m")
