"""A motion against its limits: which of them a point passes, from both sides of each."""

import math

import numpy as np
import pytest

from hilctl.law.reference import POINT
from hilctl.law.reference.motion import MOTION, Kind
from hilctl.law.reference.scan import BOUNDS, VERDICT, Bound, rt_passed, rt_scan, rt_table
from tests.forms import blank, changed, filled
from tests.unit.law.reference.models import point

pytestmark = pytest.mark.usefixtures("forms")
NONE = np.zeros(0)
ROOM = 4e-10  # a billionth of the stroke


def bounds(**changes):
    """-0.1 … 0.3 m, 2 m/s, 50 m/s²; without changes neither stopping nor the valve is looked at."""
    b = blank(BOUNDS)
    b.x_min_m, b.x_max_m, b.v_m_s, b.a_m_s2 = -0.1, 0.3, 2.0, 50.0
    b.stop_m_s3, b.reaction_s, b.force_per_mass_m_s2, b.resistance_m_s2 = 1e9, 0.01, 100.0, 4.0
    for name, value in changes.items():
        b[name] = value
    return b


def passed(x=0.0, v=0.0, a=0.0, **changes):
    """The bound, and value and limit if they were written."""
    p, verdict = point(), filled(VERDICT)
    p.x_m, p.v_m_s, p.a_m_s2 = x, v, a
    before = verdict.copy()
    bound = rt_passed(p, bounds(**changes), verdict)
    written = changed(before, verdict)
    if bound == Bound.NONE:
        assert not written
        return Bound.NONE
    assert set(written) == {"value", "limit"}
    return Bound(bound), verdict.value, verdict.limit


@pytest.mark.parametrize("x", [-0.1, -0.1 - 0.5 * ROOM, 0.0, 0.3, 0.3 + 0.5 * ROOM])
def test_a_position_within_the_limits_passes_none_nor_does_rounding(x):
    assert passed(x) == Bound.NONE


@pytest.mark.parametrize(("x", "limit"), [(-0.1 - 1.5 * ROOM, -0.1), (0.3 + 1.5 * ROOM, 0.3), (5.0, 0.3)])
def test_a_position_beyond_them_is_reported_with_the_limit_on_its_side(x, limit):
    assert passed(x) == (Bound.POSITION, x, limit)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("name", "limit", "bound"), [("v", 2.0, Bound.VELOCITY), ("a", 50.0, Bound.ACCELERATION)]
)
def test_speed_and_acceleration_may_touch_their_limits_and_not_pass_them(name, limit, bound, sign):
    for factor in (1.0, 1.0 + 0.5e-9):
        assert passed(**{name: sign * limit * factor}) == Bound.NONE
    beyond = sign * limit * (1 + 2e-9)
    assert passed(**{name: beyond}) == (bound, beyond, limit)


def test_what_is_not_a_number_is_within_no_limit():
    for name, bound in (("x", Bound.POSITION), ("v", Bound.VELOCITY), ("a", Bound.ACCELERATION)):
        assert passed(**{name: math.nan})[0] == bound


def test_limits_that_leave_no_room_allow_rest_where_they_meet():
    pinned = {"x_min_m": 0.1, "x_max_m": 0.1, "v_m_s": 0.0, "a_m_s2": 0.0, "stop_m_s2": 1.0}
    assert passed(0.1, **pinned) == Bound.NONE


@pytest.mark.parametrize("deceleration", [0.8, 10.0])
@pytest.mark.parametrize(("sign", "limit"), [(1.0, 0.3), (-1.0, -0.1)])
def test_a_table_must_be_able_to_stop_before_the_end(sign, limit, deceleration):
    """With a jerk without limit: reaction and v²/2D."""
    v = sign * 0.5
    reach = v * 0.01 + sign * 0.5**2 / (2 * deceleration)
    stopping = {"stop_m_s2": deceleration, "stop_m_s3": 1e15}
    assert passed(limit - reach + 0.5 * sign * ROOM, v, **stopping) == Bound.NONE
    beyond = limit - reach + 1.5 * sign * ROOM
    assert passed(beyond, v, **stopping) == (Bound.STOPPING, pytest.approx(beyond + reach, rel=1e-12), limit)
    assert passed(beyond, v) == Bound.NONE  # without a deceleration it is not looked at
    assert passed(beyond, -v, **stopping) == Bound.NONE  # away from the end


