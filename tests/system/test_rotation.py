"""Recordings that go on in the next file, that always run, and that a rig file requires: no row lost or twice."""

from pathlib import Path

import pytest

from hilctl.client import Client, Code, private_service
from hilctl.recording.reader import open_recording
from tests.system.service_parts import ARMS_FAST, LATE_HOST, RIG, armed, refusal, until
from tests.system.service_parts import small_disk as a_disk

pytestmark = pytest.mark.timeout(300)


SHORT = {"recording.queue_s": 1.0}  # a small disk: what waits shall be little of it


def chain(path: Path) -> list[Path]:
    """The files that this one continues, the first one first."""
    with open_recording(path) as recording:
        before = path.with_name(recording.continues) if recording.continues else None
    return [*chain(before), path] if before is not None else [path]


def numbers(paths: list[Path]) -> list[int]:
    found: list[int] = []
    for path in paths:
        with open_recording(path) as recording:
            tick, state = recording.law_state
            assert recording.complete and len(state) > 1000
            assert not len(recording) or tick == recording.columns("tick")["tick"][0] - 1
            found += recording.sequence().tolist()
    return found


def test_a_rotated_recording_has_every_row_once_and_each_file_the_laws_state(tmp_path):
    with armed(recordings=tmp_path, changes={"recording.rotate_s": 2.0}) as (_, rig):
        started = rig.ask("record", action="start", name="long")
        rig.run("sine", amplitude_m=0.002, frequency_hz=1.0, cycles=4)
        until(lambda: any(e.get("action") == "rotate" for e in rig.events()), "the next file")
        rig.set({"machine.m": 501.0})
        rig.run("sine", amplitude_m=0.002, frequency_hz=1.0, cycles=4)
        until(lambda: sum(e.get("action") == "rotate" for e in rig.events()) > 1, "another file")
        rig.run("move", position_m=0.001)
        whole = rig.samples(started["first"], channels=["tick"])["tick"]
        stopped = rig.ask("record", action="stop")
        spans = {one["name"]: one["samples"] for one in rig.recordings()}
    files = chain(Path(stopped["path"]))
    assert len(files) >= 3 and files[0].name == "long.h5" and {p.name for p in tmp_path.iterdir()} == set(spans)
    assert numbers(files) == list(range(started["first"], stopped["flushed"] + 1))
    assert len(whole) <= stopped["flushed"] + 1 - started["first"]
    for path, later in zip(files, [*files[1:], None], strict=True):
        assert later is None or spans[path.name][1] + 1 == spans[later.name][0]
    with open_recording(files[0]) as first, open_recording(files[-1]) as last:
        assert last.parameters_at_start["machine.m"] == 501.0 != first.parameters_at_start["machine.m"]
        assert last.epoch == first.epoch + 1


def test_what_always_runs_gives_way_to_a_recording_and_goes_on_after_it_without_a_gap(tmp_path):
    changes = {"recording.always.enabled": True, "recording.rotate_s": 3.0}
    with private_service(RIG, recordings=tmp_path, changes=changes) as service, Client(service.commands) as rig:
        until(lambda: rig.status()["recording"]["always"], "what always runs")
        assert "nothing is being recorded" in refusal(rig.ask, "record", action="stop").message
        rig.arm()
        begun = rig.ask("record", action="start", name="mine")
        rig.run("sine", amplitude_m=0.002, frequency_hz=1.0, cycles=1)
        stopped = rig.ask("record", action="stop")
        assert (stopped["state"], Path(stopped["path"]).name) == ("off", "mine.h5")
        assert rig.status()["recording"]["always"]
        rig.run("sine", amplitude_m=0.002, frequency_hz=1.0, cycles=1)
        refused = refusal(rig.ask, "record", action="start", name="always-mine")
        assert refused.code == Code.BAD_VALUE and refused.key == "name"
    with open_recording(tmp_path / "mine.h5") as mine:
        assert not mine.continues and not mine.required
        assert mine.sequence().tolist() == list(range(begun["first"], stopped["flushed"] + 1))
    rows = sorted(n for path in tmp_path.iterdir() for n in numbers([path]))
    assert rows == list(range(rows[-1] + 1)) or rows == list(range(rows[0], rows[-1] + 1))


@pytest.fixture
def small_disk(tmp_path):
    with a_disk(tmp_path / "small", 12) as folder:
        yield folder


@pytest.mark.slow
@pytest.mark.realtime
def test_on_a_small_disk_what_always_runs_removes_its_oldest_files_and_goes_on(small_disk):
    """On the real clock: on the virtual one more comes while a file gives way to the next than such a disk holds."""
    always = {"recording.always.enabled": True, "recording.rotate_mb": 1.0, "recording.free_mb": 3.0, **SHORT}
    changes = {"loop.rate_hz": 4000, **ARMS_FAST, **LATE_HOST, **always}
    with armed(clock="real", recordings=small_disk, changes=changes) as (_, rig):
        until(lambda: rig.status()["recording"]["state"] == "on", "what always runs")
        motion = rig.track("sine", amplitude_m=0.002, frequency_hz=1.0, cycles=5)  # more than fifteen megabytes
        assert rig.wait(motion).why == "done"
        assert sum(e.get("action") == "remove" for e in rig.events()) > 3
        assert rig.status()["recording"]["state"] == "on" and rig.status()["trip"] is None


_LONGER = [pytest.mark.slow, pytest.mark.many]


@pytest.mark.parametrize(
    ("policy", "ends"),
    [
        ("stop", "tripped"),
        pytest.param("continue", "done", marks=_LONGER),
        pytest.param("null", "tripped", marks=_LONGER),
    ],
)
def test_when_a_required_recording_ends_by_itself_the_rig_file_decides(small_disk, policy, ends):
    changes = {"recording.required": True, "recording.lost": policy, "recording.free_mb": 8.0, **SHORT}
    with armed(recordings=small_disk, changes=changes) as (_, rig):
        motion = rig.track("sine", amplitude_m=0.002, frequency_hz=1.0, cycles=60)
        assert rig.wait(motion).why == ends
        state = rig.status()
        assert state["recording"]["state"] == "failed" and "recording.free_mb" in state["recording"]["reason"]
        with open_recording(state["recording"]["path"]) as recording:
            assert recording.required and not recording.complete and "free" in recording.ended
            assert recording.sequence()[-1] == state["recording"]["flushed"]
        trip = state["trip"]
        assert (trip and trip["name"]) == (None if policy == "continue" else "recording_lost")
        if policy != "continue":
            assert trip["key"] == "recording.lost" and "the rig file requires" in trip["text"]
