"""Readings, corrected, rejected and replaced."""

import math

import numpy as np
import pytest

from firmware_bridge.driver import READINGS
from hilctl.law.sensors import (
    ACCELERATION,
    CHECKED,
    COUNT,
    DISPLACEMENT,
    PRESSURE_A,
    PRESSURE_B,
    SPOOL,
    SUPPLY,
    rt_check_readings,
    rt_failed,
    rt_silent,
)
from hilctl.signals import SENSORS, Status, Trip
from tests.forms import blank
from tests.unit.law.given import DT, settings

SET = settings()
FIELDS = ("displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa", "supply_pressure_pa", "spool",
          "oil_temperature_degc", "emergency_stop", "oil_level", "oil_filter")  # fmt: skip
PREDICTED = {DISPLACEMENT: 0.123, ACCELERATION: 4.56}
pytestmark = pytest.mark.usefixtures("forms")


class Check:
    """Readings of a rig with every sensor, all of them good."""

    def __init__(self):
        self.set, self.c, self.readings = SET.copy(), blank(CHECKED), blank(READINGS)
        for k, name in enumerate(SENSORS):
            sensor = self.set.sensors[name]
            sensor.low, sensor.high, sensor.present = -10.0, 10.0, 1
            sensor.offset, sensor.gain, sensor.stale_s = 0.1 * k, 2.0 + k, math.nan
            self.readings[FIELDS[k]] = 0.1 * k + 0.3 / (2.0 + k) * (k + 1) / 3
        self.set.limits.stale.max_s = 0.05
        self.set.limits.sensing.share = 0.2

    def look(self, status=Status.OK, periods=1):
        rt_check_readings(self.set.sensors, self.set.limits, self.readings, status, 0.123, 4.56, DT, periods, self.c)
        return self.c


def test_every_reading_is_corrected_by_its_own_offset_and_gain():
    c = Check().look()
    assert c.value == pytest.approx([0.1 * (k + 1) for k in range(COUNT)])
    assert (c.rejected, c.often, c.seen) == (0, 0, 2**COUNT - 1)
    assert (c.in_a_row == 0).all()
    assert (c.rejections == 0).all()


def test_a_sensor_that_the_rig_lacks_is_nan_and_never_rejected():
    check = Check()
    for name in SENSORS[SUPPLY:]:
        check.set.sensors[name].present = 0
    c = check.look(Status.TIMEOUT)
    assert np.isnan(c.value[SUPPLY:]).all()
    assert c.rejected == 0b1111
    assert (c.reason[SUPPLY:] == 0).all()


@pytest.mark.parametrize("k", range(COUNT))
@pytest.mark.parametrize("bad", [math.nan, -math.inf])
def test_what_is_not_finite_is_invalid_and_replaced(k, bad):
    check = Check()
    check.look()
    last = check.c.value.copy()
    check.readings[FIELDS[k]] = bad
    c = check.look()
    assert c.reason[k] == Trip.SENSOR_INVALID
    assert c.rejected == 1 << k
    assert c.value[k] == PREDICTED.get(k, last[k])
    assert (c.in_a_row[k], c.rejections[k]) == (1, 1)
    others = np.arange(COUNT) != k
    assert (c.value[others] == last[others]).all()


@pytest.mark.parametrize("k", [0, 3, 9])
@pytest.mark.parametrize("way", [1, -1])
def test_a_value_at_the_end_of_its_range_is_good_and_one_beyond_is_not(k, way):
    check = Check()
    sensor = check.set.sensors[SENSORS[k]]
    sensor.offset, sensor.gain = 0.0, 2.0
    check.readings[FIELDS[k]] = way * 5.0
    assert check.look().reason[k] == 0
    check.readings[FIELDS[k]] = way * 5.0001
    c = check.look()
    assert c.reason[k] == Trip.SENSOR_RANGE
    assert c.last_raw[k] == way * 5.0001