@pytest.mark.parametrize("v", [0.5, 1.0, 1.9, -0.5])
def test_a_valve_reaches_less_the_more_pressure_the_acceleration_takes(v):
    """No-load speed · √(1 - share of the supply): 4 of 100 m/s² for friction alone, 36 with an acceleration of 32."""
    along = math.copysign(1.0, v)
    for pressing, root in ((0.0, 0.96), (32.0, 0.64), (-40.0, 1.36), (71.0, 0.25)):
        valve = {"a_m_s2": 90.0, "no_load_speed_m_s": abs(v) / math.sqrt(root)}
        assert passed(0.0, v, along * (pressing - 1e-6), **valve) == Bound.NONE
        assert passed(0.0, v, along * (pressing + 1e-6), **valve) == (
            Bound.FLOW, v, pytest.approx(abs(v), rel=1e-6),
        )  # fmt: skip


def test_without_pressure_left_the_valve_reaches_nothing_and_at_rest_needs_nothing():
    assert passed(0.0, 1e-3, 97.0, a_m_s2=100.0, no_load_speed_m_s=5.0) == (Bound.FLOW, 1e-3, 0.0)
    assert passed(0.0, 0.0, 97.0, a_m_s2=100.0, no_load_speed_m_s=5.0) == Bound.NONE
    assert passed(0.0, 1.0, 40.0) == Bound.NONE  # a rig without a valve of known size


def test_at_its_reach_with_the_slack_of_rounding_the_valve_still_follows():
    level = {"no_load_speed_m_s": 1.0, "resistance_m_s2": 0.0}
    assert passed(0.0, 1.0 * (1.0 + 1e-9), **level) == Bound.NONE
    assert passed(0.0, 1.0 + 2e-9, **level) == (Bound.FLOW, 1.0 + 2e-9, 1.0)


def test_what_comes_first_is_reported():
    """Position before velocity, acceleration, stopping, flow."""
    valve = {"stop_m_s2": 1.0, "no_load_speed_m_s": 0.1}
    assert passed(0.4, 3.0, 60.0, **valve)[0] == Bound.POSITION
    assert passed(0.2, 3.0, 60.0, **valve)[0] == Bound.VELOCITY
    assert passed(0.2, 1.0, 60.0, **valve)[0] == Bound.ACCELERATION
    assert passed(0.2, 1.0, 0.0, **valve)[0] == Bound.STOPPING
    assert passed(-0.1, 0.5, 0.0, **valve)[0] == Bound.FLOW


def motion():
    """A sine of ±0.1 m at 0.5 Hz for 3 s, then rest."""
    m = blank(MOTION)
    m.kind, m.body_s = Kind.SINE, 3.0
    m.sine.amplitude_m, m.sine.frequency_hz = 0.1, 0.5
    return m


def scanned(first_s, step_s, count, **changes):
    verdict, p = blank(VERDICT), point()
    verdict.x_low_m, verdict.x_high_m = math.inf, -math.inf
    return rt_scan(motion(), NONE, first_s, step_s, count, bounds(**changes), p, verdict), verdict


def test_a_scan_finds_the_extremes_of_the_instants_that_it_looks_at():
    W = math.pi
    bound, verdict = scanned(0.05, 0.1, 20)
    t = 0.05 + 0.1 * np.arange(20)
    assert bound == verdict.bound == Bound.NONE
    assert verdict.t_s == 0.0
    x = 0.1 * np.sin(W * t)
    assert (verdict.x_low_m, verdict.x_high_m) == pytest.approx((x.min(), x.max()))
    assert (verdict.v_m_s, verdict.a_m_s2, verdict.j_m_s3) == pytest.approx(
        (0.1 * W * np.abs(np.cos(W * t)).max(), W**2 * x.max(), 0.1 * W**3 * np.abs(np.cos(W * t)).max())
    )


