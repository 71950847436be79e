"""What an identified law changes in a rig: only what differs, and in an order that the service takes."""

import pytest

from hilctl.friction import check_friction
from hilctl.identify.friction_sets import changes, holder
from hilctl.identify.presliding.judge_told import Presliding, steps
from hilctl.params.tables import flat
from hilctl.rig import load
from hilctl.service.changed import changed
from hilctl.service.store import Store, values_of

CURVE = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
GMS = {"model": "gms", **CURVE, "C": 1e6, "alpha": [0.4, 0.6], "k": [7e7, 3e7]}
LUGRE = {"model": "lugre", **CURVE, "s0": 1e8, "s1": 1e5, "vd": 0.1}


def found(kind, table):
    return Presliding(kind, True, check_friction(table), {}, "", "", (), 1.0, None, None, None, (), 0.0)


def rig(**friction):
    return load("table-500", twin=True, changes={f"friction.{key}": value for key, value in friction.items()})


@pytest.mark.parametrize("share", [0.0, 0.7])
@pytest.mark.parametrize(
    "before", [{}, {"model": "lugre", "s0": 3e7, "s1": 1e4}, {"model": "gms", "s0": 1e8}, {"model": "stribeck"}]
)
@pytest.mark.parametrize(("kind", "law"), [("lugre", LUGRE), ("gms", GMS)])
def test_the_service_takes_every_step_and_then_has_the_law(before, kind, law, share):
    now = load("table-500", twin=True,
               changes={**{f"friction.{k}": v for k, v in before.items()}, "law.feed.inverse": share})  # fmt: skip
    made = steps(found(kind, law), values_of(now))
    assert len(made) == (3 if share else 1)
    for one in made:
        now = changed(now, one)
    told = check_friction(law)
    assert (now.friction.model, list(now.friction.packed())) == (told.model, list(told.packed()))
    assert Store(now).values()["law.feed.inverse"] == share
    assert steps(found(kind, law), values_of(now)) == []


def test_only_what_differs_is_sent():
    assert steps(found("lugre", LUGRE), values_of(rig(model="lugre", s0=1e8, s1=5e4))) == [{"friction.s1": 1e5}]


@pytest.mark.parametrize(("model", "kept"), [("karnopp", "karnopp"), ("stribeck", "stribeck"), ("lugre", "karnopp")])
def test_friction_that_jumps_keeps_a_law_that_does(model, kept):
    bristles = {"s0": 1e8, "s1": 1e5} if model == "lugre" else {}
    [made] = steps(found("static", {"model": "karnopp", **CURVE, "fc": 300.0}), values_of(rig(model=model, **bristles)))
    assert made["friction.fc"] == 300.0
    assert made.get("friction.model", model) == kept


BRISTLES = {"model": "lugre", "s0": 1e8, "s1": 1e5}
SIDES = {"negative": {"fc": 310.0, "fs": 3000.0, "vs": 0.1, "sigma": 3300.0}}


@pytest.mark.parametrize(("before", "law", "model"), [
    ({}, {"model": "stribeck", **CURVE}, "karnopp"),
    (BRISTLES, {"model": "stribeck", **CURVE}, "lugre"),
    (BRISTLES, {"model": "stribeck", **CURVE, **SIDES}, "lugre"),
    ({}, {"model": "static", "fc": 300.0, "fs": 900.0, "fv": 3251.0, "dv": 1.0}, "static"),
])  # fmt: skip
def test_a_sliding_curve_goes_into_the_active_model_where_that_has_such_a_curve(before, law, model):
    """So bristles that were identified before stay, whatever the curve was measured for."""
    now = rig(**before)
    assert holder(law, values_of(now)) == model
    after = changed(now, changes(law, values_of(now), model))
    told = flat(after.friction.table())
    assert {key: told[key] for key in flat(law)} == flat({**law, "model": model})
    assert changes(law, values_of(after), model) == {}


def test_a_curve_that_is_the_same_on_both_sides_removes_a_side_of_its_own():
    now = rig(**{f"negative.{key}": value for key, value in SIDES["negative"].items()})
    for law in ({"model": "karnopp", **CURVE}, {"model": "static", "fc": 300.0, "fs": 900.0, "fv": 3251.0, "dv": 1.0}):
        made = changes(law, values_of(now), holder(law, values_of(now)))
        assert made["friction.negative.fc"] is None
        after = changed(now, made)
        assert not any(flat(after.friction.table()["negative"]).values())
