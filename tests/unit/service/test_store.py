"""Parameters change all or nothing, with their old values kept."""

import math
from typing import Any

import pytest

from hilctl.params import BadValues
from hilctl.rig import load
from hilctl.service.store import UNDOS, Author, Store
from hilctl.wire.errors import Refused


@pytest.fixture
def store() -> Store:
    return Store(load("table-500", twin=True))


def _keys(store: Store, values: dict[str, Any]) -> list[str]:
    before = store.values()
    with pytest.raises(BadValues) as refused:
        store.propose(values)
    assert store.values() == before and store.epoch == 1
    return [problem.key for problem in refused.value.problems]


def test_a_change_is_in_force_once_it_is_adopted(store: Store) -> None:
    proposed = store.propose({"law.pid.kp_per_m": 3.0, "friction.sigma": 200.0, "limits.velocity.max_m_s": 0.5})
    assert store.epoch == 1 and store.values()["law.pid.kp_per_m"] != 3.0
    store.adopt(proposed)
    record = store.record(proposed)
    assert (store.epoch, record.epoch) == (2, 2)
    assert record.law.pid.kp_per_m == 3.0 and record.limits.velocity.max_m_s == 0.5 and record.friction.viscous == 200.0


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"law.pid.kp_per_m": math.nan}, "law.pid.kp_per_m"),
        ({"law.pid.kp_per_m": math.inf}, "law.pid.kp_per_m"),
        ({"law.pid.kp_per_m": "3"}, "law.pid.kp_per_m"),
        ({"law.pid.kp_per_m": -1.0}, "law.pid.kp_per_m"),
        ({"law.pid.kp_per_m": True}, "law.pid.kp_per_m"),
        ({"law.pid.kp": 1.0}, "law.pid.kp"),
        ({"law.pid": {"kp_per_m": 1.0}}, "law.pid"),
        ({"": 1.0}, ""),
        ({"limits.position.max_m": 100.0}, "limits.position.max_m"),
        ({"friction.nothing": 1.0}, "friction.nothing"),
        ({"friction.fs": math.nan}, "friction.fs"),
        ({"friction.model": "lugre"}, "friction.s0"),
        ({"loop.rate_hz": 2000.0}, "loop.rate_hz"),
        ({"service.lease_lost": "null"}, "service.lease_lost"),
        ({"driver.name": "null"}, "driver.name"),
    ],
)
def test_one_bad_value_refuses_the_good_ones_with_it(store: Store, values: dict[str, Any], key: str) -> None:
    assert key in _keys(store, values)
    assert key in _keys(store, {"machine.m": 501.0, **values, "law.blend_s": 0.1})


def test_every_problem_is_told_at_once(store: Store) -> None:
    keys = _keys(store, {"law.pid.kp_per_m": -1.0, "friction.fs": -1.0})
    assert {"law.pid.kp_per_m", "friction.fs"} <= set(keys)


def test_what_contradicts_another_table_is_refused(store: Store) -> None:
    assert "limits.position.max_m" in _keys(store, {"limits.position.max_m": 2 * store.rig.tables.machine.stroke_m})


def test_an_empty_change_is_refused(store: Store) -> None:
    assert _keys(store, {}) == ["values"]


def test_undo_goes_back_step_by_step(store: Store) -> None:
    start = store.values()
    for mass in (510.0, 520.0):
        store.adopt(store.propose({"machine.m": mass}))
    for expected in (510.0, start["machine.m"]):
        store.adopt(store.back())
        assert store.values()["machine.m"] == expected
    assert store.values() == start and store.epoch == 5
    with pytest.raises(Refused, match="nothing to undo"):
        store.back()


def test_only_so_many_sets_can_be_taken_back(store: Store) -> None:
    for number in range(UNDOS + 1):
        store.adopt(store.propose({"machine.m": 510.0 + number}))
    for _ in range(UNDOS):
        store.adopt(store.back())
    assert store.values()["machine.m"] == 510.0
    with pytest.raises(Refused, match=f"only {UNDOS} sets are kept"):
        store.back()


def test_a_set_keeps_who_and_why(store: Store) -> None:
    store.adopt(store.propose({"machine.m": 510.0}), Author("a client", "campaign 7, fit 2", 12, 34))
    store.adopt(store.back(), Author("another", "undo", 56, 78))
    first, second = (done.plain() for done in store.done)
    assert (first["author"], first["origin"], first["tick"]) == ("a client", "campaign 7, fit 2", 12)
    assert first["undoes"] == 0
    assert first["changed"] == [{"key": "machine.m", "old": 500.0, "new": 510.0}]
    assert (second["author"], second["undoes"]) == ("another", 2)
    assert second["changed"] == [{"key": "machine.m", "old": 510.0, "new": 500.0}]


def test_what_the_start_has_changed_differs_from_the_file() -> None:
    file = load("table-500", twin=True)
    store = Store(load("table-500", twin=True, changes={"machine.m": 501.0, "loop.spin_us": 5.0}), file=file)
    assert [edit.key for edit in store.differs()] == ["machine.m"]
    assert store.done[0].author.client == "hilctl run"
    with pytest.raises(Refused, match="those of the start"):
        store.back()


def test_values_are_chosen_by_key_or_table(store: Store) -> None:
    chosen = store.select(["law.pid", "machine.m"])
    assert "machine.m" in chosen and all(k.startswith(("law.pid.", "machine.m")) for k in chosen)
    assert store.select([]) == store.values()
    with pytest.raises(BadValues, match=r"did you mean 'machine\.Vt'"):
        store.select(["machine.VT"])


def test_every_leaf_has_a_value_and_the_other_way_round(store: Store) -> None:
    assert {leaf.path for leaf in store.leaves()} == set(store.values())


def test_gains_that_would_not_hold_the_nominal_plant_are_refused(store: Store) -> None:
    with pytest.raises(BadValues, match="unstable"):
        store.propose({"law.three_state.kd_per_m": 2000.0})
    with pytest.raises(BadValues, match="unstable"):
        store.propose({"machine.Qn": store.controller.machine.Qn * 50})
    assert store.propose({"law.three_state.kd_per_m": 15.0}).epoch == store.epoch + 1