def test_a_scan_goes_on_from_the_extremes_that_it_is_given():
    verdict, p = blank(VERDICT), point()
    verdict.x_low_m, verdict.x_high_m, verdict.v_m_s, verdict.a_m_s2, verdict.j_m_s3 = -1.0, 2.0, 3.0, 4.0, 5.0
    before = verdict.copy()
    assert rt_scan(motion(), NONE, 0.0, 0.1, 20, bounds(), p, verdict) == Bound.NONE
    assert changed(before, verdict) == {}


def test_a_scan_of_one_side_has_the_size_of_what_is_negative_there():
    """From 1.25 s on the table falls below the centre; at 0.25 s it rises above it, and is braked ever more."""
    W, root = math.pi, math.sqrt(0.5)
    _, below = scanned(1.25, 0.25, 2)
    assert (below.x_low_m, below.x_high_m, below.v_m_s) == pytest.approx((-0.1, -0.1 * root, 0.1 * W * root))
    _, above = scanned(0.25, 0.1, 1)
    assert (above.x_low_m, above.x_high_m) == pytest.approx((0.1 * root, 0.1 * root))
    assert (above.a_m_s2, above.j_m_s3) == pytest.approx((0.1 * W**2 * root, 0.1 * W**3 * root))


def test_a_scan_stops_at_the_first_bound_that_is_passed():
    """0.1 sin(πt) passes 0.08 m between 0.25 and 0.3 s."""
    bound, verdict = scanned(0.0, 0.05, 30, x_max_m=0.08)
    assert bound == verdict.bound == Bound.POSITION
    assert verdict.t_s == pytest.approx(0.3)
    assert (verdict.x_high_m, verdict.value) == pytest.approx((0.1 * math.sin(0.3 * math.pi),) * 2)
    assert verdict.limit == 0.08
    assert scanned(0.0, 0.05, 6, x_max_m=0.08)[0] == Bound.NONE


def test_a_table_has_a_point_for_each_instant_and_counts_those_at_which_it_runs():
    times = np.array([0.0, 0.5, 2.25, 3.0, 4.0])
    points = np.zeros(5, POINT)
    assert rt_table(motion(), NONE, times, points) == 3
    assert points["x_m"] == pytest.approx([0.0, 0.1, 0.1 * math.sqrt(0.5), 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_load_pressure_may_reach_the_supply_and_not_pass_it(sign):
    valve = {"no_load_speed_m_s": 5.0, "supply_pa": 2e7, "force_per_mass_m_s2": 40.0}
    assert passed(a=sign * 40.0, **valve) == Bound.NONE
    bound, value, limit = passed(a=sign * 44.0, **valve)
    assert (bound, limit) == (Bound.PRESSURE, 2e7)
    assert value == pytest.approx(sign * 2.2e7)
    assert passed(v=sign * 1e-3, a=sign * 35.9, **valve) == Bound.NONE
    assert passed(v=sign * 1e-3, a=sign * 36.1, **valve)[0] == Bound.PRESSURE  # friction takes 4 m/s²
    assert passed(a=sign * 44.0, **valve | {"supply_pa": 0.0}) == Bound.NONE


def test_weight_and_spring_take_pressure_and_flow_one_way_and_give_it_the_other():
    valve = {"no_load_speed_m_s": 1.0, "weight_m_s2": 36.0, "resistance_m_s2": 0.0}
    assert passed(v=0.79, **valve) == Bound.NONE
    assert passed(v=0.81, **valve) == (Bound.FLOW, 0.81, pytest.approx(0.8))
    assert passed(v=-1.16, **valve) == Bound.NONE
    assert passed(v=-1.17, **valve) == (Bound.FLOW, -1.17, pytest.approx(math.sqrt(1.36)))
    spring = {"no_load_speed_m_s": 1.0, "spring_per_s2": 180.0, "resistance_m_s2": 0.0}
    assert passed(x=0.2, v=0.81, **spring) == (Bound.FLOW, 0.81, pytest.approx(0.8))
    assert passed(x=0.2, v=-0.81, **spring) == Bound.NONE
