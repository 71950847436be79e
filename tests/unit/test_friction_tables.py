"""One direction's friction in the rig file and over the wire: set key by key, left open again, refused."""

import pytest

from hilctl import rig
from hilctl.params import BadValues
from hilctl.service.store import Store

REFUSED = [
    ("friction.negative.fs", 100.0, "at least fc = 287 N"),
    ("friction.negative.fs", -1.0, "must be 0 to 1e+07 N"),
    ("friction.negative.fs", "stiff", "must be a number"),
    ("friction.negative.fsc", 300.0, "fs'?"),
]
IN_THE_FILE = [
    ("friction.negative", 300.0, "must be a table"),
    ("twin.friction.negative.fs", 100.0, "at least fc = 287 N"),
]


@pytest.fixture
def store() -> Store:
    return Store(rig.load("table-500", twin=True))


def test_a_direction_of_its_own_is_said_key_by_key() -> None:
    changes = {"friction.negative.fs": 2500.0, "twin.friction.negative.fc": 250.0}
    loaded = rig.load("table-500", twin=True, changes=changes)
    assert loaded.friction.table()["negative"]["fs"] == loaded.driver_config.friction.negative.fs == 2500.0
    assert loaded.friction.table()["negative"]["fc"] is None
    assert loaded.driver_config.friction.negative.fc == 250.0
    assert loaded.friction.steady(-1e-4) == pytest.approx(-2500.3, abs=0.1)
    assert loaded.friction.steady(1e-4) == pytest.approx(3118.3, abs=0.1)


@pytest.mark.parametrize(("key", "value", "said"), REFUSED + IN_THE_FILE)
def test_a_bad_value_of_one_direction_is_refused_with_its_key(key: str, value: object, said: str) -> None:
    with pytest.raises(BadValues) as refused:
        rig.load("table-500", twin=True, changes={key: value})
    (told,) = [str(p) for p in refused.value.problems if p.key == key]
    assert said in told


@pytest.mark.parametrize(("key", "value", "said"), REFUSED)
def test_the_wire_refuses_it_too(store: Store, key: str, value: object, said: str) -> None:
    before = store.values()
    with pytest.raises(BadValues) as refused:
        store.propose({key: value})
    (told,) = [str(p) for p in refused.value.problems if p.key == key]
    assert said in told
    assert store.values() == before


def test_over_the_wire_one_direction_is_set_and_left_open_again(store: Store) -> None:
    assert store.values()["friction.negative.fs"] is None
    store.adopt(store.propose({"friction.negative.fs": 2500.0}))
    assert store.values()["friction.negative.fs"] == 2500.0
    assert store.rig.friction.steady(-1e-4) == pytest.approx(-2500.3, abs=0.1)
    store.adopt(store.propose({"friction.negative.fs": None}))
    assert store.rig.friction.steady(-1e-4) == pytest.approx(-3118.3, abs=0.1)
