"""A rig that closes its own displacement loop: armed, moved, tripped and switched off, without a jump."""

import numpy as np
import pytest

from hilctl.client import Client, Refused, private_service
from hilctl.signals import Arming, Mode

pytestmark = pytest.mark.timeout(300)
CHANNELS = ["tick", "mode", "arming", "xr_m", "u_cmd", "u_applied", "displacement_m", "enabled", "trip", "velocity_m_s"]
REACH_M = 0.2


@pytest.fixture(scope="module")
def servo():
    with private_service("servo-004") as service, Client(service.commands) as rig:
        yield rig


@pytest.fixture
def rig(servo):
    servo.set({"limits.tracking_error.max_m": 0.02})
    if servo.status()["trip"]:
        servo.reset()
    if servo.status()["mode"] == "off":
        servo.arm()
    servo.wait(servo.move(0.0))
    return servo


def samples(rig, first, last):
    return rig.samples(first, last, CHANNELS, keep=True)


def test_the_bumps_prove_the_polarity_and_nothing_else_moves_it(rig):
    seen = samples(rig, 0, 3000)
    bumps = np.isin(seen["arming"], [Arming.BUMP_UP, Arming.BUMP_DOWN])
    assert bumps.any()
    assert np.abs(seen["u_cmd"][bumps]).max() == pytest.approx(0.003, abs=2e-4)
    assert np.abs(seen["displacement_m"]).max() < 1.5 * 0.003 * REACH_M


def test_the_command_is_the_reference_of_now(rig):
    motion = rig.track("sine", amplitude_m=0.004, frequency_hz=3.0, duration_s=1.0)
    outcome = rig.wait(motion)
    seen = samples(rig, motion.first, outcome.last)
    tracked = seen["mode"] == Mode.TRACK
    assert np.abs(seen["u_cmd"] * REACH_M - seen["xr_m"])[tracked].max() < 1e-12
    assert np.array_equal(seen["u_applied"][1:], seen["u_cmd"][:-1])
    assert np.ptp(seen["displacement_m"]) == pytest.approx(0.008, rel=0.1)


def test_a_trip_to_null_decelerates_and_then_switches_off(rig):
    rig.set({"limits.tracking_error.max_m": 0.002})
    motion = rig.track("sine", amplitude_m=0.015, frequency_hz=5.0, duration_s=4.0)
    outcome = rig.wait(motion)
    assert outcome.trip == "tracking_error"
    rig.wait_mode("off", 5.0)
    last = rig.pass_time(0.2).last
    seen = samples(rig, motion.first, last)
    null, off = seen["mode"] == Mode.NULL, seen["mode"] == Mode.OFF
    speed = np.abs(np.diff(seen["u_cmd"][~off])) * REACH_M * 2000
    assert speed.max() < 0.015 * 2 * np.pi * 5 * 1.05  # never faster than the motion was: no jump
    ending = np.abs(np.diff(seen["u_cmd"][null]))
    assert ending[-1] < 1e-2 * ending.max()  # at rest when it ends
    assert seen["enabled"][null].all()
    assert not seen["enabled"][off].any()
    assert np.abs(seen["xr_m"][null][-1]) > 1e-4  # rest is where it came to rest, not zero
    with pytest.raises(Refused):
        rig.track("sine", amplitude_m=0.001, frequency_hz=1.0, duration_s=1.0)


def test_armed_anew_it_begins_where_it_stands(rig):
    rig.wait(rig.move(0.008))
    before = rig.pass_time(0.1).last
    rig.off()
    rig.pass_time(0.02)  # on its way to the centre
    rig.wait_mode("off", 5.0)
    rig.pass_time(0.5)
    rig.arm()
    seen = samples(rig, before, rig.pass_time(0.1).last)
    closed = np.flatnonzero(seen["enabled"] > 0)
    again = closed[np.flatnonzero(np.diff(closed) > 1)[-1] + 1]
    assert seen["u_cmd"][again] * REACH_M == pytest.approx(seen["displacement_m"][again], abs=1e-4)


@pytest.mark.parametrize(("key", "value"), [("law.feedback", "pid"), ("law.rig.reach_m", 0.1)])
def test_who_closes_the_loop_and_how_far_a_command_reaches_cannot_change_while_it_runs(rig, key, value):
    with pytest.raises(Refused, match=key.replace(".", r"\.")):
        rig.set({key: value})
