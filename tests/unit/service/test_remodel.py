"""A set may change the friction's model: the new one's keys, checked whole; taken back, exactly."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl import rig
from hilctl.friction import MODELS, friction_of, linear_models, rt_steady
from hilctl.params import BadValues, flatten, leaves
from hilctl.service.store import Set, Store
from hilctl.wire.errors import Refused

LUGRE = {"friction.model": "lugre", "friction.s0": 1e8, "friction.s1": 1e5}
START = rig.load("table-500", twin=True)


@pytest.fixture
def store() -> Store:
    return Store(START)


def problems(store: Store, values: dict[str, Any]) -> dict[str, str]:
    before = store.rig, store.epoch, store.values()
    with pytest.raises(BadValues) as refused:
        store.propose(values)
    assert (store.rig, store.epoch, store.values()) == before
    return {p.key: str(p) for p in refused.value.problems}


def test_a_new_model_brings_its_keys_and_keeps_what_both_have(store: Store) -> None:
    was = store.values()
    proposed = store.propose({**LUGRE, "friction.fc": 300.0})
    store.adopt(proposed)
    values = store.values()
    assert proposed.remodels
    assert (values["friction.model"], values["friction.fc"], values["friction.s0"]) == ("lugre", 300.0, 1e8)
    assert (values["friction.fs"], values["friction.sigma"]) == (was["friction.fs"], was["friction.sigma"])
    assert values["friction.negative.fc"] is None and values["friction.negative.s0"] is None
    assert {leaf.path for leaf in store.leaves()} == set(values)
    assert store.record(proposed).friction.code == MODELS["lugre"].code
    told = {edit.key: (edit.old, edit.new) for edit in proposed.edits}
    assert told["friction.model"] == ("karnopp", "lugre")
    assert told["friction.s1"] == (None, 1e5)


def test_a_direction_of_its_own_goes_over_to_a_model_that_has_it(store: Store) -> None:
    store.adopt(store.propose({"friction.negative.fc": 250.0, "friction.negative.fs": 2000.0}))
    store.adopt(store.propose({"friction.model": "static", "friction.fv": 3000.0, "friction.negative.fs": None}))
    values = store.values()
    assert (values["friction.negative.fc"], values["friction.negative.fs"]) == (250.0, None)
    assert values["friction.negative.dv"] is None


def test_a_total_stiffness_goes_over_unless_the_elements_are_listed(store: Store) -> None:
    store.adopt(store.propose(LUGRE))
    assert store.propose({"friction.model": "gms"}).rig.friction.params.s0 == 1e8  # type: ignore[attr-defined]
    listed = {"friction.model": "gms", "friction.alpha": [0.4, 0.6], "friction.k": [5e7, 4e7]}
    store.adopt(store.propose(listed))
    assert store.values()["friction.s0"] is None
    assert "friction.s0" in problems(store, {"friction.model": "lugre", "friction.s1": 1e5})


def test_every_problem_of_a_new_model_is_told_at_once(store: Store) -> None:
    bad = {"friction.s0": 1.0, "friction.sigmaa": 5.0, "friction.vd": "x", "machine.m": -1}
    told = problems(store, {"friction.model": "lugre", **bad})
    assert "friction model lugre; did you mean 'friction.sigma'" in told["friction.sigmaa"]
    assert "missing" in told["friction.s1"]
    assert {"friction.s0", "friction.vd", "machine.m"} <= set(told)


@pytest.mark.parametrize(
    ("name", "said"),
    [("lugr", "did you mean 'lugre'"), ("pendulum", "must be one of"), (3, "must be one of"), (None, "must be one of")],
)
def test_a_model_that_there_is_none_of_is_refused(store: Store, name: object, said: str) -> None:
    assert said in problems(store, {"friction.model": name, "friction.s0": 1e8})["friction.model"]


def test_the_law_of_a_joint_is_refused_by_name(store: Store) -> None:
    joint = next(name for name, model in MODELS.items() if model.rotary)
    assert "the law of a joint" in problems(store, {"friction.model": joint})["friction.model"]


def test_a_model_under_which_the_loop_is_unstable_is_refused(store: Store) -> None:
    with pytest.raises(BadValues, match="unstable"):
        store.propose({**LUGRE, "law.three_state.kd_per_m": 2000.0})


@pytest.mark.parametrize("before", [0.0, 1.0])
def test_the_inverse_model_must_be_out(store: Store, before: float) -> None:
    if before:
        store.adopt(store.propose({"law.feed.inverse": before}))
    told = problems(store, {**LUGRE, "law.feed.inverse": 1.0 - before})["friction.model"]
    assert "law.feed.inverse" in told and "set of its own" in told
    if before:
        store.adopt(store.propose({"law.feed.inverse": 0.0}))
    assert store.propose(LUGRE).remodels


def test_undo_walks_back_across_models(store: Store) -> None:
    sets = [LUGRE, {"friction.fc": 310.0}, {"friction.model": "gms", "friction.s0": 2e8}, {"law.feed.inverse": 0.5}]
    held, records = [store.values()], [store.record(Set(store.rig, 0, ()))]
    for values in sets:
        store.adopt(store.propose(values))
        held.append(store.values())
        records.append(store.record(Set(store.rig, 0, ())))
    for number in range(len(sets) - 1, -1, -1):
        back = store.back()
        assert back.undoes == number + 2
        assert back.remodels == (number in (0, 2))
        store.adopt(back)
        assert store.values() == held[number]
        assert store.record(back._replace(epoch=0)).tobytes() == records[number].tobytes()
    with pytest.raises(Refused, match="nothing to undo: the parameters are those of the start"):
        store.back()


def test_between_two_models_a_reference_at_rest_needs_no_friction() -> None:
    """The loop blends word by word: what the words mean on the way must not matter while nothing moves."""
    packed = {n: friction_of(MODELS[n].Params(**MODELS[n].typical)).packed() for n in linear_models()}
    for old in packed.values():
        for name, new in packed.items():
            for share in (1e-12, 1e-3, 0.5, 1 - 1e-12, 1.0):
                assert rt_steady(MODELS[name].code, old + share * (new - old), 0.0, 0.0) == 0.0


def _numbers() -> st.SearchStrategy[Any]:
    good = st.floats(1.0, 5.0)
    return st.one_of(good, good, st.just(None), st.just(-1.0), st.just(float("nan")), st.just("x"))


@st.composite
def _set(draw: st.DrawFn) -> dict[str, Any]:
    """Some keys of some model, near values that it knows; now and then one that no model takes."""
    name = draw(st.sampled_from(linear_models()))
    typical = flatten(friction_of(MODELS[name].Params(**MODELS[name].typical)).params, "friction")
    whole = {key: value for key, value in typical.items() if value is not None}
    keys = draw(st.lists(st.sampled_from(sorted(whole)), unique=True, max_size=4))
    values = whole if draw(st.booleans()) else {key: whole[key] for key in keys}
    values = {**values, "friction.model": name} if draw(st.integers(0, 3)) else values
    scale = draw(st.floats(1.0, 1.2))
    values |= {"friction.fc": scale * 280.0} if draw(st.booleans()) else {}
    values |= {"machine.m": draw(st.floats(450.0, 550.0))} if draw(st.booleans()) else {}
    if not draw(st.integers(0, 3)):
        values[draw(st.sampled_from(["friction.fx", "friction.fs", "friction.negative.fs", "machine.A"]))] = draw(
            _numbers()
        )
    return values


@settings(max_examples=60, deadline=None)
@given(sets=st.lists(_set(), min_size=1, max_size=5))
def test_a_set_is_all_or_nothing_and_undo_restores_to_the_bit(sets: list[dict[str, Any]]) -> None:
    store = Store(START)
    held = [(store.values(), store.record(Set(store.rig, 0, ())).tobytes())]
    for values in sets:
        before, epoch = held[-1], store.epoch
        try:
            proposed = store.propose(values)
        except BadValues:
            assert (store.values(), store.epoch) == (before[0], epoch)
            continue
        store.adopt(proposed)
        now = store.values()
        for key, value in values.items():
            assert now[key] == (list(value) if isinstance(value, tuple) else value)
        assert set(now) == {leaf.path for leaf in store.leaves()}
        name = now["friction.model"]
        own = {leaf.path for leaf in leaves(MODELS[name].Params, "friction")}
        assert {key for key in now if key.startswith("friction.")} == own
        assert {e.key: e.new for e in proposed.edits}.items() <= {**dict.fromkeys(before[0]), **now}.items()
        held.append((now, store.record(Set(store.rig, 0, ())).tobytes()))
    while len(held) > 1:
        held.pop()
        store.adopt(store.back())
        assert (store.values(), store.record(Set(store.rig, 0, ())).tobytes()) == held[-1]
    assert not store.differs()
