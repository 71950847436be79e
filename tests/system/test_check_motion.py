"""What is said of a motion before it starts, and how it is shown."""

import pytest

from hilctl.client import Code
from tests.system.service_parts import Raw, armed, refusal

pytestmark = pytest.mark.timeout(300)
TRIANGLE = {"amplitude_m": 0.005, "speed_m_s": 0.05, "cycles": 2}


@pytest.fixture(scope="module")
def running():
    with armed() as both:
        yield both


def test_a_check_says_what_track_would_and_moves_nothing(running):
    _, rig = running
    before = rig.status()["history"]["end"]
    assert rig.check_motion("triangle", **TRIANGLE)["seconds"] > 0
    assert refusal(rig.check_motion, "move", position_m=4.0).code == Code.LIMIT
    assert "preview" not in rig.check_motion("triangle", **TRIANGLE)
    assert rig.status()["history"]["end"] == before


def test_a_check_shows_the_motion_and_where_it_passes_a_limit(running):
    _, rig = running
    limits = rig.get("limits")
    found = rig.check_motion("triangle", 200, **TRIANGLE)
    shown, extremes = found["preview"], found["extremes"]
    assert {name: len(column) for name, column in shown.items()} == dict.fromkeys(
        ("t_s", "position_m", "velocity_m_s", "acceleration_m_s2"), 200
    )
    assert found["refused"] is None and shown["t_s"][-1] < found["seconds"]
    assert shown["position_m"].max() == pytest.approx(extremes["x_high_m"], rel=1e-3)
    assert abs(shown["acceleration_m_s2"]).max() == pytest.approx(extremes["a_m_s2"], rel=1e-3)
    assert found["limits"] == {
        "position_m": {"low": limits["limits.position.min_m"], "high": limits["limits.position.max_m"]},
        "velocity_m_s": {"low": -limits["limits.velocity.max_m_s"], "high": limits["limits.velocity.max_m_s"]},
        "acceleration_m_s2": {"low": -limits["limits.acceleration.max_m_s2"],
                              "high": limits["limits.acceleration.max_m_s2"]},
    }  # fmt: skip
    wide = {"amplitude_m": 0.5, "frequency_hz": 0.05}
    error = refusal(rig.check_motion, "sine", **wide)
    passes = rig.check_motion("sine", 200, **wide)
    refused, x = passes["refused"], passes["preview"]["position_m"]
    assert (refused["code"], refused["key"], refused["message"]) == (error.code, error.key, error.message)
    assert f"t = {refused['at_s']:.4f} s" in refused["message"] and passes["extremes"] == {}
    allowed, t_s = passes["limits"]["position_m"], passes["preview"]["t_s"]
    outside = t_s[(x > allowed["high"]) | (x < allowed["low"])]
    assert outside[0] == pytest.approx(refused["at_s"], abs=2 * t_s[1])
    assert refusal(rig.check_motion, "sin", 200, **wide).code == Code.BAD_VALUE  # what is no motion cannot be shown
    assert refusal(rig.check_motion, "sine", 2001, **wide).key == "points"


@pytest.mark.slow
def test_a_check_that_takes_too_long_is_given_up(running):
    service, _ = running
    endless = {"amplitude_m": 1e-6, "start_hz": 1e-4, "end_hz": 400.0, "duration_s": 1e5}
    with Raw(service.commands) as other:
        error = other.ask("check_motion", kind="chirp", parameters=endless, points=2000)["error"]
    assert error["code"] == Code.BUSY and "this check takes longer than 5 s" in error["message"]


def test_what_the_valve_cannot_follow_is_said_with_the_largest_that_it_can():
    with armed(changes={"law.feed.inverse": 1.0, "machine.slew_per_s": 35.0}) as (_, rig):
        asked = {"frequency_hz": 10.0, "amplitude_m": 0.008, "cycles": 3}
        found = rig.check_motion("sine", **asked)
        (warning,) = found["warnings"]
        assert "(machine.slew_per_s is 35, which makes it late by" in warning
        assert found["facts"]["spool_slew_per_s"] > 35.0 and found["facts"]["inverse_share"] <= 1.0
        most = float(warning.split("(to amplitude_m = ")[1].split()[0])
        assert 0.0 < most < asked["amplitude_m"]
        assert not rig.check_motion("sine", **{**asked, "amplitude_m": most})["warnings"]
        corners = rig.check_motion("triangle", amplitude_m=0.02, speed_m_s=0.1, cycles=2)
        assert "instead of 0.02 s" in corners["text"] and not corners["warnings"]
