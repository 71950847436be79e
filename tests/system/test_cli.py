"""Every verb as a person types it, each a process of its own, against the twin on the virtual clock."""

import json
import re
import signal
import subprocess
import sys

import pytest

from hilctl.client import Client
from hilctl.wire import places
from tests.system.cli_parts import RIG, Shell, serving
from tests.system.service_parts import until

pytestmark = pytest.mark.timeout(300)
TRIANGLE = ("--speed", "0.05", "--amplitude", "0.005", "--cycles", "2")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("cli"), "--clock", "virtual") as parts:
        yield parts[0]


@pytest.fixture
def shell(service):
    """In hold, without a trip, on the console's lease, whatever the test before has left."""
    service.said("stop")
    if service.json("status")["trip"]:
        service.said("wait", "1", "--takeover")
        service.said("reset", "--takeover")
    if service.json("status")["mode"] == "off":
        service.said("arm", "--takeover")
    return service


def endpoints(shell: Shell):
    return places.running(shell.runtime / "hilctl")[RIG]


def test_status_needs_no_lease_and_no_compiler(service):
    check = "import sys; from hilctl.cli.main import main; print(main(['status']), 'numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", check], env=service.environment, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{RIG}: ")
    assert done.stdout.splitlines()[-1] == "0 False"
    assert service.json("status")["twin"] is True


def test_arming_and_tracking_are_one_holder(service):
    service.said("off")
    assert service.json("status")["lease"] is None
    assert service.said("arm").startswith("armed: hold")
    holder = service.json("status")["lease"]["holder"]
    assert service.said("set", "law.blend_s=0.2").startswith("law.blend_s")
    lease = service.json("status")["lease"]
    assert (lease["kind"], lease["holder"]) == ("console", holder)
    assert service.said("track", "triangle", *TRIANGLE, "--wait").startswith("motion ")
    assert service.json("status")["lease"]["kind"] == "console", "it has it again"
    assert "console" in service.said("status") and "unless used" in service.said("status")
    assert service.said("off").startswith("off")
    assert service.json("status")["lease"] is None
    assert "mode hold" in service.refused("move", "0.01")


def test_before_arming_a_command_leaves_the_lease_as_free_as_it_found_it(shell):
    shell.said("off")
    for words in (("reset",), ("set", "law.blend_s=0.3"), ("set", "--undo")):
        shell.said(*words)
        assert shell.json("status")["lease"] is None, words
    with Client(endpoints(shell)["commands"], name="panel") as panel:
        panel.arm()


def test_a_motion_is_told_as_json_with_its_outcome(shell):
    told = json.loads(shell.said("move", "-0.004", "--speed", "0.05", "--wait", "--json"))
    assert told["outcome"] == "done"
    assert told["last"] > told["first"]
    assert shell.json("status")["position_m"] == pytest.approx(-0.004, abs=2e-4)


def test_wait_lets_time_pass_or_sees_a_motion_end(shell):
    tick = int(shell.said("wait", "0.5").split()[1])
    assert int(shell.said("wait", "0.25").split()[1]) == tick + 250
    motion = json.loads(shell.said("track", "triangle", *TRIANGLE, "--json"))["id"]
    assert shell.said("wait", "--motion", str(motion)) == f"motion {motion}: done\n"
    shell.refused("wait", "--motion", str(motion + 1), code=2)


def test_hold_and_stop_end_a_motion(shell):
    for verb in ("hold", "stop"):
        shell.said("track", "sine", "--amplitude", "0.001", "--frequency", "1")
        assert shell.said(verb).startswith("hold")
        assert shell.json("status")["motion"] == 0


def test_a_motion_beyond_the_limits_is_refused_with_instant_key_and_remedy(shell):
    said = shell.refused("track", "sine", "--amplitude", "0.2", "--frequency", "1", "--cycles", "2")
    assert "limits.position" in said
    assert "limits.position.min_m is -0.09 m" in said
    assert said.count("\n") == 1
    fits = said.strip().rsplit(" ", 1)[1]
    assert 0.05 < float(fits) < 0.2
    shell.said("track", "sine", "--amplitude", fits, "--frequency", "1", "--cycles", "1", "--wait")
    more = f"{1.01 * float(fits):.4g}"
    shell.refused("track", "sine", "--amplitude", more, "--frequency", "1", "--cycles", "2")


def test_a_second_arm_says_that_the_rig_is_armed(shell):
    assert "already armed" in shell.refused("arm")


