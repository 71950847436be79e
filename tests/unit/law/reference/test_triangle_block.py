"""A rounded triangle against the sum of its pulses: each changes the speed, and goes straight on."""

import numpy as np
import pytest

from hilctl.law.reference.triangle import TRIANGLE, rt_triangle
from tests.forms import blank
from tests.unit.law.reference.models import point, pulse

pytestmark = pytest.mark.usefixtures("forms")
SPEED, REACH, STRAIGHT, CORNER, CENTER = 0.3, 0.06, 0.4, 0.1, 0.02  # a straight is twice the reach
HALF = STRAIGHT + CORNER
RAMP = CORNER / 2


def at(t, halves):
    triangle, out = blank(TRIANGLE), point()
    triangle.center_m, triangle.speed_m_s, triangle.reach_m = CENTER, SPEED, REACH
    triangle.straight_s, triangle.corner_s = STRAIGHT, CORNER
    rt_triangle(triangle, halves * HALF, t, out)
    return out.tolist()


def model(t, halves):
    """Of so many straights: half a corner up to speed, corners between, half a corner to rest."""
    changes = [(0.0, RAMP, SPEED)]
    changes += [(k * HALF - RAMP, CORNER, 2 * SPEED * (-1) ** k) for k in range(1, halves)]
    changes += [(halves * HALF - RAMP, RAMP, SPEED * (-1) ** halves)]
    sums = np.sum([change * np.array(pulse(t - begin, lasts)) for begin, lasts, change in changes if t > begin], axis=0)
    start = CENTER - REACH - 0.5 * SPEED * RAMP
    return [start + sums[0], *sums[1:]]


# in the soft start; on straights; in both halves of a corner at the top and at the bottom; in the soft stop
@pytest.mark.parametrize("t", [0.013, 0.04, 0.07, 0.44, 0.463, 0.52, 0.6, 0.94, 0.97, 1.03, 1.2, 1.9, 2.01, 2.0437])
def test_it_goes_through_its_corners_as_the_pulses_say_and_stops_after_the_last_straight(t):
    assert at(t, 4) == pytest.approx(model(t, 4), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize(("t", "speed"), [(0.06, SPEED), (0.4, SPEED), (0.56, -SPEED), (0.9, -SPEED), (1.06, SPEED)])
def test_on_a_straight_the_speed_is_exact(t, speed):
    assert at(t, 4)[1:] == (speed, 0.0, 0.0)


def test_it_begins_inside_its_reach_at_rest_and_ends_where_it_began():
    start = CENTER - REACH - 0.5 * SPEED * RAMP
    assert at(0.0, 4) == pytest.approx((start, 0.0, 0.0, 0.0), abs=1e-15)
    assert at(4 * HALF, 4) == pytest.approx((start, 0.0, 0.0, 0.0), abs=1e-15)
