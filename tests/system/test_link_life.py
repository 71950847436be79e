"""A driver whose link fails on demand: when the loop lets go of it, and when it comes back."""

import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from firmware_bridge.driver import DriverError, NullDriver, exchange_signature
from hilctl.law.requests import Refusal, RequestKind
from hilctl.loop import inprocess
from hilctl.loop.options import CoreOptions
from hilctl.params import record_of
from hilctl.rt.jit import jit
from hilctl.rt.records import as_record
from hilctl.signals import SENSORS, Action, Mode, Status, Trip
from tests.system.core_parts import PATIENCE_S, ask, table, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

FAILING = record_of([("exchanges", np.int64), ("status", np.int64)])
RATE_HZ = 500.0
LOST_TICKS = 50
SLOW = pytest.mark.slow


@jit(exchange_signature, cached=True)
def rt_failing(state, command, readings):
    """As the null driver, with the status that is asked for."""
    own = as_record(state, FAILING)
    own.exchanges += 1
    readings.displacement_m = readings.acceleration_m_s2 = 0.0
    readings.pressure_a_pa = readings.pressure_b_pa = 0.0
    readings.device_tick = own.exchanges
    return own.status


class Failing(NullDriver):
    """Its link fails as it is told, until it is opened again and the device is `there`."""

    def __init__(self):
        self.state = np.zeros(FAILING.itemsize, np.uint8)
        self.own = self.state.view(FAILING)[0]
        self.exchange = rt_failing
        self.there, self.opened, self.armed = True, 0, 0
        self.meanwhile = []  # exchanges that were called between an open and its arm

    def open(self):
        self.opened += 1
        self._before = int(self.own["exchanges"])
        if not self.there:
            raise DriverError("nobody there")

    def check(self):
        time.sleep(0.01)  # the loop has ticks to be wrong in
        return []

    def arm(self):
        self.armed += 1
        self.own["status"] = Status.OK
        self.meanwhile.append(int(self.own["exchanges"]) - self._before)


@contextmanager
def looping(clock="real", **more):
    """A loop on such a driver."""
    driver = Failing()
    options = CoreOptions(
        clock=clock, rate_hz=RATE_HZ, priority=0, service_timeout_s=0, lost_s=LOST_TICKS / RATE_HZ,
        reconnect_first_s=0.02, reconnect_longest_s=0.05, row_slots=1 << 15, **more,
    )  # fmt: skip
    settings = table().settings(1)
    settings.dt_s, settings.arming.rest_s = 1 / RATE_HZ, 60.0
    settings.limits.late.action = Action.WARN
    settings.limits.driver.ticks, settings.limits.sensing.ticks = 10, 20
    for name in SENSORS[4:]:
        settings.sensors[name].present = 0
    facts = table().facts(virtual=clock == "virtual")._replace(rate_hz=RATE_HZ)
    link = inprocess.start(settings, driver=driver, facts=facts, options=options)
    try:
        until(link, lambda: link.status.tick >= 0)
        yield link, driver
    finally:
        link.stop(20.0)
        link.close()


def fail(driver, status, *, there=False):
    """From now on every exchange comes to this."""
    driver.there = there
    driver.own["status"] = status


def lost(link):
    return link.status.device.state == "reconnecting"


def test_a_link_that_closes_while_off_is_lost_at_once_and_after_the_handshake_the_loop_goes_on():
    with looping() as (link, driver):
        fail(driver, Status.CLOSED)
        until(link, lambda: lost(link) and driver.opened > 3)
        gone, ran = link.status.device, link.status.ran
        exchanges = int(driver.own["exchanges"])
        until(link, lambda: link.status.ran > ran + 20)
        assert int(driver.own["exchanges"]) == exchanges == gone.exchanges
        assert gone.errors["closed"] == 1
        assert ask(link, RequestKind.ARM).refusal == Refusal.SENSOR
        driver.there = True
        until(link, lambda: link.status.device.state == "open")
        until(link, lambda: link.status.device.exchanges > exchanges + 20)
        assert driver.meanwhile[-1] == 0 and driver.armed == 2
        assert Mode(link.status.mode) == Mode.OFF
        kinds = until(link, lambda: link.status.device.reconnects and [kind for kind, _ in link.events()])
        assert kinds == ["link_lost", "link_failed", "link_back"]
        rows = link.drain(100_000)
        closed = rows["status"] == Status.CLOSED
        assert closed.any() and not closed[-1]
        status = link.status
        assert status.ran + status.missed == status.due


