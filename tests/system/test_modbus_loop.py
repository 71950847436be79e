"""The whole service on the real clock, and a Modbus device with the twin behind it: counts and order, never times."""

import os
import signal
from contextlib import contextmanager

import numpy as np
import pytest

from hilctl.client import Client, Refused, private_service
from hilctl.signals import Status
from tests.system.modbus_parts import Device, device
from tests.system.service_parts import (
    ARMS_FAST,
    LATE_HOST,
    ROOM,
    SHARED,
    arms,
    core_of,
    driven_to_its_end,
    in_time,
    link_comes,
    link_events,
    strokes,
    undisturbed,
    until,
)

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

ENABLE, FAULT, WATCHDOG_TRIPPED = 1, 24, 9
_SLOW = {
    **{key: value for key, value in ARMS_FAST.items() if not key.startswith("twin.")},
    "loop.rate_hz": 200.0,
    "loop.time_to_live_s": 0.1,
    **ROOM,
    **SHARED,
    **LATE_HOST,
    "service.timeout_s": 10.0,
}
# A virtual machine stalls for tens of milliseconds now and then, and the device's server with it.
_PATIENT = {"limits.driver.ticks": 100, "limits.sensing.ticks": 100, "limits.stale.ticks": 100,
            "limits.tracking_error.ticks": 100, "limits.read_back.ticks": 200}  # fmt: skip
KINDS = pytest.mark.parametrize("kind", ["tcp", pytest.param("rtu", marks=pytest.mark.slow)])


@contextmanager
def armed(kind, **changes):
    """A device, a service on it, a client that holds the lease, the rig in hold."""
    with device(kind) as there:
        there.tell(real=True)
        driver = {"name": "modbus", **there.table(amplifier__fc23=True, answer_timeout_s=0.02, lost_after=50)}
        slower = {"loop.rate_hz": 100.0} if kind == "rtu" else {}  # the line's characters take their time
        settings = {**_SLOW, **slower, **changes, "driver": driver}
        with (
            private_service("table-500", clock="real", twin=False, changes=settings) as service,
            Client(service.commands) as rig,
        ):
            until(lambda: arms(rig), "arming")
            yield there, service, rig


@KINDS
def test_a_loop_is_closed_over_modbus_and_every_exchange_is_accounted_for(kind):
    with armed(kind, **_PATIENT) as (there, _, rig):
        _, outcome = undisturbed(
            lambda: driven_to_its_end(
                rig,
                lambda: there.registers[FAULT] == WATCHDOG_TRIPPED,
                "sine",
                amplitude_m=0.005,
                frequency_hz=1.0,
                cycles=2,
            )
        )
        rows = rig.samples(outcome.first, outcome.last, ["status", "error_m", "displacement_m", "xr_m", "device_tick"])
        core = rig.status()["core"]
        assert core["ran"] + core["missed"] == core["due"]
        assert core["rows_lost"] == 0
        good = rows["status"] == Status.OK
        assert in_time(good) > 0.9
        assert set(rows["status"]) <= {Status.OK, Status.LATE, Status.TIMEOUT}
        assert rows["displacement_m"].max() > 0.004 and rows["displacement_m"].min() < -0.004
        assert abs(rows["error_m"][good]).max() < 0.002
        assert np.median([abs(rows["error_m"][part]).max() for part in strokes(rows["xr_m"])]) < 5e-4
        assert (rows["device_tick"][good][1:] > rows["device_tick"][good][:-1]).all()


def test_when_the_core_is_killed_while_it_moves_the_device_makes_itself_safe():
    with armed("tcp", **_PATIENT) as (there, service, rig):
        rig.track("sine", amplitude_m=0.005, frequency_hz=1.0)
        assert there.registers[FAULT] == 0
        os.kill(core_of(service), signal.SIGKILL)
        until(lambda: there.registers[FAULT] == WATCHDOG_TRIPPED, "the device's watchdog")


_GOES = {**_PATIENT, "limits.driver.ticks": 10, "limits.sensing.ticks": 20, "loop.reconnect.longest_s": 0.5}


def tripped_without_link(rig):
    """The rig off, the loop going on, and the link reconnecting; the status."""
    status = until(lambda: (s := rig.status())["trip"] and s, "the trip")
    assert status["trip"]["name"] == "driver"
    assert rig.wait_mode("off").mode == "off"
    ran = link_comes(rig, "reconnecting")["core"]["ran"]
    status = until(lambda: (s := rig.status())["core"]["ran"] > ran + 20 and s, "more ticks")
    assert status["core"]["ran"] + status["core"]["missed"] == status["core"]["due"]
    with pytest.raises(Refused, match=r"link to the device is lost for .*reconnecting"):
        rig.arm()
    return status


def test_a_device_that_is_unplugged_and_plugged_again_is_reached_anew_and_armed_by_a_person():
    with armed("tcp", **_GOES) as (there, _, rig):
        rig.track("sine", amplitude_m=0.005, frequency_hz=1.0)
        there.end()
        tripped_without_link(rig)
        again = Device("tcp", str(there.place["port"]))
        try:
            again.tell(real=True)
            status = link_comes(rig, "open")
            assert (status["trip"]["name"], status["mode"], status["link"]["reconnects"]) == ("driver", "off", 1)
            assert again.registers[ENABLE] == 0
            until(lambda: arms(rig), "arming")
            assert again.registers[ENABLE] == 1
            lost, *failed, back = link_events(rig)
            assert (lost["kind"], back["kind"]) == ("link_lost", "link_back")
            assert {event["kind"] for event in failed} <= {"link_failed"} and "refused" in failed[0]["reason"]
        finally:
            rig.off()
            rig.wait_mode("off")
            again.end()


@pytest.mark.slow
def test_a_device_that_falls_silent_is_tried_again_and_the_end_does_not_wait_for_it():
    with armed("tcp", **_GOES) as (there, service, rig):
        rig.track("sine", amplitude_m=0.005, frequency_hz=1.0)
        there.process.send_signal(signal.SIGSTOP)
        tripped_without_link(rig)
        service.process.terminate()
        assert service.process.wait(30) == 0
        there.end()


@pytest.mark.slow
def test_a_trip_of_the_device_is_seen_by_the_loop():
    with armed("tcp", **{**_PATIENT, "limits.driver.ticks": 3}) as (there, _, rig):
        there.tell(set={FAULT: 7})
        status = until(lambda: (s := rig.status())["trip"] and s, "the trip")
        assert status["trip"]["name"] == "driver"
        assert rig.wait_mode("off").mode == "off"