def test_the_lease_is_shown_and_given_back(shell):
    assert shell.said("lease").startswith("console, held by")
    shell.said("track", "sine", "--amplitude", "0.001", "--frequency", "1")
    assert "stop first" in shell.refused("lease", "--release")
    shell.said("stop")
    assert shell.said("lease", "--release") == "free\n"
    shell.said("off")
    assert shell.json("lease") is None
    with Client(endpoints(shell)["commands"], name="panel", lease="attended"):
        assert "panel-" in shell.said("lease")
        assert shell.json("lease")["kind"] == "attended"


def test_events_are_told_in_their_order(shell):
    shell.said("stop")
    told = [json.loads(line) for line in shell.said("events", "--json").splitlines()]
    assert [event["number"] for event in told] == list(range(told[0]["number"], told[0]["number"] + len(told)))
    assert {"mode", "lease"} <= {event["kind"] for event in told}
    assert len(shell.said("events").splitlines()) >= len(told)


def test_shutdown_does_not_end_anothers_service(shell):
    shell.said("off")
    with Client(endpoints(shell)["commands"], name="panel", lease="attended"):
        assert "panel-" in shell.refused("shutdown")


def test_what_no_rig_would_take_is_wrong_use(shell):
    said = shell.run("track", "sine", "--amplitude", "nan", "--frequency", "1", code=2).stderr
    assert said.startswith("hilctl track sine: --amplitude: nan refused, must be finite")
    assert "amplitude_m" in shell.refused("track", "sine", "--frequency", "1", code=2)
    assert "did you mean" in shell.refused("set", "law.pid.kp=3", code=2)
    assert "did you mean" in shell.refused("watch", "--once", "--channels", "xr", code=2)
    assert shell.run("track", "circle", code=2).stderr


def test_a_waveform_comes_from_a_file(shell):
    file = shell.folder / "bump.csv"
    lines = [f"{0.01 * i},{0.005 * (1 - abs(i - 50) / 50) ** 2}" for i in range(101)]
    file.write_text("time_s,displacement_m\n" + "\n".join(lines) + "\n")
    assert "waveform bump" in shell.said("track", "waveform", str(file), "--taper", "0.1", "--wait")
    file.write_text("time_s,speed\n0,1\n")
    assert "displacement" in shell.refused("track", "waveform", str(file), code=2)
    assert "no such file" in shell.refused("track", "waveform", "missing.csv", code=2)


def test_set_changes_all_or_none_and_undoes(shell):
    before = shell.json("get", "law.pid.kp_per_m", "law.feedback")
    assert '"three_state" → "pid"' in shell.said("set", "law.feedback=pid", "law.pid.kp_per_m=12")
    assert shell.json("get", "law.pid.kp_per_m") == {"law.pid.kp_per_m": 12.0}
    shell.refused("set", "law.pid.kp_per_m=11", "law.pid.ki_per_m_s=nan", code=2)
    assert shell.json("get", "law.pid.kp_per_m") == {"law.pid.kp_per_m": 12.0}
    shell.said("set", "--undo")
    assert shell.json("get", "law.pid.kp_per_m", "law.feedback") == before
    assert 'law.feedback = "three_state"' in shell.said("get", "law.feedback")
    shell.refused("set", code=2)


