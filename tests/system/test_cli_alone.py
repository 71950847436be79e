"""Verbs that need no running service, or start one: check, presets, run, demo, bench."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hilctl.cli.demo import _emptied
from hilctl.experiment import course
from tests.system.cli_parts import FREE_PORTS, RIG, Shell, serving
from tests.system.service_parts import ARMS_FAST

pytestmark = pytest.mark.timeout(300)
_REAL = ("limits.late.ticks=100000", "service.timeout_s=10", *(f"{key}={value}" for key, value in ARMS_FAST.items()))


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def test_check_prints_margins_and_opens_the_driver(shell):
    said = shell.said("check", RIG)
    assert "every value is allowed" in said
    assert "three_state" in said
    assert "driver twin: opened" in said
    told = shell.json("check", RIG)
    assert told["margins"]["three_state"]["family"]["stable"] is True
    assert told["complaints"] == []


def test_check_refuses_what_does_not_hold(shell):
    assert "hilctl tune" in shell.run("check", RIG, "--set", "law.three_state.kd_per_m=400", code=1).stderr
    said = shell.refused("check", RIG, "--set", "limits.position.max_m=0.2", code=2)
    assert "stroke" in said


def test_the_doctor_examines_this_very_host(shell):
    command = [sys.executable, "-m", "hilctl", "doctor", "--seconds", "0.1", "--json"]
    done = subprocess.run(command, env=shell.environment, text=True, capture_output=True, timeout=60, check=False)
    told = json.loads(done.stdout)
    assert done.returncode == (0 if told["fit"] else 1), done.stderr
    assert {"priority", "memory", "wake-up", "late ticks", "disk"} <= {finding["what"] for finding in told["findings"]}
    assert told["waking"]["idle"]["due"] >= 50  # half of the time is idle


def test_presets_are_listed(shell):
    assert RIG in shell.said("presets")
    assert Path(shell.json("presets")[RIG]).is_file()


def test_run_refuses_a_bad_rig_file_with_every_problem(shell):
    done = shell.run("run", RIG, "--twin", "--set", "machine.mm=1", "loop.rate_hz=nan", code=2)
    assert "machine.mm" in done.stderr
    assert "loop.rate_hz" in done.stderr
    shell.run("run", "no-such-rig", code=2)


def test_the_virtual_clock_is_for_the_twin(shell):
    file = shell.folder / "rig.toml"
    preset = Path(shell.json("presets")[RIG]).read_text()
    file.write_text(f'{preset}\n[driver]\nname = "null"\n')
    assert "--twin" in shell.run("run", str(file), "--clock", "virtual", code=2).stderr


@pytest.mark.realtime
def test_ctrl_c_stops_the_motion_in_order(tmp_path):
    with serving(tmp_path, *_REAL) as (shell, process, log):
        shell.said("arm")
        shell.said("track", "sine", "--amplitude", "0.01", "--frequency", "1")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        said = log.read_text()
    assert "Traceback" not in said
    modes = [line.partition("'mode': '")[2].partition("'")[0] for line in said.splitlines() if "INFO mode " in line]
    assert modes[-1] == "off"
    assert {"track", "stop"} <= set(modes)
    assert "no service runs" in shell.refused("status")


@pytest.mark.realtime
@pytest.mark.slow
def test_ctrl_c_on_a_followed_motion_stops_it(tmp_path):
    with serving(tmp_path, *_REAL) as (shell, _, _):
        shell.said("arm")
        command = ("track", "sine", "--amplitude", "0.01", "--frequency", "1", "--wait")
        following = shell.start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert following.stdout.readline().startswith("motion ")
        following.send_signal(signal.SIGINT)
        _, said = following.communicate(timeout=60)
        assert following.returncode == 1
        assert "stopping" in said
        assert "Traceback" not in said
        assert shell.json("status")["mode"] == "hold"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_demonstration_commissions_a_twin_that_hides_what_it_is(shell):
    said = shell.said("demo", "--out", "pictures", "--json", "demo.json")
    told = json.loads((shell.folder / "demo.json").read_text())
    truth = told["truth"]
    for name in ("fs", "vs", "sigma", "s0"):
        assert told["friction"]["parameters"][name]["value"] == pytest.approx(truth[f"friction.{name}"], rel=0.05)
    for name in ("m", "Qn", "beta"):
        assert told["plant"][name]["value"] == pytest.approx(truth[f"machine.{name}"], rel=0.02)
    valve = {"overlap_a": 0.02, "overlap_b": 0.02, "hysteresis": 0.003, "null": -0.01}
    for name, value in valve.items():
        assert told["plant"][name]["value"] == pytest.approx(value, abs=5e-4)
    assert all(one["factor"] > 8 for one in told["thd"].values())
    assert all(told["thd"][key]["learned"] <= most for key, most in {"0.5": 3, "1": 1, "2": 1, "5": 1}.items())
    rows = {(row["kind"], row.get("speed_m_s")): row for row in told["tracking"]}
    assert rows["triangle", 0.8]["pid"]["outcome"] == "tripped"
    for (_, speed), row in rows.items():
        assert row["after"]["rms_um"] < row["before"]["rms_um"]
        if row["pid"] and speed != 0.8:
            assert row["before"]["rms_um"] < row["pid"]["rms_um"]
    bounds = {0.001: 25, 0.02: 25, 0.1: 20, 0.32: 20, 0.8: 40}
    for speed, most in bounds.items():
        assert 1 < rows["triangle", speed]["after"]["rms_um"] < most
        assert rows["triangle", speed]["before"]["rms_um"] > 10 * rows["triangle", speed]["after"]["rms_um"]
    assert rows["waveform", None]["after"]["displacement_percent"] < 0.05
    assert "tripped" in said
    for picture in ("error-over-speed", "triangle-20-mm-s", "speed-20-mm-s", "sine-acceleration"):
        assert (shell.folder / "pictures" / f"{picture}.png").read_bytes()[:4] == b"\x89PNG"
    assert "<svg" in (shell.folder / "pictures" / "report.html").read_text()


def test_the_demonstration_refuses_what_it_does_not_know(shell):
    assert "karnopp" in shell.refused("demo", "--friction", "honey", code=2)


def test_the_demonstration_replaces_an_earlier_one_and_no_commissioning_of_a_rig(shell):
    mine = shell.folder / "mine"
    for author, refused in (("somebody", True), ("hilctl demo", False)):
        course.forgotten(mine)
        course.begun(mine, course.now("table-500", 1000.0, {}, {}, author))
        (mine / "legs").mkdir()
        if refused:
            assert "no demonstration; name another" in shell.refused("demo", "--out", "mine", code=2)
            assert (mine / "course.json").exists() and (mine / "legs").exists()
        else:
            assert _emptied(mine) == mine
            assert not list(mine.iterdir())


def test_a_benchmark_is_one_json_object(shell):
    told = shell.json("bench", "servo", "--quick")
    assert told["bench"] == "servo"
    assert {"figures", "ratio", "host"} <= set(told)
    assert told["ratio"]["lsim"] > 0


def test_arm_waits_for_a_service_that_is_still_starting(shell):
    """As README's first session: the service in the background, and the next command at once."""
    arming = shell.start("arm", "--wait", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with shell.start("run", RIG, "--twin", "--clock", "virtual", "--set", *FREE_PORTS, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL) as service:  # fmt: skip
        try:
            said, wrong = arming.communicate(timeout=300)
            assert arming.returncode == 0, wrong
            assert said.startswith("armed: hold")
            shell.said("shutdown")  # armed as it is: the console that armed ends it
            assert service.wait(60) == 0
        finally:
            service.kill()