@pytest.mark.parametrize("k", range(COUNT))
def test_an_old_reading_is_stale_by_the_limit_or_by_its_own(k):
    check = Check()
    check.readings.age_ns[k] = 50_000_000
    c = check.look()
    assert (c.reason[k], c.allowed_s[k]) == (0, 0.05)
    assert c.age_s[k] == pytest.approx(0.05)
    assert c.age_max_ns == (50_000_000 if k <= SPOOL else 0), "the controller computes with these alone"
    check.readings.age_ns[k] = 50_000_100
    assert check.look().reason[k] == Trip.SENSOR_STALE
    check.set.sensors[SENSORS[k]].stale_s = 0.2
    assert check.look().reason[k] == 0
    assert c.allowed_s[k] == 0.2


def test_the_age_of_what_is_used_is_the_greatest():
    check = Check()
    check.readings.age_ns[1], check.readings.age_ns[2] = 3000, 2000
    assert check.look().age_max_ns == 3000


@pytest.mark.parametrize("status", list(Status))
def test_an_exchange_has_failed_unless_its_readings_may_be_used(status):
    used = status in (Status.OK, Status.LATE, Status.OVERWRITTEN)
    assert bool(rt_failed(status)) is not used
    c = Check().look(status)
    assert bool(c.rejected == 0) is used
    assert (c.reason == (0 if used else Trip.DRIVER)).all()


def test_what_is_rejected_in_a_row_counts_skipped_periods_between():
    check = Check()
    check.readings.displacement_m = math.nan
    check.look(periods=5)
    assert check.c.in_a_row[0] == 1
    c = check.look(periods=5)
    assert (c.in_a_row[0], c.rejections[0]) == (6, 2)
    check.readings.displacement_m = 0.1
    assert check.look().in_a_row[0] == 0


def test_the_age_of_a_replaced_reading_goes_on():
    check = Check()
    check.readings.age_ns[0] = 2_000_000
    check.look()
    check.readings.displacement_m = math.nan
    assert check.look(periods=3).age_s[0] == pytest.approx(0.005)
    check.readings.age_ns[0] = 40_000_000
    assert check.look(periods=3).age_s[0] == pytest.approx(0.04)


def test_what_is_rejected_too_often_fills_its_bucket():
    check = Check()
    check.c.bad[PRESSURE_B] = 199.0
    check.readings.pressure_b_pa = math.nan
    assert not check.look().often
    check.readings.pressure_b_pa = 0.35
    check.look()
    check.readings.pressure_b_pa = math.nan
    c = check.look()
    assert c.bad[PRESSURE_B] == pytest.approx(199.0 + 0.8 - 0.2 + 0.8)
    assert c.often == 1 << PRESSURE_B


def test_a_sensor_that_was_never_good_is_silent_and_one_that_was_is_not():
    check = Check()
    check.readings.pressure_a_pa = math.nan
    c = check.look()
    assert bool(rt_silent(PRESSURE_A, check.set.limits, c))
    assert not rt_silent(PRESSURE_B, check.set.limits, c)


@pytest.mark.parametrize(("reason", "rule"), [(Trip.SENSOR_INVALID, "sensing"), (Trip.SENSOR_STALE, "stale")])
def test_a_sensor_is_silent_once_it_would_trip(reason, rule):
    check = Check()
    check.set.limits.sensing.ticks, check.set.limits.stale.ticks = 4, 7
    c = check.look()
    ticks = check.set.limits[rule].ticks
    c.reason[PRESSURE_A], c.in_a_row[PRESSURE_A] = reason, ticks - 1
    assert not rt_silent(PRESSURE_A, check.set.limits, c)
    c.in_a_row[PRESSURE_A] = ticks
    assert rt_silent(PRESSURE_A, check.set.limits, c)


def test_what_a_failed_link_leaves_out_is_a_row_and_pours_into_no_sensors_bucket():
    check = Check()
    check.c.bad[1] = 5.0
    c = check.look(Status.TIMEOUT)
    assert (c.in_a_row == 1).all()
    assert c.bad[1] == pytest.approx(4.8)
    assert np.isnan(c.last_raw).all()


def test_a_full_bucket_is_of_this_tick():
    check = Check()
    check.c.bad[1] = 500.0
    assert check.look().often == 1 << 1
    check.c.bad[1] = 0.0
    assert check.look().often == 0
