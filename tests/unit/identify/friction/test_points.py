"""What no law can be fitted to is refused, point by point."""

import numpy as np
import pytest

from hilctl.identify.friction import BadPoints, BadRanges, TooFewPoints, check_points, check_ranges, ranges_for
from hilctl.params import BadValues

SPEED = np.concatenate((np.geomspace(0.001, 0.8, 6), -np.geomspace(0.001, 0.8, 6)))
FORCE = 1000.0 * np.sign(SPEED)


def changed(array, **at):
    out = np.array(array, float)
    for place, value in at.items():
        out[int(place[1:])] = value
    return out


@pytest.mark.parametrize(
    ("speed", "force", "sd", "told"),
    [
        (changed(SPEED, _2=np.nan), FORCE, None, r"points\.speed_m_s\[2\]: nan refused, must be a finite number"),
        (SPEED, changed(FORCE, _3=np.inf), None, r"points\.force_n\[3\]: inf refused"),
        (changed(SPEED, _0=0.0), FORCE, None, r"points\.speed_m_s\[0\]: 0\.0 refused, must be 1e-06 to 20 m/s"),
        (changed(SPEED, _1=99.0), FORCE, None, r"points\.speed_m_s\[1\]: 99\.0 refused"),
        (SPEED, FORCE * 1e5, None, r"points\.force_n\[0\]: 100000000\.0 refused, must be 0 to 1e\+07 N"),
        (SPEED, FORCE, changed(np.ones(12), _4=0.0), r"points\.sd_n\[4\]: 0\.0 refused, must be greater than 0"),
        (SPEED, FORCE, changed(np.ones(12), _4=np.nan), r"points\.sd_n\[4\]: nan refused"),
        (SPEED, FORCE[:5], None, r"points: 'speed_m_s \(12,\), force_n \(5,\)' refused, must be rows of one length"),
    ],
)
def test_each_wrong_value_is_named(speed, force, sd, told):
    with pytest.raises(BadPoints, match=told):
        check_points(speed, force, sd)


def test_every_problem_is_told_at_once():
    with pytest.raises(BadPoints) as caught:
        check_points(changed(SPEED, _0=0.0, _5=np.nan), changed(FORCE, _7=np.nan))
    assert [p.key for p in caught.value.problems] == ["points.speed_m_s[5]", "points.force_n[7]", "points.speed_m_s[0]"]
    assert isinstance(caught.value, BadValues)


def test_a_friction_that_drives_is_refused_with_what_to_check():
    with pytest.raises(BadPoints, match=r"-1000 N along the motion' refused.*check which pressure is which"):
        check_points(SPEED, -FORCE)
    with pytest.raises(BadPoints, match="along the motion"):
        check_points(SPEED[:6], -FORCE[:6])


def test_an_offset_greater_than_friction_is_none_of_its_business():
    assert check_points(SPEED, FORCE + 5000).size == 12


@pytest.mark.parametrize("chosen", [[], [0, 1], [0, 6, 0, 6, 1, 7], [0, 1, 2]])
def test_too_few_speeds_are_refused(chosen):
    with pytest.raises(TooFewPoints, match="different speeds' refused, must be at least 4 points at 3 different"):
        check_points(SPEED[chosen], FORCE[chosen])


def test_windows_at_nearly_one_speed_are_repeats():
    points = check_points([0.01, 0.01003, -0.00998, 0.02, 0.5], [1, 1, -1, 1, 1])
    assert points.speeds() == 3
    assert list(points.groups()) == [0, 0, 0, 1, 2]


def test_weights_are_inverse_squares():
    weights = np.linspace(1, 4, 12)
    points = check_points(SPEED, FORCE, weight=weights)
    assert points.sd_n == pytest.approx(weights**-0.5)
    assert not points.sd_known  # their scale says nothing
    assert check_points(SPEED, FORCE, 25.0).sd_n == pytest.approx(25.0)
    with pytest.raises(BadPoints, match=r"points\.weight: 'both' refused"):
        check_points(SPEED, FORCE, 25.0, weight=weights)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"vs": [0.4, 0.01]}, r"ranges\.vs: \[0\.4, 0\.01\] refused, must begin with the lower end; swap them"),
        ({"vs": [0.4]}, r"ranges\.vs: \[0\.4\] refused, must be two numbers"),
        ({"fc": [5000, 6000]}, r"ranges\.fs: \[2500\.0, 4000\.0\] refused, must reach fc's lower end, 5000 N"),
        ({"vz": [1, 2]}, r"ranges\.vz: \[1, 2\] refused, no such key; did you mean 'vs'"),
        ({"sigma": [-1, 2]}, r"ranges\.sigma\[0\]: -1 refused, must be 0 to 1e\+07"),
    ],
)
def test_ranges_that_hold_no_law_are_refused(table, told):
    with pytest.raises(BadRanges, match=told):
        check_ranges(table)


def test_the_data_bound_what_they_can_say_something_about():
    ranges = ranges_for(check_points(SPEED, FORCE))
    assert ranges.vs == pytest.approx((0.001 / 3, 2.4))
    assert ranges.fs == (0, 5000)
    assert ranges_for(check_points(SPEED, FORCE), (1e-4, 10.0)).vs == (1e-4, 10.0)
