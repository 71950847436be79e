"""The plan: what it takes, where it goes, and what it refuses."""


import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl import rig as rigs
from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import Facts
from hilctl.identify.friction import CannotPlan, log_spaced, plan
from hilctl.identify.friction import plan_accepted as accepting
from hilctl.identify.friction.plan import LEAST_SAMPLES, LONGEST_S, SETTLE_M, SPEEDS
from hilctl.identify.friction.plan_accepted import accepted, slow
from hilctl.law.motions import check_plan
from hilctl.law.motions import plan as plan_motion
from hilctl.service.store import values_of
from hilctl.wire.errors import Refused
from tests.unit.identify.friction.campaign_parts import facts

RIG = facts()


def test_the_usual_campaign_fits_its_budget_and_uses_it():
    made = plan(RIG)
    assert len(made.legs) >= 20
    assert sorted(leg.speed_m_s for leg in made.legs) == log_spaced()
    assert 0.95 * 150 < made.seconds <= 150


def test_a_middle_speed_proves_the_sensors_and_then_come_slow_ones_first():
    speeds = [leg.speed_m_s for leg in plan(RIG).legs]
    assert speeds[0] == pytest.approx(0.1, rel=0.2)
    assert speeds[1:] == sorted(speeds[1:])


def test_every_window_comes_after_the_bristles_and_the_corner_have_settled():
    for leg in plan(RIG).legs:
        assert leg.lead_m >= SETTLE_M
        assert leg.lead_m / leg.speed_m_s >= 3 / 44.0
        assert leg.window_s * 1000 >= LEAST_SAMPLES
        assert leg.cycles >= 2


def test_slow_speeds_travel_little():
    amplitudes = {leg.speed_m_s: leg.amplitude_m for leg in plan(RIG).legs}
    assert amplitudes[0.001] < 1e-3
    assert amplitudes[0.8] == pytest.approx(0.081)


def test_the_rig_accepts_every_triangle_and_needs_the_planned_time():
    rig = rigs.load("table-500", twin=True)
    limits, flow = rigs.motion_limits(rig.controller, rig.dt_s), rigs.flow(rig.controller, rig.friction)
    for leg in plan(RIG).legs:
        motion = plan_motion("triangle", leg.parameters, limits, 0.0, 1)
        check_plan(motion, limits, flow)
        assert motion.duration_s == pytest.approx(leg.seconds, rel=0.03)
        assert motion.facts["straight_s"] >= leg.lead_m / leg.speed_m_s + leg.window_s - 1e-9


@settings(max_examples=30)
@given(st.lists(st.floats(0.002, 0.9), min_size=1, max_size=12, unique=True), st.floats(60, 400))
def test_any_plan_keeps_to_budget_stroke_and_memory(speeds, budget_s):
    made = plan(RIG, speeds, budget_s)
    assert made.seconds <= budget_s
    assert sorted(leg.speed_m_s for leg in made.legs) == sorted(speeds)
    for leg in made.legs:
        assert leg.amplitude_m <= 0.0811
        assert leg.seconds <= LONGEST_S


@pytest.mark.parametrize("half_m", [0.04, 0.02, 0.005])
def test_the_usual_speeds_end_where_the_stroke_leaves_no_straight(half_m):
    made = plan(facts(limits__position__min_m=-half_m, limits__position__max_m=half_m))
    speeds = sorted(leg.speed_m_s for leg in made.legs)
    assert len(speeds) == SPEEDS
    assert 0.95 * 150 < made.seconds <= 150
    assert all(leg.amplitude_m <= 0.901 * half_m for leg in made.legs)
    assert made.legs[-1].window_s > 0.04
    with pytest.raises(CannotPlan, match="leave no straight"):
        plan(facts(limits__position__min_m=-half_m, limits__position__max_m=half_m), [1.5 * speeds[-1]])


@pytest.mark.parametrize(
    ("softer", "least_m"),
    [
        ({"model": "lugre", "s0": 1e7, "s1": 1e4}, 8 * 3118 / 1e7),
        ({"model": "gms", "s0": 1e7}, 8 * 3118 / 1e7),
        ({"model": "gms", "alpha": (0.5, 0.5), "k": (1e8, 5e5)}, 2 * 0.5 * 3118 / 5e5),
    ],
)
def test_softer_bristles_in_force_get_a_longer_approach(softer, least_m):
    rig = rigs.load("table-500", twin=True, changes={f"friction.{key}": value for key, value in softer.items()})
    rest = {key: value for key, value in RIG.values.items() if not key.startswith("friction.")}
    soft = Facts(RIG.rig, RIG.rate_hz, 1, {**rest, **values_of(rig)})
    assert least_m > SETTLE_M
    assert all(leg.lead_m >= least_m for leg in plan(soft, budget_s=300.0).legs)


class _Limited:
    """A service that refuses what is faster, or goes further."""

    def __init__(self, most_m_s, most_m=1.0):
        self._most_m_s, self._most_m = most_m_s, most_m

    def check_motion(self, kind, speed_m_s, amplitude_m, **parameters):
        if speed_m_s > self._most_m_s:
            raise Refused("limit", "the valve gives no more")
        if amplitude_m > self._most_m:
            raise Refused("limit", "limits.position.max_m: position with its stopping distance")


def test_the_usual_speeds_give_way_to_what_the_service_refuses_and_named_ones_do_not(monkeypatch):
    legs = accepted(_Limited(0.5), RIG, None, 150.0)
    assert 0.4 < max(leg.speed_m_s for leg in legs) <= 0.5
    assert len(legs) == SPEEDS
    assert "instead of 0.8" in slow(legs)[0]
    assert slow(accepted(_Limited(0.9), RIG, None, 150.0)) == []
    with pytest.raises(LegFault, match=r"0\.6 m/s .* is refused: the valve gives no more"):
        accepted(_Limited(0.5), RIG, [0.02, 0.6], 150.0)
    monkeypatch.setattr(accepting, "SLOWER", 0.3)  # fewer steps down to nothing
    with pytest.raises(LegFault, match="the valve gives no more"):
        accepted(_Limited(0.0), RIG, None, 150.0)


def test_triangles_get_smaller_where_stopping_needs_room_before_they_get_slower():
    assert max(leg.amplitude_m for leg in accepted(_Limited(1.0, 0.07), RIG, [0.02, 0.4], 90.0)) <= 0.07
    legs = accepted(_Limited(1.0, 0.075), RIG, None, 150.0)
    assert max(leg.amplitude_m for leg in legs) <= 0.075
    assert max(leg.speed_m_s for leg in legs) > 0.7
    with pytest.raises(LegFault, match=r"limits\.position\.max_m"):
        accepted(_Limited(1.0, 1e-4), RIG, [0.02, 0.4], 90.0)


def test_a_short_budget_is_refused_with_what_it_takes():
    with pytest.raises(CannotPlan, match=r"budget of 20 s is too short for 24 speeds.* s at least"):
        plan(RIG, budget_s=20.0)


@pytest.mark.parametrize(
    ("speeds", "says"),
    [
        ([0.1, 1.2], "limits.velocity.max_m_s"), ([-0.1], "must be positive"), ([float("nan")], "must be positive"),
        ([], "no speeds"),
    ],
)  # fmt: skip
def test_speeds_that_make_no_sense_are_refused(speeds, says):
    with pytest.raises(CannotPlan, match=says):
        plan(RIG, speeds)


def test_a_speed_without_room_for_a_straight_is_refused_with_the_key():
    with pytest.raises(CannotPlan, match="corner_acceleration"):
        plan(facts(limits__shaping__corner_acceleration_m_s2=3.0), [0.8])
