"""A disk that turns read-only, or stalls while the table moves: control goes on, and what is kept is told."""

import errno
import os

import pytest

from hilctl.recording.reader import open_recording
from tests.system.service_parts import ARMS_FAST, LATE_HOST, armed, environment, refusal, until

pytestmark = pytest.mark.timeout(300)

# What every Python of this path runs first: while the file is there, writes fail with the error in it, and what is to
# go onto the disk waits.
_BAD_DISK = """
import os, time
good_write, good_sync = os.pwrite, os.fsync
def pwrite(descriptor, data, at):
    try:
        number = int(open(os.environ["READ_ONLY"]).read())
    except FileNotFoundError:
        return good_write(descriptor, data, at)
    raise OSError(number, os.strerror(number))
def fsync(descriptor):
    while os.path.exists(os.environ["STALLS"]):
        time.sleep(0.01)
    return good_sync(descriptor)
os.pwrite, os.fsync = pwrite, fsync
"""


@pytest.fixture
def disk(tmp_path):
    """The environment of a service whose disk does as these two files say."""
    (tmp_path / "sitecustomize.py").write_text(_BAD_DISK)
    path = os.pathsep.join((str(tmp_path), environment()["PYTHONPATH"]))
    return {"PYTHONPATH": path, "READ_ONLY": str(tmp_path / "read_only"), "STALLS": str(tmp_path / "stalls")}


def test_a_disk_that_turns_read_only_ends_the_recording_and_nothing_else(tmp_path, disk):
    with armed(recordings=tmp_path / "recordings", environment=disk) as (_, rig):
        begun = rig.ask("record", action="start", name="run")
        rig.run("move", position_m=0.002)
        kept = until(lambda: (f := rig.status()["recording"]["flushed"]) > begun["first"] and f)
        (tmp_path / "read_only").write_text(str(errno.EROFS))
        assert rig.run("move", position_m=0.0)[1].why == "done"
        failed = until(lambda: [e for e in rig.events() if e["kind"] == "recording_failed"], "the event")
        assert os.strerror(errno.EROFS) in failed[0]["reason"] and failed[0]["flushed"] >= kept
        assert rig.ask("set", values={"machine.m": 501.0})["journal"] == 0
        assert rig.get("machine.m") == {"machine.m": 501.0} and rig.status()["trip"] is None
        refused = refusal(rig.ask, "record", action="start", name="again")
        assert refused.key == "recording.folder" and os.strerror(errno.EROFS) in refused.message
        until(lambda: any(e["kind"] == "journal_failed" for e in rig.events()), "the event")
        (tmp_path / "read_only").unlink()
        until(lambda: any(e["kind"] == "journal_back" for e in rig.events()), "the event")
        with rig.record("again") as again:
            rig.run("move", position_m=0.001)
    with open_recording(begun["path"]) as recording:
        assert not recording.complete and len(recording) > kept - begun["first"]
    with open_recording(again) as recording:
        assert recording.complete


@pytest.mark.realtime
@pytest.mark.slow
def test_a_disk_that_stalls_for_five_seconds_while_tracking_costs_no_sample(tmp_path, disk):
    changes = {**ARMS_FAST, **LATE_HOST}
    recordings = tmp_path / "recordings"
    with armed(clock="real", recordings=recordings, environment=disk, changes=changes) as (_, rig):
        rig.ask("record", action="start", name="run")
        motion = rig.track("sine", amplitude_m=0.002, frequency_hz=1.0)
        until(lambda: rig.status()["recording"]["flushed"] > motion.first, "samples on the disk")
        lost = rig.status()["core"]["rows_lost"]
        (tmp_path / "stalls").touch()
        begun = rig.status()["history"]["end"]
        until(lambda: rig.status()["history"]["end"] > begun + 5000, "five seconds")
        held = rig.status()
        assert held["mode"] == "track" and held["trip"] is None and held["recording"]["flushed"] < begun + 2500
        (tmp_path / "stalls").unlink()
        until(lambda: rig.status()["recording"]["flushed"] > begun + 5000, "what waited, on the disk")
        assert rig.status()["core"]["rows_lost"] == lost
        rig.stop()
        stopped = rig.ask("record", action="stop", timeout_s=60.0)
        assert stopped["state"] == "off"
    with open_recording(stopped["path"]) as recording:
        assert recording.complete
        assert recording.sequence().tolist() == list(range(stopped["first"], stopped["flushed"] + 1))
