"""Every trip as a person reads it: what happened with its unit, the key that decides, what to do; never a code."""

import re

import pytest

from hilctl.params import leaves
from hilctl.rig import Tables, load
from hilctl.signals import SENSORS, Status, Trip
from hilctl.trips import STATUS_TEXTS, TRIP_TEXTS, general, sentence

CONTROLLER = load("table-500").controller
LIMITS, LATE, STUCK = CONTROLLER.limits, CONTROLLER.limits.late, CONTROLLER.limits.stuck
KEYS = {leaf.path for leaf in leaves(Tables)}
TABLES = {key[:at.start()] for key in KEYS for at in re.finditer(r"\.", key)} | {"driver"}
TRIPS = [trip for trip in Trip if trip]
CASES = [
    (Trip.POSITION, 0.0912, 0.09, "", "0.0912 m, limit 0.09 m (limits.position.max_m)"),
    (Trip.POSITION, -0.0912, -0.09, "", "-0.0912 m, limit -0.09 m (limits.position.min_m)"),
    (Trip.VELOCITY, -1.2, 1.0, "", "-1.2 m/s, limit 1 m/s (limits.velocity.max_m_s)"),
    (Trip.PRESSURE, 3.1e7, 3e7, "pressure_a", "3.1e+07 Pa, limit 3e+07 Pa (limits.pressure.max_pa)"),
    (Trip.SENSOR_INVALID, 0.0, 0.0, "acceleration", "sensor acceleration gave no valid reading (sensors.acceleration)"),
    (Trip.SENSOR_RANGE, 0.31, 0.0, "spool", "it read 0.31 before gain and offset (sensors.spool.low and high)"),
    (Trip.SENSOR_STUCK, 0.12, STUCK.window_s, "displacement", "for 0.12 s, limit 0.1 s (limits.stuck.window_s)"),
    (Trip.SENSOR_STUCK, 0.003, STUCK.way_m, "displacement", "0.003 m meanwhile, limit 0.002 m (limits.stuck.way_m)"),
    (Trip.SENSOR_STUCK, 0.9, 0.7, "pressure_a", "at most 0.7 s at rest before (limits.stuck.runs)"),
    (Trip.SENSOR_STALE, 0.07, 0.05, "displacement", "0.07 s, limit 0.05 s (limits.stale.max_s)"),
    (Trip.DRIVER, 2.0, 20.0, "", "no answer from the device for 20 ticks in a row (limits.driver.ticks)"),
    (Trip.DRIVER, 3.0, 1.0, "", "answers with a wrong checksum for 1 tick (limits.driver.ticks)"),
    (Trip.DRIVER, 2.0, 0.2, "", "in more than 20 % of the last second (limits.driver.share)"),
    (Trip.LATE_TICKS, 52.0, float(LATE.ticks), "", "52 in a row, limit 50 (limits.late.ticks)"),
    (Trip.LATE_TICKS, 0.21, LATE.share, "", "more than 20 % of the last second (limits.late.share)"),
    (Trip.LATE_TICKS, 0.04, LATE.rejoin_s, "", "40 ms, at most 25 ms are made up for (limits.late.rejoin_s)"),
    (Trip.LATE_TICKS, 0.009, LATE.rejoin_s, "", "9 ms past the points of an external reference"),
    (Trip.LATE_TICKS, 2.7, 2.5, "", "long stalls, one upon the other (limits.late)"),
    (Trip.LEASE_LOST, 0.0, 0.0, "", "fell silent (service.lease_timeout_s"),
    (Trip.SERVICE_LOST, 1.2, 1.0, "", "1.2 s, limit 1 s (service.timeout_s)"),
    (Trip.SERVICE_LOST, 0.0, 1.0, "", "ended (service.timeout_s)"),
    (Trip.EMERGENCY_STOP, 1.0, 0.0, "emergency_stop", "the emergency stop is open (sensors.emergency_stop)"),
    (Trip.SUPPLY_PRESSURE, 1e7, 1.2e7, "supply_pressure", "1e+07 Pa, limit 1.2e+07 Pa (limits.supply.low)"),
    (Trip.READ_BACK, 0.23, 0.1, "spool", "limit 0.1 of full opening (limits.read_back.difference)"),
    (Trip.NO_MOTION, 0.0, 5e-5, "", "less than 5e-05 m (arming.response)"),
    (Trip.NULL_NOT_CONFIRMED, 0.2, CONTROLLER.arming.null_max, "", "(arming.null_max)"),
    (Trip.NO_MOTION, -0.2, 5e-5, "", "less than 5e-05 m at an opening of -0.2 (arming.search_opening)"),
    (Trip.NULL_NOT_CONFIRMED, 0.011, 0.004, "", "moved it by 0.011 of full opening, limit 0.004 (arming.bump)"),
    (Trip.OIL_LEVEL, 1.0, 0.0, "oil_level", "the oil level is low (limits.oil_level)"),
    (Trip.OVERWRITTEN, 2.4, 3.0, "", "3 times within a second, limit 3 (limits.overwritten.events)"),
    (Trip.COMMAND, float("nan"), 1.0, "", "the controller's command was not finite (law)"),
]  # fmt: skip


@pytest.mark.parametrize(("trip", "value", "limit", "sensor", "says"), CASES)
def test_a_trip_says_its_figure_its_limit_and_its_key(trip, value, limit, sensor, says):
    assert says in sentence(trip, value, limit, sensor, CONTROLLER)


@pytest.mark.parametrize("trip", TRIPS, ids=lambda trip: trip.name.lower())
def test_every_trip_has_a_text_with_a_known_key_and_ends_with_what_to_do(trip):
    text = TRIP_TEXTS[trip]
    assert not text.key or text.key in KEYS | TABLES
    for sensor in ("", *SENSORS):
        known, unknown = sentence(trip, 0.5, 2.0, sensor, CONTROLLER), sentence(trip, 0.5, 2.0, sensor)
        for said in (known, unknown, general(trip, sensor)):
            assert said.endswith(f"; {text.remedy}")
            assert not text.key or re.search(r"\([a-z_.]+", said)
            assert "nan" not in said


@pytest.mark.parametrize("trip", TRIPS, ids=lambda trip: trip.name.lower())
def test_a_key_that_a_trip_names_exists(trip):
    for value, limit in ((0.5, 2.0), (3.0, 1.0), (2.0, 0.2), (0.0, 0.0)):
        for said in (sentence(trip, value, limit, "displacement", CONTROLLER), TRIP_TEXTS[trip].remedy):
            for key in re.findall(r"\b(?:limits|sensors|service|arming|law|loop)\.[a-z_0-9]+(?:\.[a-z_0-9]+)*", said):
                assert key in KEYS | TABLES, key


@pytest.mark.parametrize("status", Status, ids=lambda status: status.name.lower())
def test_what_a_driver_reports_is_said_in_words(status):
    said = sentence(Trip.DRIVER, float(status), 20.0, "", CONTROLLER)
    assert STATUS_TEXTS[status] in said
    assert f" {status.value} " not in said.replace("20 ticks", "")


@pytest.mark.parametrize("trip", [Trip.LEASE_LOST, Trip.EMERGENCY_STOP, Trip.OIL_FILTER, Trip.SHUTDOWN])
def test_a_trip_that_measures_nothing_prints_no_figure(trip):
    assert not re.search(r"\d", sentence(trip, 0.0, 0.0, "", CONTROLLER))
