"""Recordings over the wire after they stopped: their samples by `fetch`, and their end by `delete`."""

from pathlib import Path

import h5py
import pytest

from hilctl.client import Code
from hilctl.recording.reader import open_recording
from tests.fuzz.run import ends_hdf5
from tests.system.service_parts import armed, refusal, settle

pytestmark = pytest.mark.timeout(300)
TRIANGLE = {"amplitude_m": 0.002, "speed_m_s": 0.02, "cycles": 1}
SHORT = {"service.history_s": 4.0}  # 4096 samples at the least


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with armed(changes=SHORT) as both:
        yield both


@pytest.fixture
def rig(running):
    settle(running[1])
    return running[1]


def recorded(rig, name):
    """A motion in a recording that has stopped; its samples as memory had them."""
    with rig.record(name) as path:
        motion, outcome = rig.run("triangle", **TRIANGLE)
        samples = rig.samples(motion.first, outcome.last)
    return Path(path), motion.first, outcome.last, samples


def purge(rig):
    """Memory holds nothing of what was before."""
    end = rig.status()["history"]["end"]
    while rig.status()["history"]["first"] < end:
        rig.pass_time(5.0)


def test_samples_older_than_memory_come_from_the_recording_that_has_stopped(rig):
    path, first, last, kept = recorded(rig, "older")
    listed = next(one for one in rig.recordings() if one["name"] == path.name)
    assert listed["samples"][0] <= first and listed["samples"][1] >= last and not listed["active"]
    purge(rig)
    again = rig.samples(first, last)
    assert {name: column.tobytes() for name, column in again.items()} == {n: c.tobytes() for n, c in kept.items()}
    thin = rig.samples(first, last, ["tick"], every=7)
    assert thin["tick"].tobytes() == kept["tick"][::7].tobytes()
    # While another recording runs as well: each sample from where it is.
    with rig.record("newer"):
        assert rig.samples(first, last, ["tick"])["tick"].tobytes() == kept["tick"].tobytes()


def test_what_no_recording_has_is_refused_by_what_there_is(rig):
    path, first, last, _ = recorded(rig, "island")
    rig.pass_time(1.0)
    between = rig.status()["history"]["end"] - 1
    purge(rig)
    refused = refusal(rig.samples, between, between)
    assert refused.code == Code.GONE and "memory begins at" in refused.message and path.name in refused.message
    assert rig.ask("fetch", first=first)["count"] > 0  # page by page up to where the recording ends
    path.write_text("somebody's own")
    for change in (lambda: None, path.unlink):
        change()
        refused = refusal(rig.samples, first, last)
        assert refused.code == Code.GONE and "cannot be read" in refused.message


def test_a_deleted_recording_is_gone_from_disk_list_and_fetch(rig):
    path, first, last, _ = recorded(rig, "unwanted")
    purge(rig)
    size = path.stat().st_size
    assert rig.delete(path.name) == size
    assert not path.exists() and path.name not in {one["name"] for one in rig.recordings()}
    assert refusal(rig.samples, first, last).code == Code.GONE
    assert refusal(rig.delete, path.name).code == Code.GONE
    told = [event for event in rig.events() if event["kind"] == "recording" and event.get("action") == "delete"]
    assert told[-1]["path"] == str(path) and told[-1]["bytes"] == size and told[-1]["by"]


def test_one_that_runs_is_not_deleted(running, rig):
    with rig.record("running") as path:
        refused = refusal(rig.delete, Path(path).name)
        assert refused.code == Code.WRONG_MODE and "record stop" in refused.message and Path(path).exists()
    rig.delete(Path(path).name)
    assert f"done delete who={rig.hello['who']}" in running[0].log.read_text()


@pytest.mark.parametrize("name", ["../x.h5", "x", ".x.h5", "folder.h5", "link.h5", "text.h5", "other.h5"])
def test_nothing_but_a_recording_can_be_deleted(running, rig, name):
    folder = running[0].recordings
    (folder / "folder.h5").mkdir(parents=True, exist_ok=True)
    (folder / "text.h5").write_text("no recording")
    with h5py.File(folder / "other.h5", "w") as other:
        other["x"] = 1
    if not (folder / "link.h5").is_symlink():
        (folder / "link.h5").symlink_to(running[0].log)
    assert refusal(rig.delete, name).code in (Code.BAD_VALUE, Code.GONE, Code.WRONG_MODE)
    assert all((folder / kept).exists() for kept in ("folder.h5", "text.h5", "other.h5", "link.h5"))


def test_a_recording_that_ends_whoever_opens_it_ends_no_service(running, rig):
    folder = running[0].recordings
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spoilt.h5").write_bytes(ends_hdf5())
    before = rig.status()["history"]["end"]
    refused = refusal(rig.delete, "spoilt.h5")
    assert refused.code == Code.WRONG_MODE and "spoilt.h5 cannot be read" in refused.message
    rig.pass_time(0.1)
    assert rig.status()["history"]["end"] > before and rig.status()["mode"] == "hold"


def test_one_that_the_rig_file_requires_stays():
    with armed(changes={"recording.required": True}) as (_, rig):
        path = Path(rig.status()["recording"]["path"])
        rig.off()
        rig.ask("record", action="stop", timeout_s=60.0)
        refused = refusal(rig.delete, path.name)
        assert refused.code == Code.WRONG_MODE and refused.key == "recording.required" and path.exists()
        with open_recording(path) as recording:
            assert recording.required and recording.complete
