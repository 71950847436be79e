"""Which reversals are driven, on which rig."""

import numpy as np
import pytest

from hilctl.experiment.drive import LegFault
from hilctl.friction import check_friction
from hilctl.identify.presliding.estimate_cycles import LEAST_CYCLES
from hilctl.identify.presliding.model import run_force, run_stiffness
from hilctl.identify.presliding.model_curve import Curve, curve_of
from hilctl.identify.presliding.plan import plan
from tests.unit.identify.presliding import presliding_parts as parts
from tests.unit.identify.presliding.presliding_parts import FACTS, but

CURVE = Curve(**parts.CURVE)


def test_the_reference_rig_is_done_within_a_minute():
    swings = plan(CURVE, FACTS)
    assert sum(s.seconds(1000.0) for s in swings) < 60
    assert 1e-5 < swings[0].amplitude_m < 5e-5, "the smallest does not turn friction whole"
    assert swings[-1].amplitude_m > 10 * CURVE.fs / FACTS.oil_n_m, "the largest slides"


@pytest.mark.parametrize("rate_hz", [500.0, 1000.0, 5000.0])
def test_periods_are_whole_samples_and_slow(rate_hz):
    for swing in plan(CURVE, but(rate_hz=rate_hz)):
        speed = 2 * 3.15 * swing.amplitude_m * rate_hz / swing.period
        assert speed < 0.45 * CURVE.vs
        asked = swing.parameters(rate_hz, 0.01)
        assert rate_hz / asked["frequency_hz"] == pytest.approx(swing.period)
        assert asked["center_m"] == 0.01


@pytest.mark.parametrize("age_s", [0.001, 0.01, 0.025])
def test_where_pressures_are_read_seldom_each_cycle_has_forty_of_their_readings(age_s):
    swings, without = plan(CURVE, FACTS, age_s=age_s), plan(CURVE, FACTS)
    assert min(swing.period for swing in swings) >= 40e3 * age_s - 1
    assert [s.amplitude_m for s in swings] == [s.amplitude_m for s in without]
    assert (swings == without) == (age_s == 0.001)


def test_less_time_means_fewer_cycles_and_too_little_is_refused():
    fewer = plan(CURVE, FACTS, budget_s=38.0)
    assert sum(s.seconds(1000.0) for s in fewer) <= 38.0
    assert all(s.cycles >= LEAST_CYCLES for s in fewer)
    with pytest.raises(LegFault, match=r"a budget of 15 s is too short.*raise --budget"):
        plan(CURVE, FACTS, budget_s=15.0)


def test_a_soft_machine_is_swung_no_further_than_its_stroke_allows():
    for swing in plan(CURVE, but(oil_n_m=1e6, stroke_m=0.02)):
        assert swing.amplitude_m <= 0.005


def test_each_direction_has_its_curve_and_the_swings_are_planned_for_their_mean():
    table = {"model": "karnopp", "fc": 200.0, "fs": 3000.0, "vs": 0.1, "sigma": 3000.0, "negative": {"fs": 2800.0}}
    curve = curve_of(table)
    assert [side.fs for side in curve.sides] == [3000.0, 2800.0]
    assert curve.mean == Curve(200.0, 2900.0, 0.1, 3000.0)
    assert {"model": "karnopp", **curve.table()} == {**table, "delta": 2.0}
    assert curve_of({**table, "negative": {"fs": None}}).other is None
    assert plan(curve, FACTS) == plan(curve.mean, FACTS)


@pytest.mark.parametrize("table", [{"fc": 0.0}, {"negative": {"fc": 0.0}}, {"fc": 0.0, "negative": {"fs": 2370.0}}])
@pytest.mark.parametrize("law", [{"model": "lugre", "s0": 1e8, "s1": 1e5}, {"model": "gms", "s0": 1e8}])
def test_a_curve_that_falls_to_nothing_is_one_that_laws_with_bristles_take(table, law):
    check_friction({**law, **curve_of({**parts.CURVE, **table}).table()})


@pytest.mark.parametrize("law", ["lugre", "gms"])
def test_laws_run_along_a_cycle_the_same_compiled_and_as_plain_python(law):
    friction = check_friction({"model": law, **CURVE.table(), "s0": 1e8, **({"s1": 1e5} if law == "lugre" else {})})
    x = 1e-4 * np.sin(2 * np.pi * np.arange(200) / 200)
    for run in (run_force, run_stiffness):
        fast, plain = np.zeros(200), np.zeros(200)
        run(friction.code, friction.packed(), x, 2.5e-3, 2, fast)
        getattr(run, "plain", run)(friction.code, friction.packed(), x, 2.5e-3, 2, plain)
        assert fast == pytest.approx(plain, rel=1e-9)
    assert np.ptp(fast) > 0
