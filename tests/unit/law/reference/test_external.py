"""An external reference out of its ring: the spline over what has come, at rest before and after it."""

import numpy as np
import pytest

from hilctl.law.reference.external import (
    AT_REST,
    COUNT,
    ENDED,
    EXTERNAL,
    FIRST,
    PEAK_ACCELERATION,
    PEAK_SPEED,
    RING,
    SENT,
    SENT_ACCELERATION,
    SENT_END,
    SENT_SPEED,
    SUPPORT,
    rt_external,
    rt_external_lacks,
    rt_external_see,
    rt_external_waits,
)
from hilctl.law.reference.wave import KNOTS, WAVE, rt_wave
from tests.forms import blank
from tests.unit.law.reference.models import point

pytestmark = pytest.mark.usefixtures("forms")
H = 0.25  # exact, so that an interval is what it is
SOME = np.random.default_rng(5).uniform(-0.1, 0.1, 40)


def bank(coefficients, before=0, ended=0.0):
    """A ring that has these, after so many others that were written over since."""
    knots = np.zeros(KNOTS)
    knots[FIRST + ((before + np.arange(len(coefficients))) & (RING - 1))] = coefficients
    knots[COUNT], knots[ENDED] = before + len(coefficients), ended
    return knots


def external(least=0, begun=0):
    one = blank(EXTERNAL)
    one.interval_s, one.least, one.begun = H, least, begun
    return one


def at(knots, t_s):
    out = point()
    over = rt_external(external(), knots, t_s, out)
    return out.tolist(), int(over)


@pytest.mark.parametrize("before", [0, RING - 11, 7 * RING - 3])
@pytest.mark.parametrize("u", [0.25, 1.0, 7.5, 21.125, 34.75])
def test_it_is_the_spline_wherever_the_ring_turns(before, u):
    wave, wanted = blank(WAVE), point()
    wave.knot_s, wave.count = H, len(SOME)
    rt_wave(wave, SOME, u * H, wanted)
    found, over = at(bank(SOME, before), (before + u) * H)
    assert found == pytest.approx(wanted.tolist(), rel=1e-9, abs=1e-12)
    assert over == 0


@pytest.mark.parametrize("t_s", [-3.0, 0.0])
def test_before_it_begins_it_rests(t_s):
    assert at(bank(SOME), t_s) == ((SOME[0], 0.0, 0.0, 0.0), 0)


def test_with_nothing_sent_it_rests_whenever_it_is_asked():
    assert at(bank(np.full(AT_REST, 0.02)), 5.0) == ((0.02, 0.0, 0.0, 0.0), 0)


def test_it_is_over_where_its_last_coefficients_hold_it_at_rest_and_not_before():
    knots = bank(np.concatenate([SOME, np.full(AT_REST, 0.03)]), ended=1.0)
    end_s = len(SOME) * H
    last, over = at(knots, end_s)
    assert (last, over) == ((0.03, 0.0, 0.0, 0.0), 1)
    near, still = at(knots, end_s - 1e-6)
    assert still == 0
    assert near[:2] == pytest.approx((0.03, 0.0), abs=1e-9)
    knots[ENDED] = 0.0
    assert at(knots, end_s)[1] == 0


def test_beyond_what_has_come_it_is_what_came_last():
    knots = bank(SOME)
    assert at(knots, 100.0) == (pytest.approx(at(knots, (len(SOME) - 5) * H - 1e-9)[0], abs=1e-5), 0)


@pytest.mark.parametrize(("count", "ended", "begun", "waits"),
                         [(11, 0, 0, True), (12, 0, 0, False), (11, 1, 0, False), (11, 0, 1, False)])  # fmt: skip
def test_it_waits_for_the_first_of_it(count, ended, begun, waits):
    assert bool(rt_external_waits(external(12, begun), bank(SOME[:count], ended=ended))) is waits


@pytest.mark.parametrize(("u", "lacks"), [(0.0, False), (4.0, False), (4.99, False), (5.0, True), (9.0, True)])
def test_a_point_needs_all_of_its_coefficients_to_have_come(u, lacks):
    knots = bank(SOME[: 4 + SUPPORT])
    assert bool(rt_external_lacks(external(), knots, u * H)) is lacks
    knots[ENDED] = 1.0
    assert not rt_external_lacks(external(), knots, u * H)


@pytest.mark.parametrize(("sent", "seen"), [
    (SENT, COUNT), (SENT_END, ENDED), (SENT_SPEED, PEAK_SPEED), (SENT_ACCELERATION, PEAK_ACCELERATION)
])  # fmt: skip
def test_what_was_sent_is_taken_over_once_and_whether_it_is_new_is_said(sent, seen):
    knots = np.zeros(KNOTS)
    assert not rt_external_see(knots)
    knots[sent] = 3.0
    assert rt_external_see(knots)
    assert knots[seen] == 3.0
    assert sum(knots) == 6.0, "and nothing else"
    assert not rt_external_see(knots)
