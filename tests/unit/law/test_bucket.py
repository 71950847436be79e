"""Leaky buckets."""

import pytest

from hilctl.law.bucket import rt_events, rt_full, rt_leak

DT, SHARE = 1e-3, 0.2
pytestmark = pytest.mark.usefixtures("forms")


def test_a_bad_period_pours_a_whole_one_in_and_the_share_leaks():
    assert rt_leak(10.0, True, SHARE, DT, 1) == pytest.approx(10.8)
    assert rt_leak(10.0, True, SHARE, DT, 3) == pytest.approx(12.4)


def test_a_good_period_leaks_the_share():
    assert rt_leak(10.0, False, SHARE, DT, 1) == pytest.approx(9.8)
    assert rt_leak(10.0, False, SHARE, DT, 3) == pytest.approx(9.4)


def test_it_is_never_emptier_than_empty_nor_fuller_than_a_second():
    assert rt_leak(0.1, False, SHARE, DT, 1) == 0.0
    assert rt_leak(999.9, True, SHARE, DT, 1) == pytest.approx(1000.0)


def test_no_period_changes_nothing():
    assert rt_leak(3.0, True, SHARE, DT, 0) == 3.0


@pytest.mark.parametrize(("level", "full"), [(199.9, False), (200.0, False), (200.1, True)])
def test_it_is_full_with_more_than_its_share_of_a_second(level, full):
    assert rt_full(level, SHARE, DT) is full


def test_events_leak_one_a_second_and_pour_one_each():
    assert rt_events(2.0, True, DT, 5) == pytest.approx(2.995)
    assert rt_events(2.0, False, DT, 5) == pytest.approx(1.995)
    assert rt_events(0.001, False, DT, 5) == 0.0
    assert rt_events(0.001, True, DT, 5) == 1.0
