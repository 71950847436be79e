"""The whole loop on our own firmware: it tracks; whatever dies, hangs or is unplugged, the device makes itself safe."""

import os
import signal

import numpy as np
import pytest

from firmware_bridge.firmware.build import compiler, cross_compiler
from firmware_bridge.firmware.emulated import emulator
from firmware_bridge.serial_frame.messages import DeviceTrip, State
from hilctl.client import Refused
from hilctl.errors import HilctlError
from hilctl.signals import Status
from tests.system.serial_parts import (
    TTL_TICKS,
    board,
    kill_core,
    move,
    restored,
    service_of,
    ticks_pass,
    tripped,
    under_way,
)
from tests.system.service_parts import arms, core_of, link_comes, link_events, until

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.timeout(120),
    pytest.mark.skipif(compiler() is None, reason="needs a C compiler"),
]

in_qemu = pytest.mark.skipif(
    cross_compiler() is None or emulator() is None, reason="needs arm-none-eabi-gcc and qemu-system-arm"
)
SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))


@pytest.fixture
def device():
    with board() as made:
        yield made


@pytest.fixture(scope="module")
def running():
    """One service for all faults that it outlives."""
    with board() as device, service_of(device) as (service, rig):
        yield device, service, rig


@pytest.fixture
def moving(running):
    """Armed again by a person, whatever the test before has left; and moving."""
    device, service, rig = running
    return device, service, rig, under_way(rig, device)


def test_the_rig_arms_tracks_and_is_switched_off_over_a_real_line(running):
    device, _, rig = running
    restored(device, rig)
    motion = rig.track("sine", amplitude_m=0.005, frequency_hz=2.0, cycles=4)
    outcome = rig.wait(motion)
    assert (outcome.why, outcome.trip) == ("done", "")
    rows = rig.samples(motion.first, channels=["tick", "skipped", "displacement_m", "device_tick", "status"])
    assert (np.diff(rows["tick"]) == 1 + rows["skipped"][1:]).all()
    assert np.ptp(rows["displacement_m"]) > 0.006
    assert (np.diff(rows["device_tick"]) >= 0).all()
    assert {int(s) for s in rows["status"]} <= {Status.OK, Status.LATE, Status.TIMEOUT, Status.STALE}
    assert device.seen()["lost"] == 0
    rig.off()
    assert rig.wait_mode("off").mode == "off"
    until(lambda: not device.seen()["enable"])
    assert (device.seen()["state"], device.seen()["trip"], device.seen()["valve"]) == (State.RUNNING, 0, 0)


def test_a_long_stall_trips_the_device_and_it_stays_so_when_the_core_goes_on(moving):
    device, service, rig, motion = moving
    os.kill(core_of(service), signal.SIGSTOP)
    try:
        seen = tripped(device)
    finally:
        os.kill(core_of(service), signal.SIGCONT)
    assert seen["trip"] == DeviceTrip.TIME_TO_LIVE
    assert rig.wait(motion).why == "tripped"
    until(lambda: rig.status()["mode"] == "off", "off")  # the missed ticks stop it first, the device's trip ends in off
    ticks_pass(device, TTL_TICKS)
    assert device.seen()["state"] == State.TRIPPED


@pytest.mark.parametrize("faults", [["mute 1"], ["hung 1"], ["mute 1", "babble 100000000"]], ids="".join)
def test_a_device_that_is_silent_hangs_or_babbles_trips_the_rig_while_ticks_go_on(moving, faults):
    device, _, rig, motion = moving
    for fault in faults:
        device.tell(f"line {fault}")
    assert rig.wait(motion).trip == "driver"
    rig.wait_mode("off")
    ticks = rig.samples(motion.first, channels=["tick", "skipped", "status"])
    assert {Status.TIMEOUT, Status.BAD_CHECKSUM} & {int(s) for s in ticks["status"]}
    assert (np.diff(ticks["tick"]) == 1 + ticks["skipped"][1:]).all()


def test_the_emergency_stop_at_the_device_is_told_to_the_rig(moving):
    device, _, rig, motion = moving
    device.tell("set emergency_stop 1")
    seen = tripped(device)
    assert (seen["trip"], seen["null_tick"]) == (DeviceTrip.EMERGENCY_STOP, seen["trip_tick"])
    assert rig.wait(motion).trip == "emergency_stop"
    rig.wait_mode("off")


