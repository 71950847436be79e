"""Ticks of arming before the bumps: the rest, and the drift of a valve at its null, which is taken out."""

import math

import numpy as np
import pytest

from hilctl.law.arming import ARMING, rt_arming
from hilctl.law.bumps import GOING
from hilctl.law.sensors import ACCELERATION, COUNT, DISPLACEMENT
from hilctl.law.signs import rt_signs_step
from hilctl.machine import hydraulic_frequency
from hilctl.signals import Arming as Step
from hilctl.signals import Trip
from tests.forms import blank, changed, filled
from tests.unit.law.arming_rig import DT, FULL, C, M
from tests.unit.law.given import _rig
from tests.unit.law.states import put

LAG_S = 2 * M.zv / M.wv + 1 / hydraulic_frequency(_rig().controller.machine)
SEEN_S, WATCH_S = 4 * LAG_S, C.bump_s / 3
MOST = 0.4 * C.bump * FULL  # m/s, of a drift that is left
pytestmark = pytest.mark.usefixtures("forms")


def arming(step, **values):
    return put(blank(ARMING), step=step, **values)


def tick(a, x=0.0, v=0.0, own_m=0.0, supply_pa=math.nan, c=C, acceleration=0.0, dt_s=DT):
    value = np.zeros(COUNT)
    value[DISPLACEMENT], value[ACCELERATION] = x, acceleration
    return rt_arming(c, M, own_m, value, v, supply_pa, dt_s, True, a)


def drifting(drift, in_step_s, before=8, **values):
    """At a valve that is enabled, after a tick at which a drift has been seen over `before` ticks and this one."""
    own_m, supply_pa, c = values.pop("own_m", 0.0), values.pop("supply_pa", math.nan), values.pop("c", C)
    a = arming(Step.ENABLE, in_step_s=in_step_s - DT, kept=values.get("null", 0.0), **values)
    for k in range(before):
        t = in_step_s - DT * (before - k)
        a.n += 1
        a.t += t
        a.tt += t * t
        a.x += drift * t
        a.tx += drift * t * t
    return a, tick(a, drift * in_step_s, own_m=own_m, supply_pa=supply_pa, c=c)


def test_the_times_of_these_tests_lie_apart():
    assert 6 * DT < SEEN_S < WATCH_S - 4 * DT


def test_the_accelerometers_rest_begins_with_the_step():
    a = arming(Step.REST, signs__rest_n=50.0, signs__rest_a=9.0)
    tick(a, acceleration=2.0)
    assert (a.signs.rest_n, a.signs.rest_a) == (1.0, 2.0)
    tick(a, acceleration=4.0)
    assert (a.signs.rest_n, a.signs.rest_a) == (2.0, 3.0)


def test_one_reading_alone_shows_no_speed():
    c = put(C.copy(), rest_s=DT / 2)
    a = arming(Step.REST)
    assert tick(a, x=0.5, c=c) == GOING
    assert a.step == Step.LOW_PRESSURE


def test_with_the_low_pressure_a_clean_record_begins():
    a = put(filled(ARMING), step=Step.LOW_PRESSURE, proved=0, disturbed=7)
    tick(a, x=0.25, supply_pa=M.Ps_low)
    assert (a.step, a.disturbed, a.signs.x_begin, a.signs.v) == (Step.ENABLE, 0, 0.25, 0.0)


def test_without_a_step_nothing_is_armed():
    assert tick(arming(Step.NONE, in_step_s=C.rest_s)) == GOING


@pytest.mark.parametrize(("offset_s", "n"), [(-1e-6, 0.0), (1e-6, 1.0)])
def test_the_drift_is_seen_once_the_spool_has_come_to_its_place(offset_s, n):
    a = arming(Step.ENABLE, in_step_s=0.5 * SEEN_S + offset_s - DT)
    tick(a)
    assert a.n == n


def test_the_signs_follow_the_valve_at_null_by_the_lag_of_valve_and_oil():
    a = put(filled(ARMING), step=Step.ENABLE, in_step_s=0.0)
    expected, value = a.signs.copy(), np.zeros(COUNT)
    value[DISPLACEMENT], value[ACCELERATION] = 0.01, 3.0
    rt_signs_step(value, 0.0, LAG_S, DT, expected)
    tick(a, 0.01, acceleration=3.0)
    found = changed(expected, a.signs)
    assert all(number == pytest.approx(_field(expected, name), rel=1e-9) for name, number in found.items())


def _field(record, name):
    for part in name.split("."):
        key, _, index = part.partition("[")
        record = record[key]
        if index:
            record = record[tuple(int(i) for i in index.rstrip("]").split(","))]
    return float(record)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(("offset_s", "before", "corrected"), [(-1e-6, 8, 0), (1e-6, 8, 1), (1e-6, 2, 0), (1e-6, 3, 1)])