@pytest.mark.parametrize(
    "status",
    [Status.TIMEOUT, pytest.param(Status.BAD_CHECKSUM, marks=SLOW), pytest.param(Status.STALE, marks=SLOW)],
    ids=lambda s: s.name,
)
def test_a_silent_link_is_lost_after_the_time_in_the_rig_file_and_not_before(status):
    with looping() as (link, driver):
        fail(driver, status, there=True)
        until(link, lambda: link.status.device.reconnects == 1)
        errors = link.status.device.errors[status.name.lower()]
        assert errors <= LOST_TICKS
        rows = link.drain(100_000)
        failed = rows["status"] == status
        assert failed.sum() == errors
        assert (1 + rows["skipped"][failed]).sum() >= LOST_TICKS


def test_a_device_that_refuses_still_answers_and_is_not_lost():
    with looping() as (link, driver):
        fail(driver, Status.EXCEPTION, there=True)
        ran = link.status.ran
        until(link, lambda: link.status.ran > ran + 3 * LOST_TICKS)
        assert link.status.device.state == "open" and driver.opened == 1


def test_while_the_rig_is_on_the_exchange_is_called_until_the_trip_has_switched_it_off():
    with looping() as (link, driver):
        assert ask(link, RequestKind.ARM).refusal == 0
        fail(driver, Status.CLOSED)
        until(link, lambda: lost(link))
        exchanges = int(driver.own["exchanges"])
        rows = link.drain(100_000)
        on = np.flatnonzero(rows["mode"] != Mode.OFF)
        assert (rows["status"][on] == Status.CLOSED).any()
        assert exchanges > on[-1]
        trip = link.status.trip
        assert trip in (Trip.DRIVER, Trip.SENSOR_INVALID)
        driver.there = True
        until(link, lambda: link.status.device.reconnects == 1)
        until(link, lambda: link.status.device.exchanges > exchanges + 20)
        assert (link.status.trip, Mode(link.status.mode)) == (trip, Mode.OFF)
        assert ask(link, RequestKind.ARM).refusal == Refusal.TRIPPED
        assert ask(link, RequestKind.RESET).refusal == 0
        assert ask(link, RequestKind.ARM).refusal == 0


def test_without_reconnection_the_loop_keeps_asking():
    with looping(reconnect=False) as (link, driver):
        fail(driver, Status.CLOSED)
        until(link, lambda: link.status.device.errors["closed"] > LOST_TICKS)
        assert link.status.device.state == "lost" and driver.opened == 1


def test_on_the_virtual_clock_time_stands_until_the_link_is_back_and_one_tick_reads_the_device():
    with looping("virtual") as (link, driver):
        fail(driver, Status.CLOSED)
        link.run_until(5)
        until(link, lambda: lost(link) and link.status.standing)
        driver.there = True
        until(link, lambda: link.status.device.reconnects == 1)
        until(link, lambda: link.status.standing and link.status.tick > 5)
        assert ask(link, RequestKind.ARM).refusal == 0


def test_the_end_does_not_wait_for_an_attempt():
    with looping() as (link, driver):
        fail(driver, Status.CLOSED)
        until(link, lambda: lost(link))
        inside, go_on = threading.Event(), threading.Event()
        driver.open = lambda: inside.set() or go_on.wait(PATIENCE_S)
        until(link, inside.is_set)
        try:
            assert link.stop(20.0) == 0
            assert not go_on.is_set() and driver.armed == 1
        finally:
            go_on.set()
