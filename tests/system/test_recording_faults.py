"""Recordings when things go wrong: killed services, full disks, folders that cannot be written."""

import json
import os
import signal
from pathlib import Path

import pytest

from hilctl.client import Client, Code, Refused, private_service
from hilctl.recording.reader import open_recording
from tests.system.service_parts import RIG, armed, environment, until
from tests.system.service_parts import small_disk as a_disk

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def small_disk(tmp_path):
    with a_disk(tmp_path / "small", 6) as folder:
        yield folder


def test_on_a_full_disk_control_goes_on_and_the_recording_is_marked(small_disk):
    with armed(recordings=small_disk, changes={"recording.free_mb": 1.0}) as (_, rig):
        path = rig.ask("record", action="start", name="full")["path"]
        motion = rig.track("sine", amplitude_m=0.002, frequency_hz=1.0, cycles=60)
        assert rig.wait(motion).why == "done"
        state = rig.status()["recording"]
        assert state["state"] == "failed" and "free" in state["reason"] and state["flushed"] > 0
        assert any(e["kind"] == "recording_failed" for e in rig.events())
        with open_recording(path) as recording:
            assert not recording.complete and len(recording) > state["flushed"] - state["first"]
        assert rig.run("move", position_m=0.001)[1].why == "done"
        (small_disk / "full.h5").unlink()
        with rig.record("again") as path:
            rig.run("move", position_m=0.0)
        with open_recording(path) as recording:
            assert recording.complete


_ONE_BAD_FSYNC = """
import errno, os
good = os.fsync
def fsync(descriptor):
    try:
        os.unlink(os.environ["FAIL_ONCE"])
    except FileNotFoundError:
        return good(descriptor)
    raise OSError(errno.EIO, os.strerror(errno.EIO))
os.fsync = fsync
"""


def test_when_fsync_fails_the_recording_goes_on_in_a_new_file_and_says_so(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(_ONE_BAD_FSYNC)  # what every Python of this path runs first
    fail = tmp_path / "fail"
    path = os.pathsep.join((str(tmp_path), environment()["PYTHONPATH"]))
    kept = tmp_path / "recordings"
    with armed(recordings=kept, environment={"PYTHONPATH": path, "FAIL_ONCE": str(fail)}) as (_, rig):
        started = rig.ask("record", action="start", name="run")
        rig.run("move", position_m=0.002)
        fail.touch()
        told = until(lambda: [e for e in rig.events() if e["kind"] == "recording_continued"], "the event")
        rig.run("move", position_m=0.0)
        state = rig.status()["recording"]
        assert (state["state"], state["continues"]) == ("on", started["path"])
        assert told[0]["path"] == state["path"] != started["path"] and "fsync" in told[0]["reason"]
        assert rig.status()["trip"] is None
        stopped = rig.ask("record", action="stop")
    with open_recording(started["path"]) as old, open_recording(state["path"]) as new:
        assert not old.complete and new.complete
        both = set(old.sequence().tolist()) | set(new.sequence().tolist())
        assert both == set(range(started["first"], stopped["flushed"] + 1))


def test_after_kill_the_recording_opens_and_holds_what_status_told(tmp_path):
    with armed(recordings=tmp_path, changes={"recording.flush_hz": 20.0}) as (service, rig):
        state = rig.ask("record", action="start", name="killed")
        rig.track("sine", amplitude_m=0.002, frequency_hz=1.0)
        told = until(lambda: (f := rig.status()["recording"]["flushed"]) > state["first"] + 5000 and f)
        os.kill(service.pid, signal.SIGKILL)
    with open_recording(state["path"]) as recording:
        assert not recording.complete
        sequence = recording.sequence()
        assert sequence[0] == state["first"] and sequence[-1] >= told
        ticks = recording.columns("tick")["tick"]
        assert (ticks[1:] - ticks[:-1] == 1).all()


def test_arming_is_refused_where_a_recording_is_required_and_cannot_be_written(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("a file, not a folder")
    required = {"recording.required": True}
    with (
        private_service(RIG, recordings=blocked / "below", changes=required) as service,
        Client(service.commands) as rig,
    ):
        with pytest.raises(Refused) as refused:
            rig.arm()
        assert refused.value.code == Code.BAD_VALUE and refused.value.key == "recording.folder"
        assert rig.status()["mode"] == "off"


def test_arming_starts_the_recording_that_the_rig_requires(tmp_path):
    with armed(recordings=tmp_path, changes={"recording.required": True}) as (_, rig):
        state = rig.status()["recording"]
        assert state["state"] == "on" and Path(state["path"]).parent == tmp_path


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    """A rig whose recordings are in a folder of their own."""
    with armed(recordings=tmp_path_factory.mktemp("recordings")) as (_, rig):
        yield rig


@pytest.mark.parametrize("name", ["../escape", "a/b", ".hidden", "a\x00b", "x" * 100])
def test_a_recording_stays_in_its_folder(rig, name):
    with pytest.raises(Refused) as refused:
        rig.ask("record", action="start", name=name)
    assert refused.value.code == Code.BAD_VALUE


def test_a_recording_says_what_it_was_made_with(rig):
    with rig.record("whole") as path:
        rig.run("move", position_m=0.002)
        hello = rig.hello
    with open_recording(path) as recording:
        assert recording.rig == RIG and "[machine]" in recording.rig_file
        assert (recording.run, recording.schema, recording.clock) == (hello["run"], hello["schema"], "virtual")
        assert recording.parameters_at_start["machine.m"] > 0
        assert [text for text in recording.rig_files.values() if "[machine]" in text] and recording.wall == {}
        assert {"hilctl", "numpy", "numba"} <= set(recording.versions) and recording.host["cores"] >= 1
        tick, state = recording.law_state
        assert tick == recording.columns("tick")["tick"][0] - 1 and len(state) > 1000
        assert {"planned", "motion", "mode"} <= {e["kind"] for e in recording.events}
        assert json.dumps(recording.events)
