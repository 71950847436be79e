"""Verbs that need no running service, or start one: check, presets, run, demo, bench."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from cli_parts import RIG, Shell, serving
from service_parts import ARMS_FAST

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
    assert {"priority", "memory", "waking"} <= {finding["what"] for finding in told["findings"]}
    assert told["waking"]["idle"]["number"] == 100


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
@pytest.mark.xdist_group("real-clock")
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
@pytest.mark.xdist_group("real-clock")
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


def test_the_demonstration_shows_what_each_law_is_worth(shell):
    said = shell.said("demo", "--out", "pictures", "--json", "demo.json")
    told = json.loads((shell.folder / "demo.json").read_text())
    found = {(run["law"], run["kind"], run.get("speed_m_s")): run for run in told["tracking"]}
    assert len(found) == 12
    for (law, kind, speed), run in found.items():
        if (law, speed) == ("pid", 0.8):
            assert (run["outcome"], run["trip"]["name"]) == ("tripped", "tracking_error")
            assert run["rms_um"] is None
            continue
        assert run["outcome"] == "done"
        assert found["three_state", kind, speed]["rms_um"] <= run["rms_um"]
    bounds = {0.001: 25, 0.02: 80, 0.1: 80, 0.32: 130, 0.8: 550}
    for speed, most in bounds.items():
        assert 1 < found["three_state", "triangle", speed]["rms_um"] < most
    assert "tripped" in said
    assert len(told["figures"]) == 4
    for figure in told["figures"]:
        assert (shell.folder / figure).read_bytes()[:4] == b"\x89PNG"


def test_without_matplotlib_there_is_still_a_table(shell):
    lacking = shell.folder / "lacking"
    (lacking / "matplotlib").mkdir(parents=True)
    (lacking / "matplotlib" / "__init__.py").write_text("raise ImportError('absent')\n")
    shell.environment["PYTHONPATH"] = f"{lacking}:{shell.environment['PYTHONPATH']}"
    done = shell.run("demo", "--out", "pictures", "--friction", "lugre", "--seed", "3")
    assert "three-variable" in done.stdout
    assert "hilctl[report]" in done.stderr
    assert json.loads((shell.folder / "pictures" / "demo.json").read_text())["figures"] == []


def test_the_demonstration_refuses_what_it_does_not_know(shell):
    assert "karnopp" in shell.refused("demo", "--friction", "honey", code=2)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="the yardstick is compiled by gcc")
def test_a_benchmark_is_one_json_object(shell):
    told = shell.json("bench", "twin", "--quick")
    assert told["bench"] == "twin"
    assert {"figures", "ratio", "host"} <= set(told)
    assert told["ratio"]["real_time"] > 0
