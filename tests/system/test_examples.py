"""The examples that read a recording, each in its own language, beside the same in Python."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from hilctl.client import Client, private_service
from hilctl.recording.chain import Chain
from hilctl.recording.export.write import Choice, export
from hilctl.recording.reader import open_recording
from hilctl.signals import Mode
from tests.system.cli_parts import RIG
from tests.system.service_parts import ARMS_FAST, until

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
NUMBER = r"([-+.\de]+)"


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    with private_service(RIG, changes=ARMS_FAST, recordings=folder) as service, Client(service.commands) as rig:
        rig.arm()
        with rig.record("run-7") as path:
            rig.run("sine", amplitude_m=0.002, frequency_hz=2.0, cycles=2)
        yield Path(path)


def octave(folder, code):
    if shutil.which("octave-cli") is None:
        pytest.skip("Octave is not installed: apt-get install octave gnuplot-nox fonts-freefont-otf")
    shutil.copy(EXAMPLES / "read_recording.m", folder)
    done = subprocess.run(["octave-cli", "--norc", "--quiet", "--eval", code], cwd=folder, capture_output=True,
                          text=True, timeout=100, check=False)  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_octave_reads_an_export_and_finds_the_numbers_that_python_finds(recording, tmp_path):
    with Chain(recording) as chain:
        rows = export(chain, "mat", tmp_path / "run-7.mat")
    code, out, err = octave(tmp_path, 'read_recording("run-7.mat");')
    assert code == 0, err
    with open_recording(recording) as read:
        columns = read.columns("mode", "error_m", "friction_n")
        assert f"run {read.run}: {rows} samples, {len(read.events)} events" in out
        rate_hz = read.rate_hz
    tracks = columns["mode"] == Mode.TRACK
    error_m, friction_n = columns["error_m"][tracks], columns["friction_n"][tracks]
    form = rf"rms {NUMBER} m, largest {NUMBER} m over {NUMBER} s; friction up to {NUMBER} N"
    rms_m, largest_m, seconds, peak_n = map(float, re.search(form, out).groups())
    assert rms_m == pytest.approx(np.sqrt(np.mean(error_m**2)), rel=1e-12)
    assert (largest_m, peak_n) == (abs(error_m).max(), abs(friction_n).max())
    assert seconds == tracks.sum() / rate_hz


def test_octave_draws_the_channels(recording, tmp_path):
    with Chain(recording) as chain:
        export(chain, "mat", tmp_path / "run-7.mat")
    code, out, _ = octave(tmp_path, 'printf("%s ", available_graphics_toolkits(){:});')
    if code or not out.strip():
        pytest.skip("Octave has nothing to draw with: apt-get install gnuplot-nox fonts-freefont-otf")
    code, _, err = octave(tmp_path, 'read_recording("run-7.mat", "run-7.svg");')
    assert code == 0, err
    picture = tmp_path / "run-7.svg"  # gnuplot is a process of its own, and may end after Octave
    drawn = until(lambda: (text := picture.read_text()).rstrip().endswith("</svg>") and text, "the picture")
    missing = [name for name in ("position_m", "error_m", "load_pressure_pa", "time_s") if name not in drawn]
    assert not missing


def test_a_recording_in_which_nothing_moved_is_refused(recording, tmp_path):
    with open_recording(recording) as read:
        columns = read.columns("tick", "mode")
        still_s = columns["tick"][columns["mode"] != Mode.TRACK][0] / read.rate_hz
    with Chain(recording) as chain:
        export(chain, "mat", tmp_path / "still.mat", Choice(from_s=still_s, to_s=still_s))
    code, _, err = octave(tmp_path, 'read_recording("still.mat");')
    assert code == 1 and "still.mat: the table tracked nothing" in err