def test_a_strong_drift_is_taken_out_as_soon_as_it_is_known(way, offset_s, before, corrected):
    a, outcome = drifting(way * 3.1 * MOST, SEEN_S + offset_s, before)
    assert (outcome, a.step, a.corrections) == (GOING, Step.ENABLE, corrected)
    assert (a.in_step_s == 0.0) == bool(corrected)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(("times", "at_s", "corrected"), [(2.9, SEEN_S + DT, 0), (2.9, WATCH_S - 1e-6, 0),
                                                          (2.9, WATCH_S + 1e-6, 1), (1.05, WATCH_S + 1e-6, 1),
                                                          (3.1, SEEN_S + DT, 1)])  # fmt: skip
def test_a_drift_that_is_not_strong_is_watched_for_its_time(way, times, at_s, corrected):
    a, outcome = drifting(way * times * MOST, at_s)
    assert (outcome, a.step, a.corrections) == (GOING, Step.ENABLE, corrected)


@pytest.mark.parametrize("way", [1, -1])
def test_a_drift_that_the_bumps_can_bear_is_left(way):
    a, _ = drifting(way * 0.95 * MOST, WATCH_S + 1e-6, null=0.01)
    assert (a.step, a.corrections, a.null, a.bump) == (Step.BUMP_UP, 0, 0.01, C.bump)
    a, _ = drifting(0.0, WATCH_S - 1e-6)
    assert a.step == Step.ENABLE, "not before it has been watched"


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(("times", "corrected"), [(0.95, 0), (1.05, 1)])
def test_where_the_supply_is_high_the_bumps_are_smaller_and_the_table_as_fast(way, times, corrected):
    a, _ = drifting(way * times * MOST, WATCH_S + 1e-6, supply_pa=4 * M.Ps_low)
    assert a.corrections == corrected
    if corrected:
        assert a.null == pytest.approx(-0.5 * way * times * MOST / (2 * FULL))
    else:
        assert a.bump == pytest.approx(C.bump / 2)


@pytest.mark.parametrize("drift", [2 * MOST, -2 * MOST])
def test_the_first_correction_is_half_of_what_the_nominal_speed_asks_for(drift):
    a, _ = drifting(drift, WATCH_S + 1e-6, null=0.01)
    correction = -0.5 * drift / FULL
    assert (a.null, a.correction) == pytest.approx((0.01 + correction, correction))
    assert (a.first_m_s, a.drift_m_s) == pytest.approx((drift, drift))
    assert (a.corrections, a.n) == (1, 0.0)


@pytest.mark.parametrize(
    ("drift", "last", "correction", "by"),
    [
        (2 * MOST, 6 * MOST, -0.004, -2 * MOST / (4 * MOST / 0.004)),  # it does what the valve promises, or more
        (2 * MOST, 6 * MOST, 0.004, 2 * MOST / (4 * MOST / 0.004)),  # a valve the other way round
        (2 * MOST, 2.1 * MOST, -0.004, -0.5 * 2 * MOST / FULL),  # too little to tell
        (-2 * MOST, -6 * MOST, 0.004, 2 * MOST / (4 * MOST / 0.004)),
    ],
)
def test_the_next_are_by_what_the_last_one_did(drift, last, correction, by):
    a, _ = drifting(drift, WATCH_S + 1e-6, corrections=1, drift_m_s=last, correction=correction, first_m_s=last)
    assert a.null == pytest.approx(by)
    assert (a.correction, a.drift_m_s, a.first_m_s, a.corrections) == pytest.approx((by, drift, last, 2))


@pytest.mark.parametrize(("share", "by_the_last"), [(1.02, True), (0.98, False)])
def test_what_the_last_one_did_counts_from_the_response_on(share, by_the_last):
    shown = share * C.response * FULL
    a, _ = drifting(2 * MOST, WATCH_S + 1e-6, corrections=1, drift_m_s=2 * MOST + 0.004 * shown, correction=-0.004)
    by = 2 * MOST / shown if by_the_last else 0.5 * 2 * MOST / FULL
    assert a.null == pytest.approx(max(-by, -C.null_max))


@pytest.mark.parametrize("way", [1, -1])
def test_no_correction_goes_beyond_the_null_that_is_believed(way):
    a, _ = drifting(-way * 20 * MOST, WATCH_S + 1e-6, null=way * (C.null_max - 0.01))
    assert (a.null, a.correction, a.step) == (way * C.null_max, pytest.approx(way * 0.01), Step.ENABLE)
    a, _ = drifting(-way * 20 * MOST, WATCH_S + 1e-6, null=way * C.null_max)
    assert (a.null, a.corrections, a.step) == (way * C.null_max, 0, Step.BUMP_UP if way > 0 else Step.BUMP_DOWN)


