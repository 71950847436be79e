"""The fault matrix through the whole service, on real devices: one service a transport, a fault, its reaction."""


import itertools

import numpy as np
import pytest

from firmware_bridge.emulate.faults import FaultError, parse
from hilctl.client import Refused
from hilctl.signals import Status
from tests.system.emulate_parts import TRANSPORTS, driven
from tests.system.service_parts import TRIES, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

LINK = {"driver"}
NULLED = {"driver", "supply_pressure", "tracking_error"}  # the device has switched off: whichever limit sees it first
SENSOR = {"sensor_invalid", "sensor_range", "driver"}  # or the device's own trip, seen first
RUNAWAY = {"tracking_error", "position", "velocity", "acceleration", "pressure", "saturation", "sensor_stuck",
           "sensor_drift", "driver"}  # fmt: skip

# Row, what is told to the device, what may then trip first; in the default run where it says so.
TRIPS = [
    ("1 no number from displacement", "nan displacement", SENSOR, False),
    ("1 sentinel from a pressure", "sentinel pressure_a", SENSOR, True),
    ("2 stuck pressure", "stuck pressure_a", {"sensor_stuck"}, True),
    ("2 stuck displacement", "stuck displacement", RUNAWAY, False),
    ("3 stale sample", "stale", {"driver", "sensor_stale", "sensor_stuck", "read_back"}, True),
    ("4 out of range", "range displacement 0.3", SENSOR, False),
    ("5 drift", "drift displacement 0.5", RUNAWAY, False),
    ("6 sign flipped", "sign displacement", RUNAWAY | SENSOR, False),
    ("6 valve reversed", "reversed", RUNAWAY, False),
    ("8 supply low", "supply 0.3", {"supply_pressure"}, True),
    ("8 supply high", "supply 1.5", {"supply_pressure"}, False),
    ("9 reply time-out", "timeout 0.3", LINK, True),
    ("14 exception 1", "exception 1 100000", LINK, False),
    ("14 exception 2", "exception 2 100000", LINK, False),
    ("14 exception 3", "exception 3 100000", LINK, False),
    ("14 exception 4", "exception 4 100000", LINK, True),
    ("14 busy for ever", "exception 6 100000", LINK, False),
    ("14 gateway", "exception 11 100000", LINK, False),
    ("20 most frames lost", "lose 1", LINK, False),
    ("24 watchdog tripped", "watchdog", NULLED, True),
    ("26 emergency stop", "emergency_stop", {"emergency_stop", "driver"}, True),
    ("26 enable lost", "enable_lost", NULLED, False),
    ("26 oil low", "oil_level", {"oil_level"}, False),
    ("27 read-back", "read_back 0.5", {"read_back", "saturation"}, True),
    ("28 firmware hangs", "hang 0.05", NULLED, False),
]
# Row, what is told, and the status of some exchange that shows that it came.
HARMLESS = [
    ("7 single spike", "spike displacement 0.02", None, True),
    ("9 a slow answer now and then", "delay 0.003 50", {Status.LATE, Status.TIMEOUT, Status.BAD_REPLY}, False),
    ("10 bits flipped", "flip 3 2", {Status.BAD_CHECKSUM, Status.BAD_REPLY, Status.TIMEOUT}, True),
    ("11 truncated", "truncate 5 1", {Status.TIMEOUT, Status.BAD_CHECKSUM, Status.BAD_REPLY, Status.LATE}, False),
    ("12 oversize", "oversize 300 1", {Status.TIMEOUT, Status.BAD_CHECKSUM, Status.BAD_REPLY}, False),
    ("13 wrong unit", "unit 1", {Status.TIMEOUT}, False),
    ("14 busy once", "exception 6 1", None, False),
    ("18 duplicates", "duplicate 5", None, True),
    ("19 an old answer", "old 1", None, False),
    ("20 lost frames", "lose 200", {Status.TIMEOUT}, False),
]


SELDOM = ("modbus-rtu", "text")  # not in the default run
ALSO = {"text": {"hold_effort"}}  # a slow loop that holds meanwhile may be seen by this limit first
ABSENT = {"text": ("oil_level", "read_back")}  # its rig has no such sensor