def survives_a_kill(device) -> bool:
    """Kills the core while the table moves; False when the device had tripped by itself before."""
    with service_of(device) as (service, rig):
        try:
            until(lambda: arms(rig), "arming")
            move(rig, device)
        except Refused:
            return False
        if device.seen()["state"] != State.RUNNING:
            return False
        kill_core(service)
        seen = tripped(device)
        assert seen["trip"] == DeviceTrip.TIME_TO_LIVE
        assert (seen["trip_tick"] - seen["good_tick"]) % 2**32 == seen["ttl_ticks"] == TTL_TICKS
        assert (seen["valve"], seen["enable"], seen["supply"]) == (0, 0, 0)
        ticks_pass(device, 2 * TTL_TICKS)
        assert device.seen()["state"] == State.TRIPPED  # latched
        assert device.seen()["trip_tick"] == seen["trip_tick"]
        return True


def kills(count: int, kind: str) -> None:
    """As often as that, on a fresh board each time; at most 5 % of the set-ups trip by themselves."""
    spoilt = done = 0
    while done < count:
        with board(kind) as device:
            done, spoilt = (done + 1, spoilt) if survives_a_kill(device) else (done, spoilt + 1)
        assert spoilt <= max(1, 0.05 * count)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_killing_the_core_while_moving_a_hundred_times_ends_in_a_latched_null_within_the_time_to_live():
    kills(max(1, round(100 * SHARE)), "native")


@pytest.mark.slow
@pytest.mark.timeout(3000)
@in_qemu
def test_killing_the_core_while_moving_twenty_five_times_with_the_firmware_on_a_cortex_m():
    kills(max(1, round(25 * SHARE)), "lm3s6965evb")


@pytest.mark.always
def test_killing_the_core_while_moving_ends_in_a_latched_null_and_a_restart_never_arms_only_a_person_does(device):
    until(lambda: survives_a_kill(device))
    with service_of(device) as (_, rig):
        ticks_pass(device, TTL_TICKS)
        assert rig.status()["mode"] == "off"
        assert device.seen()["state"] == State.TRIPPED
        until(lambda: arms(rig), "arming")
        assert rig.status()["mode"] == "hold"
        assert (device.seen()["state"], device.seen()["enable"]) == (State.RUNNING, 1)
    assert (device.seen()["state"], device.seen()["trip"]) == (State.READY, 0)  # disarmed with its service


def test_unplugged_while_moving_and_plugged_again_the_link_is_made_anew_and_only_a_person_arms(device, tmp_path):
    port = tmp_path / "port"
    port.symlink_to(device.port)
    with service_of(device, driver__port=str(port), loop__reconnect__longest_s=0.5) as (_, rig):
        motion = under_way(rig, device)
        device.process.kill()
        assert rig.wait(motion).trip == "driver"
        assert rig.wait_mode("off").mode == "off"
        last = rig.samples(motion.first, channels=["status"])["status"][-1]
        assert last == Status.CLOSED
        trip = link_comes(rig, "reconnecting")["trip"]
        with pytest.raises(Refused):
            rig.arm()
        with board() as other:
            (tmp_path / "new").symlink_to(other.port)
            (tmp_path / "new").rename(port)
            back = link_comes(rig, "open")
            assert (back["trip"]["name"], back["mode"]) == (trip["name"], "off")
            assert back["link"]["errors"]["closed"] > 0
            ticks_pass(other, TTL_TICKS)
            seen = other.seen()
            assert seen["session"] != 0 and (seen["enable"], seen["supply"], seen["trip"]) == (0, 0, 0)
            rig.reset()
            until(lambda: arms(rig), "arming")
            assert (other.seen()["state"], other.seen()["enable"]) == (State.RUNNING, 1)
            lost, *failed, came = link_events(rig)
            assert (lost["kind"], came["kind"]) == ("link_lost", "link_back")
            assert {event["kind"] for event in failed} <= {"link_failed"}
            assert str(port) in lost["reason"] and came["detail"]["boot"] == seen["boot"]


def test_a_device_that_reboots_while_moving_is_null_and_gets_a_new_session_but_is_armed_by_a_person(moving):
    device, _, rig, motion = moving
    before = len(link_events(rig))
    device.tell("reboot")
    assert rig.wait(motion).trip == "driver"
    rig.wait_mode("off")
    until(lambda: [event["kind"] for event in link_events(rig)[before:]][-1:] == ["link_back"], "the new session")
    assert "rebooted" in link_events(rig)[before]["reason"]
    ticks_pass(device, TTL_TICKS)
    assert rig.status()["trip"] and rig.status()["mode"] == "off"
    seen = device.seen()
    assert seen["session"] != 0 and (seen["enable"], seen["supply"], seen["valve"]) == (0, 0, 0)
    restored(device, rig)
    assert device.seen()["state"] == State.RUNNING


@pytest.mark.slow
def test_a_board_that_does_not_fit_the_rig_file_is_refused_at_the_start_with_the_sum(device):
    with pytest.raises(HilctlError, match=r"at most 144 Hz, or"), service_of(device, driver__baud=115_200):
        pass
    assert device.seen()["state"] in (State.IDLE, State.READY)  # never armed