@pytest.mark.parametrize(("corrections", "step"), [(5, Step.ENABLE), (6, Step.BUMP_UP)])
def test_after_six_corrections_the_bumps_tell(corrections, step):
    a, outcome = drifting(2 * MOST, WATCH_S + 1e-6, corrections=corrections, first_m_s=50 * MOST, drift_m_s=9 * MOST,
                          correction=-0.004)  # fmt: skip
    assert (outcome, a.step) == (GOING, step)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(("corrections", "answer", "trips"), [(2, 0.38, False), (3, 0.38, True), (4, 0.38, True),
                                                              (3, 0.42, False), (3, -0.38, True),
                                                              (3, -0.42, False)])  # fmt: skip
def test_a_drift_that_does_not_follow_three_corrections_shows_a_valve_that_does_not(way, corrections, answer, trips):
    moved = way * 0.02
    a = arming(Step.ENABLE, in_step_s=WATCH_S + 1e-6 - DT, corrections=corrections, correction=0.01, n=0.0, kept=0.03)
    drift = 5 * MOST
    a.null, a.first_m_s, a.drift_m_s = 0.03 + moved, drift + answer * FULL * 0.02, drift
    for k in range(8):
        t = WATCH_S - DT * (8 - k)
        for name, by in (("n", 1.0), ("t", t), ("tt", t * t), ("x", drift * t), ("tx", drift * t * t)):
            a[name] += by
    outcome = tick(a, drift * (WATCH_S + 1e-6))
    assert outcome == (Trip.NO_MOTION if trips else GOING)
    if trips:
        limit = C.response * C.bump * FULL * C.bump_s
        assert (a.value, a.limit, a.sensor) == (0.0, pytest.approx(limit), -1)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(("share", "trips"), [(0.98, False), (1.02, True)])
def test_corrections_smaller_than_the_drift_that_the_bumps_can_bear_prove_nothing(way, share, trips):
    """Friction that lets go sets the table swinging; two looks at that may be as far apart, or alike, by chance."""
    a, _ = drifting(2 * MOST, WATCH_S - DT, corrections=3, first_m_s=2 * MOST, drift_m_s=3 * MOST, correction=-0.004)
    a.null = way * share * MOST / FULL
    outcome = tick(a, 2 * MOST * (WATCH_S + 1e-6))
    assert outcome == (Trip.NO_MOTION if trips else GOING)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(("corrections", "faster", "first"), [(0, 9.0, 9.0), (1, 9.0, 9.0), (1, 4.0, 5.0),
                                                              (2, 9.0, 5.0)])  # fmt: skip
def test_corrections_count_from_the_drift_once_it_has_come_to_its_speed(way, corrections, faster, first):
    """The oil gives way first, and a heavy table takes longer than the first look."""
    a, outcome = drifting(way * faster * MOST, WATCH_S + 1e-6, corrections=corrections, first_m_s=way * 5 * MOST,
                          drift_m_s=way * 5 * MOST, correction=-way * 0.004)  # fmt: skip
    assert outcome == GOING
    assert a.first_m_s == pytest.approx(way * first * MOST)


def felt(**values):
    """A drift that acceleration shows, and displacement does not."""
    return drifting(0.0, WATCH_S + 1e-6, signs__v=1.5 * MOST, signs__s=0.1, **values)


def test_a_drift_that_acceleration_alone_shows_is_one_that_displacement_is_blind_to():
    a, outcome = felt()
    assert outcome == Trip.SENSOR_DEAD
    assert (a.sensor, a.value) == (DISPLACEMENT, 0.0)
    assert a.limit > 0.01
    assert felt(corrections=1)[1] == GOING, "after a correction nobody knows"
    assert felt(own_m=0.2)[1] == GOING
    assert drifting(0.0, WATCH_S + 1e-6, signs__v=0.9 * MOST, signs__s=0.1)[1] == GOING


def test_a_drift_that_could_not_be_watched_for_long_enough_is_left_to_the_bumps():
    short = put(C.copy(), bump_s=2.4 * SEEN_S)
    a, outcome = drifting(9 * MOST, 0.8 * SEEN_S + 1e-6, c=short)
    assert (outcome, a.step, a.corrections) == (GOING, Step.BUMP_DOWN, 0), "back to where it began"
    assert drifting(0.0, 0.8 * SEEN_S + 1e-6, c=short, signs__v=2 * MOST, signs__s=0.1)[1] == GOING
    a, _ = drifting(9 * MOST, WATCH_S + 1e-6, own_m=0.2)
    assert (a.step, a.corrections, a.bump) == (Step.BUMP_UP, 0, C.bump)


def test_a_round_of_bumps_begins_with_a_clean_record():
    a, _ = drifting(0.0, WATCH_S + 1e-6, disturbed=5)
    assert (a.step, a.disturbed, a.in_step_s, a.n) == (Step.BUMP_UP, 0, 0.0, 0.0)