def test_watch_shows_the_newest_sample_and_ends_with_ctrl_c(shell):
    row = json.loads(shell.said("watch", "--once", "--json", "--channels", "mode", "xr_m"))
    assert row["mode"] == 2
    assert "hold" in shell.said("watch", "--once")
    watching = shell.start("watch", "--json", "--channels", "tick", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first = json.loads(watching.stdout.readline())["tick"]
    shell.said("move", "0.002", "--wait")
    shell.said("move", "0", "--wait")
    assert json.loads(watching.stdout.readline())["tick"] > first
    watching.send_signal(signal.SIGINT)
    _, said = watching.communicate(timeout=30)
    assert watching.returncode == 0
    assert "Traceback" not in said


def test_watch_into_a_pipe_is_a_line_an_instant(shell):
    watching = shell.start("watch", "--channels", "tick", "mode", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = [watching.stdout.readline().split()]
    shell.said("move", "0.002", "--wait")  # virtual time stands still but for this
    shell.said("move", "0", "--wait")
    lines.append(watching.stdout.readline().split())
    assert [line[0] for line in lines] == ["tick", "tick"]
    assert "hold" in lines[0]
    watching.send_signal(signal.SIGINT)
    watching.communicate(timeout=30)
    assert watching.returncode == 0


def test_zero_makes_a_sensor_read_what_it_should(shell):
    shell.said("move", "0", "--wait")
    shell.said("wait", "1.5")
    assert "sensors.acceleration.offset" in shell.said("zero", "acceleration", "--samples", "500")
    assert shell.json("get", "sensors.acceleration.offset")["sensors.acceleration.offset"] != 0
    shell.said("set", "--undo")
    assert "no such sensor" in shell.refused("zero", "thermometer", code=2)


def test_a_recording_is_exported(shell):
    assert "recording to" in shell.said("record", "start", "one")
    shell.said("move", "0.003", "--wait")
    told = shell.json("record", "stop")
    assert "nothing is being recorded" in shell.refused("record", "stop")
    out = shell.folder / "one.csv"
    rows = told["flushed"] - told["first"] + 1
    assert f"{rows} rows" in shell.said(
        "export", told["path"], "--csv", "--out", str(out), "--channels", "xr_m", "mode"
    )
    lines = out.read_text().splitlines()
    assert lines[0] == "time_s,xr_m,mode"
    assert len(lines) == rows + 1
    shell.refused("export", told["path"], code=2)
    shell.refused("export", str(out), "--csv", "--out", str(shell.folder / "two.csv"), code=2)
    shell.refused("export", told["path"], "--csv", "--channels", "foo", "--out", str(out), code=2)


def test_a_trip_is_told_and_reset(shell):
    shell.said("set", "limits.tracking_error.max_m=0.00002", "law.blend_s=0.001")
    said = shell.run(
        "track", "triangle", "--speed", "0.3", "--amplitude", "0.04", "--cycles", "2", "--wait", code=1
    ).stderr
    for part in ("tripped", "tracking_error", "limits.tracking_error", "hilctl reset"):
        assert part in said
    assert "TRIPPED" in shell.said("status")
    assert shell.json("status")["trip"]["key"] == "limits.tracking_error"
    shell.said("set", "--undo")
    shell.said("wait", "1")
    shell.said("reset")
    assert shell.json("status")["trip"] is None


def test_anothers_lease_is_respected_unless_taken_over(shell):
    shell.said("off")
    with Client(endpoints(shell)["commands"], name="panel") as panel:
        said = shell.refused("arm")
        assert "panel-" in said
        assert "--takeover" in said
        shell.said("arm", "--takeover")
        until(lambda: panel.lease_lost, "the end of the panel's lease")
    assert shell.json("status")["lease"]["kind"] == "console"


def test_tuned_gains_are_printed_and_applied(shell):
    known = shell.json("get", "law.pid")
    fragment = shell.said("tune", RIG, "--feedback", "pid", "--apply")
    assert "[law.pid]" in fragment
    assert "kp_per_m = " in fragment
    found = shell.json("get", "law.pid.kp_per_m")["law.pid.kp_per_m"]
    assert f"kp_per_m = {found:.5g}" in fragment
    shell.said("set", "--undo")
    assert shell.json("get", "law.pid") == known


def test_a_service_is_found_by_name_and_by_endpoint(shell):
    assert shell.json("status", "--connect", RIG)["rig"] == RIG
    assert shell.json("status", "--connect", endpoints(shell)["commands"])["rig"] == RIG
    assert "running: table-500" in shell.refused("status", "--connect", "table-600")
    assert "tcp://" in shell.refused("status", "--connect", "http://x", code=2)


def test_a_second_service_of_the_rig_is_refused(shell):
    done = shell.run("run", RIG, "--twin", code=1)
    assert "running" in done.stderr or "already" in done.stderr


def test_a_sine_is_learned_and_its_drive_played_from_the_file(shell, tmp_path):
    shell.said("set", "law.feed.inverse=1")
    shell.said("wait", "1")
    file = str(tmp_path / "five.drive.json")
    sine = ("track", "sine", "--frequency", "5", "--amplitude", "0.02", "--learn", "--name", "five", "--drive", file)
    told = shell.said(*sine, "--drives", "2", "--target", "0.01")
    repeats = [float(one) for one in re.findall(r"repeat \d: distortion ([\d.]+) %", told)]
    assert len(repeats) == 2
    assert any(f"2 drives were played; distortion {one:.2f} %" in told for one in repeats)
    assert f"uploaded as 'five' and kept in {file}" in told
    assert "learn further with `hilctl track waveform" in shell.refused(*sine, code=2)
    assert "waveform five" in shell.said("track", "waveform", "--uploaded", "five", "--taper", "0", "--wait")
    assert "waveform five" in shell.said("track", "waveform", file, "--wait")
    assert "repeat 2: distortion" in shell.said("track", "waveform", file, "--learn", "--drives", "1")
    assert "leave out scale" in shell.refused("track", "waveform", file, "--scale", "2", code=2)
    shell.refused("track", "waveform", code=2)
    shell.refused("track", "waveform", "--uploaded", "five", "--learn", code=2)
    shell.said("set", "--undo")
    refused = shell.refused("track", "waveform", file, code=2)
    assert "law.feed.inverse was 1.0, is 0.0; restore these (`hilctl set`)" in refused
