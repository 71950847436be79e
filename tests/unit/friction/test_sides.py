"""Bristles that differ by side: stiffer when bent one way, and each direction with its own curve."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.friction import MODELS, STATES, Kind, check_friction
from hilctl.friction.lugre import first_active_speed
from hilctl.params import BadValues, fields_of
from tests.unit.friction.test_bristles import run

CURVE = {"fc": 900.0, "fs": 2400.0, "vs": 0.08, "sigma": 800.0}
OTHER = {"fc": 1300.0, "fs": 3100.0, "vs": 0.12, "sigma": 300.0}
TABLES = {
    "lugre": ({**CURVE, "s0": 6e7, "s1": 4e4, "vd": 0.03}, {**OTHER, "s0": 1.3e8, "s1": 7e4}),
    "gms": ({**CURVE, "alpha": [0.2, 0.3, 0.5], "k": [3e7, 2e7, 1e7]}, {**OTHER, "s0": 1.3e8}),
    "dahl": ({"fc": 2400.0, "sigma": 800.0, "s0": 6e7, "alpha": 1.7},
             {"fc": 3100.0, "sigma": 300.0, "s0": 1.3e8, "alpha": 0.6}),
}  # fmt: skip
ALL = pytest.mark.parametrize("name", TABLES)
RATIO = st.floats(0.2, 5.0)


def law(name, **negative):
    return check_friction({"model": name, **TABLES[name][0], "negative": negative})


def sided(name):
    return law(name, **TABLES[name][1])


def moves(seed, count=400):
    """Speeds and how long each is held: small and large travels, both ways."""
    rng = np.random.default_rng(seed)
    v = rng.choice([-1, 1], count) * 10.0 ** rng.uniform(-5, -1, count)
    return v, 10.0 ** rng.uniform(-6.5, -4.3, count) / np.abs(v)


def test_every_law_with_bristles_of_two_sides_is_covered_here():
    bristles = {name: model for name, model in MODELS.items() if model.kind == Kind.BRISTLES}
    assert set(TABLES) == {n for n, m in bristles.items() if any(f.name == "negative" for f in fields_of(m.Params))}


@ALL
def test_a_negative_side_like_the_positive_changes_no_bit(name):
    one = dict(TABLES[name][0])
    same = {key: value for key, value in one.items() if key in TABLES[name][1]}
    if name == "gms":
        same["s0"] = math.fsum(one["k"])
    v, dt = moves(1)
    assert np.array_equal(run(name, law(name, **same).packed(), v, dt)[0], run(name, law(name).packed(), v, dt)[0])


@ALL
def test_sides_exchanged_and_motion_reversed_is_the_force_reversed(name):
    one, other = TABLES[name]
    if name == "gms":
        scale = other["s0"] / math.fsum(one["k"])
        turned = check_friction({
            "model": name, **other, "s0": None, "alpha": one["alpha"], "k": [scale * k for k in one["k"]],
            "negative": {**CURVE, "s0": math.fsum(one["k"])},
        })  # fmt: skip
    else:
        turned = check_friction({"model": name, **one, **other, "negative": one})
    v, dt = moves(2)
    assert run(name, turned.packed(), -v, dt)[0] == pytest.approx(-run(name, sided(name).packed(), v, dt)[0], rel=1e-9)


@ALL
def test_each_direction_slides_on_its_own_curve(name):
    friction = sided(name)
    for v in (0.02, -0.02, 0.3, -0.3):
        assert run(name, friction.packed(), [v], [10.0])[0][-1] == pytest.approx(friction.steady(v), rel=2e-5)
    assert friction.steady(0.05) != -friction.steady(-0.05)


@ALL
def test_each_side_springs_with_its_own_stiffness(name):
    p = sided(name).packed()
    for way, stiffness in ((1.0, 6e7), (-1.0, 1.3e8)):
        out, _ = run(name, p, [way * 1e-9], [1e-8 / 1e-9])
        felt = out[-1] / (way * 1e-8)
        assert felt == pytest.approx(stiffness, rel=0.01)
        z = np.zeros(STATES)  # and it gives back with the same, moving the other way
        run(name, p, [way * 1e-6], [1e-6 / 1e-6], z)
        loaded = MODELS[name].force(p, z, -way * 1e-9)
        run(name, p, [-way * 1e-9], [1e-8 / 1e-9], z)
        back = (loaded - MODELS[name].force(p, z, -way * 1e-9)) / (way * 1e-8)
        assert back == pytest.approx(stiffness, rel=0.12), "of the side to which it is bent, not of the motion"


@ALL
@given(st.floats(-1e-3, 1e-3), st.floats(1e-4, 0.2), st.integers(2, 30))
def test_one_step_is_as_good_as_many_through_the_middle(name, past, reach, parts):
    p, one = sided(name).packed(), np.zeros(STATES)
    run(name, p, [math.copysign(0.01, past)], [abs(past) / 0.01], one)
    many, v = one.copy(), -math.copysign(0.01, past)
    dt = reach * 1e-3 / 0.01
    whole, _ = run(name, p, [v], [dt], one)
    in_parts, _ = run(name, p, [v] * parts, [dt / parts] * parts, many)
    assert in_parts[-1] == pytest.approx(whole[-1], rel=1e-9, abs=1e-6)
    assert many == pytest.approx(one, rel=1e-9, abs=1e-6)


@ALL
@settings(max_examples=60)
@given(RATIO, RATIO, st.floats(1e-7, 3e-4), st.floats(0.1, 20), st.floats(-1, 1))
def test_no_closed_cycle_gives_energy(name, stiffer, higher, amplitude, hz, skew):
    table = dict(TABLES[name][0])
    other = {"s0": stiffer * 6e7, **({"fc": higher * table["fc"]} if name == "dahl" else
                                     {"fc": higher * table["fc"], "fs": higher * table["fs"]})}  # fmt: skip
    friction = law(name, **other)
    n = 2000
    phase = 2 * np.pi * (np.arange(4 * n) + 0.5) / n
    v = amplitude * 2 * np.pi * hz * (np.cos(phase) + skew * np.cos(2 * phase))
    _, work = run(name, friction.packed(), v, 1 / hz / n)
    assert np.sum(work[-n:]) >= -1e-9 * 2400.0 * max(higher, 1) * amplitude


@ALL
@pytest.mark.parametrize("size", [1e-7, 1e-6, 1e-5, 1e-4])
def test_it_never_gives_back_more_than_it_was_given(name, size):
    """From rest with nothing bent, over any motion; without falling branch, where GMS stores by itself."""
    table, other = TABLES[name]
    flat = {"fs": table["fc"]} if "fs" in table else {}
    friction = check_friction({"model": name, **table, **flat, "sigma": 0.0, "negative": {
        **other, **({"fs": other["fc"]} if "fs" in other else {}), "sigma": 0.0}})  # fmt: skip
    rng = np.random.default_rng(7)
    v = np.repeat(rng.normal(0, 0.02, 100), 100)
    work = run(name, friction.packed(), v, size / 100 / np.maximum(np.abs(v), 1e-6))[1]
    balance = np.cumsum(work)
    assert np.min(balance) > -1e-6 * balance[-1]
    assert balance[-1] > 0


def test_a_stiffness_by_the_direction_of_motion_would_give_energy():
    """Why the sign of the deflection decides: bent with 1e8 N/m and let back with 5e7, it returns more than it took."""
    dx = np.diff(1e-6 * np.sin(np.linspace(0, np.pi, 4001)))
    force = np.cumsum(np.where(dx > 0, 1e8, 5e7) * dx)
    assert np.sum((force - 0.5 * np.where(dx > 0, 1e8, 5e7) * dx) * dx) == pytest.approx(-2.5e-5, rel=1e-3)


@ALL
def test_the_stiffer_side_and_the_longer_reach_count(name):
    params = sided(name).params
    assert params.spring == pytest.approx(1.3e8)
    assert params.reach == pytest.approx(max(2400 / 6e7, 3100 / 1.3e8))
    assert params.jump == 0.0


@ALL
def test_a_table_with_two_sides_survives_being_written(name):
    assert check_friction(sided(name).table()) == sided(name)


def test_bristles_that_would_feed_energy_back_in_one_direction_are_refused_by_their_key():
    table = {"model": "lugre", **TABLES["lugre"][0]}
    with pytest.raises(BadValues, match=r"friction\.negative\.vd: 0\.5 refused, the model feeds energy back"):
        check_friction({**table, "negative": {"vd": 0.5, "s1": 4e5}})
    with pytest.raises(BadValues, match=r"friction\.negative\.fs: 100\.0 refused, must be at least fc"):
        check_friction({**table, "negative": {"fs": 100.0}})
    assert first_active_speed(law("lugre").params) is None


@ALL
@pytest.mark.parametrize("key", ["s0", "fc"])
def test_a_negative_side_of_nothing_is_refused(name, key):
    with pytest.raises(BadValues, match=rf"friction\.negative\.{key}: 0(\.0)? refused"):
        law(name, **{key: 0.0})