def _cases(table):
    for transport in TRANSPORTS:
        for name, told, expected, default in table:
            try:
                parse(told, transport)
            except FaultError:
                continue  # this transport has no such fault
            if told.partition(" ")[0] in ABSENT.get(transport, ()):
                continue
            marks = () if default and transport not in SELDOM else (pytest.mark.slow, pytest.mark.many)
            also = ALSO.get(transport, set()) if expected is RUNAWAY else set()
            yield pytest.param(transport, told, expected and expected | also, id=f"{transport}: {name}", marks=marks)


@pytest.fixture(scope="module")
def rigs():
    """One emulation, service and client a transport, made when it is first asked for."""
    made = {}

    def of(transport):
        if transport not in made:
            close_all(made)
            oil = {} if transport == "text" else {"present": True, "low": -0.5, "high": 1.5}
            context = driven(transport, **{f"sensors__oil_level__{key}": value for key, value in oil.items()})
            made[transport] = (context, context.__enter__())
        return made[transport][1]

    yield of
    close_all(made)


def close_all(made):
    while made:
        made.popitem()[1][0].__exit__(None, None, None)


def moving(device, rig):
    """Ready and under way, whatever the test before has left; a host that stalls may trip it on the way."""

    def under_way():
        try:
            rig.arm()
            return rig.track("sine", amplitude_m=0.005, frequency_hz=2.0, cycles=1000)
        except Refused:
            rig.off()
            rig.wait_mode("off")
            return _reset(rig) and None

    if rig.status()["mode"] != "off":
        rig.off()
        rig.wait_mode("off")
    device.settle()
    until(lambda: _reset(rig), "the reset")
    return until(under_way, "the motion")


def _reset(rig):
    if rig.status()["trip"] is None:
        return True
    try:
        rig.reset()
    except Refused:
        return False  # the last of the fault has not been seen to go
    return True


def accounted(rig):
    core = rig.status()["core"]
    return core["ran"] + core["missed"] == core["due"] and core["rows_lost"] == 0


@pytest.mark.parametrize(("transport", "told", "expected"), list(_cases(TRIPS)))
def test_a_fault_trips_the_rig_and_every_tick_is_accounted_for(rigs, transport, told, expected):
    device, _, rig = rigs(transport)
    for _ in range(TRIES):  # a host whose stalls add up to more than a loop bears trips it before the fault does
        moving(device, rig)
        device.tell(told)
        trip = until(lambda: rig.status()["trip"], "the trip")
        if trip["name"] in expected or trip["name"] != "late_ticks":
            break
    assert trip["name"] in expected, trip
    rig.off()
    assert rig.wait_mode("off").mode == "off"
    device.tell("clear")  # a device whose time stands still comes to null only when it goes on
    until(lambda: not device.seen["enable"], "the device's null")
    assert accounted(rig)


def what_failed(rig, motion):
    """The stretches of exchanges that failed alike: at which tick, how many, how, and how long one took at most."""
    tick, status, took = rig.samples(motion.first, channels=["tick", "status", "exchange_ns"]).values()
    edges = np.flatnonzero(np.diff(status, prepend=-1, append=-1))
    found = [
        (int(tick[a]), int(b - a), Status(int(status[a])).name, f"{took[a:b].max() / 1e6} ms")
        for a, b in itertools.pairwise(edges)
    ]
    return [one for one in found if one[2] != "OK"][-30:]


@pytest.mark.parametrize(("transport", "told", "shown"), list(_cases(HARMLESS)))
def test_a_disturbance_is_seen_and_does_not_stop_the_rig(rigs, transport, told, shown):
    device, _, rig = rigs(transport)
    motion = moving(device, rig)
    begun = rig.status()["tick"]
    device.tell(told)

    def seen():
        rows = rig.samples(motion.first, channels=["tick", "status"])
        later = rows["status"][rows["tick"] > begun]
        return len(later) > 200 and (shown is None or shown & {Status(int(s)) for s in later})

    until(seen, "its mark in the samples")
    assert rig.status()["trip"] is None, f"{rig.status()['trip']}, {device.seen}, {what_failed(rig, motion)}"
    rows = rig.samples(motion.first, channels=["tick", "skipped"])
    assert (np.diff(rows["tick"]) == 1 + rows["skipped"][1:]).all()
    assert accounted(rig)
