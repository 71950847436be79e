"""A rig that closes its own displacement loop: armed, moved, tripped and switched off, without a jump."""

from contextlib import contextmanager, nullcontext

import numpy as np
import pytest

from hilctl.cli import connect
from hilctl.cli.main import main
from hilctl.client import Client, Refused, private_service
from hilctl.commission import Commissioning, How
from hilctl.experiment.facts import read_facts
from hilctl.identify.friction import Campaign
from hilctl.identify.plant.plan import check_ready
from hilctl.identify.presliding import identify_presliding
from hilctl.params import BadValues
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


@pytest.mark.parametrize("words", ["identify friction", "identify presliding", "identify plant", "commission", "tune"])
def test_work_on_the_valves_opening_is_refused_before_anything_moves(rig, words, tmp_path, monkeypatch, capsys):
    @contextmanager
    def running(given, name, *, restore):
        yield rig

    monkeypatch.setattr(connect, "attended", running)
    monkeypatch.setattr(connect, "look", lambda given: nullcontext(rig))
    monkeypatch.chdir(tmp_path)
    before = rig.status()["history"]["end"]  # on the virtual clock time passes only where something is done
    assert main([*words.split(), *(["servo-004", "--measure"] if words == "tune" else [])]) == 2
    said = capsys.readouterr().err
    assert "law.feedback: 'rig' refused, the rig closes its own displacement loop" in said
    assert "`hilctl identify dynamics` identifies such a rig" in said
    assert rig.status()["history"]["end"] == before
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("work", [
    lambda rig, folder: Campaign.begin(rig, folder),
    lambda rig, folder: check_ready(rig, read_facts(rig)),
    lambda rig, folder: identify_presliding(rig, {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}),
    lambda rig, folder: Commissioning(rig, How(folder)),
])  # fmt: skip
def test_so_it_is_where_no_command_line_stands_before_it(rig, work, tmp_path):
    before = rig.status()["history"]["end"]
    with pytest.raises(BadValues, match=r"law\.feedback: 'rig' refused"):
        work(rig, tmp_path)
    assert rig.status()["history"]["end"] == before
