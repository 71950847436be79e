"""Three speeds of a campaign, and what three forces say of the friction model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hilctl.results.commissioned import Commissioned
from hilctl.results.friction import Campaign, Pair, Speeds, Windows
from hilctl.verify.friction import CONSTANT_FORCE, NAMES, asked, compared, shifts, speeds_of

CURVE = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
STD_N, FORCE_N = 3.0, 63e3
SPEEDS = tuple(np.geomspace(1e-3, 0.8, 24))


def force(v, fc, fs, vs, sigma, **_):
    return fc + (fs - fc) * np.exp(-((v / vs) ** 2)) + sigma * v


def pairs_of(curve, speeds):
    return [Pair(v, float(force(v, **curve)), STD_N, 0.0) for v in speeds]


def stored(curve=CURVE, speeds=SPEEDS):
    made = Campaign(
        id="x", rig="r", begun="", epoch=1, folder="", complete=True, speeds=Speeds(len(speeds), len(speeds)),
        points=[], curve=pairs_of(curve, speeds), windows=Windows(0, []), oil_degc=None, rig_seconds=1.0, remarks=[],
    )  # fmt: skip
    return Commissioned(campaign=made)


def shifted(curve, slower=1.0):
    """The three speeds of a rig that now has another curve; it may run a little slower than before."""
    was = stored()
    pairs = speeds_of(was)
    now = pairs_of({**CURVE, **curve}, [slower * pair.speed_m_s for pair in pairs])
    found = compared(was, now, FORCE_N)
    return found, shifts(pairs, found, CURVE)


def test_slow_the_least_force_and_fast_are_chosen():
    slow, middle, fast = speeds_of(stored())
    assert slow.speed_m_s == pytest.approx(0.008, rel=0.2)
    assert middle.speed_m_s == pytest.approx(0.21, rel=0.2)
    assert fast.speed_m_s == pytest.approx(0.64, rel=0.2)
    assert asked([slow])[0] == pytest.approx(slow.speed_m_s, rel=1e-3)


@pytest.mark.parametrize("sigma", [0.0, 3000.0])
def test_on_a_curve_that_only_rises_or_falls_the_middle_is_between(sigma):
    flat = {"fc": 500.0, "fs": 500.0 if sigma else 900.0, "vs": 0.3, "sigma": sigma}
    slow, middle, fast = speeds_of(stored(flat))
    assert 3 * slow.speed_m_s < middle.speed_m_s < fast.speed_m_s / 3


@given(st.lists(st.floats(1e-3, 1.0), min_size=0, max_size=9, unique_by=lambda v: round(v, 5)))
def test_whatever_speeds_are_stored_three_of_them_are_chosen_or_all(speeds):
    chosen = [pair.speed_m_s for pair in speeds_of(stored(speeds=sorted(speeds)))]
    assert len(chosen) == min(3, len(speeds))
    assert chosen == sorted(set(chosen)) and set(chosen) <= set(speeds)


@given(st.floats(-0.6, 0.9), st.floats(-0.4, 0.4), st.floats(-0.5, 0.5))
def test_three_forces_give_the_three_parameters_back(fc, fs, sigma):
    now = {"fc": CURVE["fc"] * (1 + fc), "fs": CURVE["fs"] * (1 + fs), "sigma": CURVE["sigma"] * (1 + sigma)}
    _, found = shifted(now)
    for name, value in now.items():
        assert found[name].change == pytest.approx(value - CURVE[name], abs=1e-6 * CURVE["fs"])


def test_a_force_is_compared_at_the_speed_at_which_it_was_measured():
    found, _ = shifted({}, slower=0.985)
    assert {one.verdict for one in found.values()} == {"unchanged"}
    assert abs(found["friction_fast"].change) < 10.0, "of 32 N for the speed alone"


def test_each_parameter_alone_is_found_alone():
    for name, factor in (("fc", 1.5), ("fs", 0.8), ("sigma", 0.7)):
        _, found = shifted({name: factor * CURVE[name]})
        assert [key for key, one in found.items() if one.is_one] == [name]


def test_a_force_that_does_not_turn_with_the_motion_counts_by_the_force_of_the_supply():
    was = stored()
    for offset_n, verdict in ((100.0, "unchanged"), (300.0, "changed"), (-300.0, "changed")):
        now = [replace(pair, offset_n=offset_n) for pair in speeds_of(was)]
        found = compared(was, now, FORCE_N)
        assert found[CONSTANT_FORCE].verdict == verdict and found[CONSTANT_FORCE].change == pytest.approx(offset_n)
        assert {found[name].verdict for name in NAMES} == {"unchanged"}


def test_a_speed_that_is_missing_leaves_the_parameters_open():
    was = stored()
    pairs = speeds_of(was)
    found = compared(was, pairs[:2], FORCE_N)
    assert [found[name].verdict for name in NAMES] == ["unchanged", "unchanged", "not measured"]
    assert shifts(pairs, found, CURVE) == {}
    assert compared(Commissioned(), [], FORCE_N) == {}
