"""When the pressure term counts as fresh, tick by tick."""

import pytest

from hilctl.law.freshness import FRESH, RETURN_S, rt_fresh_start, rt_pressure_share
from tests.forms import blank, filled

DT, MOST, FADE = 1e-3, 0.005, 0.2
pytestmark = pytest.mark.usefixtures("forms")


def fresh(fresh_s=RETURN_S, live=1, share=1.0):
    f = blank(FRESH)
    f.fresh_s, f.live, f.share = fresh_s, live, share
    return f


def step(f, age_s, acts=True, periods=1):
    rt_pressure_share(MOST, FADE, age_s, acts, DT, periods, f)


def test_at_the_start_nothing_has_been_old():
    f = filled(FRESH)
    rt_fresh_start(f)
    assert f.item() == (RETURN_S, 1, 1.0)


@pytest.mark.parametrize(("age_s", "live"), [(0.0049, 1), (MOST, 1), (0.0051, 0)])
def test_a_pressure_older_than_its_age_ends_the_term_and_one_of_that_age_does_not(age_s, live):
    f = fresh()
    step(f, age_s)
    assert f.live == live
    assert f.fresh_s == (RETURN_S if live else 0.0)
    assert f.share == pytest.approx(1.0 if live else 1.0 - DT / FADE)


def test_the_share_goes_by_the_periods_and_ends_at_zero():
    f = fresh()
    step(f, 1.0, periods=50)
    assert f.share == pytest.approx(0.75)
    step(f, 1.0, periods=151)
    assert f.share == 0.0


def test_it_returns_only_after_a_second_of_young_pressures():
    f = fresh(0.0, 0, 0.0)
    for _ in range(998):
        step(f, 0.0)
    assert (f.live, f.share) == (0, 0.0)
    step(f, 0.0)
    step(f, 0.0)
    step(f, 0.0)
    assert f.live == 1
    assert 0.0 < f.share <= 2.01 * DT / FADE


def test_skipped_periods_show_no_pressure_and_do_not_count_as_young():
    f = fresh(0.5, 0, 0.0)
    step(f, 0.0, periods=100)
    assert f.fresh_s == pytest.approx(0.5 + DT)


def test_while_the_term_acts_it_comes_back_only_from_zero():
    f = fresh(2.0, 0, 0.1)
    step(f, 0.0)
    assert f.live == 0
    f = fresh(2.0, 0, 0.0)
    step(f, 0.0)
    assert f.live == 1


def test_while_nothing_acts_the_share_is_at_once_what_it_should_be():
    f = fresh(2.0, 0, 0.6)
    step(f, 0.0, acts=False)
    assert (f.live, f.share) == (1, 1.0)
    step(f, 1.0, acts=False)
    assert (f.live, f.share) == (0, 0.0)


def test_a_live_term_fades_in_and_counts_no_freshness():
    f = fresh(0.7, 1, 0.25)
    step(f, 0.0)
    assert f.share == pytest.approx(0.25 + DT / FADE)
    assert f.fresh_s == 0.7
