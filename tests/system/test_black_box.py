"""What a trip leaves: a recording of the time before and after it, with its cause and what followed."""

import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from hilctl.client import Code, private_service
from hilctl.client.client import Client
from hilctl.recording.reader import Recording, open_recording
from hilctl.replay.run import Replay
from hilctl.report.recorded.trip import write
from hilctl.signals import Trip
from tests.system.service_parts import ARMS_FAST, LATE_HOST, RIG, arms, refusal, until

pytestmark = pytest.mark.timeout(300)
TRIPS = {"limits.tracking_error.max_m": 1e-5, "law.feed.inverse": 0.0}


def trip(rig: Client) -> None:
    """The table moves, and its error may no longer be what it is."""
    rig.track("sine", amplitude_m=0.005, frequency_hz=2.0, cycles=20)
    rig.set(TRIPS)
    until(lambda: rig.status()["mode"] == "off", "a trip, and the ramp to null after it")


def written(rig: Client) -> Path:
    """The file, once the service says that it is on the disk."""
    found = until(lambda: [e for e in rig.events() if e["kind"] == "black_box"], "the black box")
    return Path(found[-1]["path"])


def judge(recording: Recording, before: int, log: str = "") -> None:
    told, rows = recording.trip, recording.rows()
    assert rows["trip"].any(), (len(rows), rows["tick"][:1], rows["tick"][-1:], recording.complete, told, log)
    tripped = rows["tick"][np.flatnonzero(rows["trip"])[0]]
    assert recording.complete and told is not None
    assert told["tick"] == tripped and Trip(rows["trip"].max()) == Trip.TRACKING_ERROR
    assert told["cause"]["trip"] == "tracking_error"
    assert told["cause"]["limit"] == 1e-5 < abs(told["cause"]["value"])
    kinds = [event["kind"] for event in told["consequences"]]
    assert kinds[0] == "trip" and "mode" in kinds[1:]
    assert told["status"]["link"] and told["log"] and len(recording.changes) == 2
    assert recording.parameters_at_start["limits.tracking_error.max_m"] > 1e-5  # as it was before
    assert np.count_nonzero(rows["tick"] < tripped) >= before
    assert rows["mode"][-1] == 0  # and of all that followed


def test_a_trip_writes_what_was_before_it_and_what_followed_and_a_replay_agrees(tmp_path):
    with private_service(RIG, changes=ARMS_FAST, recordings=tmp_path) as service, Client(service.commands) as rig:
        rig.take()
        rig.arm()
        trip(rig)
        path = written(rig)
        assert [one["name"] for one in rig.recordings()] == [path.name]
    with open_recording(path) as recording:
        judge(recording, 1000)
        page = write(recording, tmp_path / "trip.html").read_text()
        found = Replay(recording).run()
        assert "<h1>Trip of table-500: tracking error</h1>" in page and "<svg" in page and "What followed" in page
        assert found.differ == 0 and found.ticks >= len(recording) - 1  # the first tick of all has no state before it


@pytest.mark.realtime
def test_on_the_real_clock_it_waits_for_what_follows(tmp_path):
    changes = {**ARMS_FAST, **LATE_HOST, "recording.black_box.after_s": 1.5, "recording.black_box.before_s": 0.5}
    with (
        private_service(RIG, clock="real", changes=changes, recordings=tmp_path) as service,
        Client(service.commands) as rig,
    ):
        until(lambda: arms(rig), "arming")
        trip(rig)
        path = written(rig)
    with open_recording(path) as recording:
        rows, told = recording.rows(), recording.trip
    assert rows["tick"][0] <= told["tick"] - 500
    assert rows["tick"][-1] == pytest.approx(told["tick"] + 1500, abs=20)


@pytest.mark.realtime
def test_while_it_is_written_it_is_listed_so_and_neither_copied_nor_deleted(tmp_path):
    changes = {**ARMS_FAST, **LATE_HOST, "recording.black_box.after_s": 4.0, "recording.black_box.before_s": 0.5}
    with (
        private_service(RIG, clock="real", changes=changes, recordings=tmp_path / "rig") as service,
        Client(service.commands) as rig,
    ):
        until(lambda: arms(rig), "arming")
        rig.track("sine", amplitude_m=0.005, frequency_hz=2.0, cycles=20)
        rig.set(TRIPS)
        (listed,) = until(rig.recordings, "the file")
        name, copy = listed["name"], tmp_path / "copy.h5"
        assert listed["active"] and name.startswith("trip-")
        for ask in (lambda: rig.download(name, copy), lambda: rig.delete(name)):
            refused = refusal(ask)
            assert refused.code == Code.WRONG_MODE and f"{name} is being written" in refused.message
            assert "recording.black_box.after_s = 4 s" in refused.message
        path = written(rig)
        assert [one["active"] for one in rig.recordings()] == [False]
        with open_recording(rig.download(name, copy)) as recording:
            assert recording.complete and recording.trip is not None
        rig.delete(name)
        assert not path.exists()


@pytest.mark.realtime
def test_a_service_that_ends_right_after_the_trip_has_it_all_on_the_disk(tmp_path):
    with private_service(RIG, clock="real", changes=ARMS_FAST | LATE_HOST, recordings=tmp_path) as service:
        with Client(service.commands) as rig:
            until(lambda: arms(rig), "arming")
            trip(rig)
            rig.ask("shutdown")
        service.process.wait(30)
        log = service.log.read_text()
    (path,) = tmp_path.glob("trip-*.h5")
    with open_recording(path) as recording:
        judge(recording, 100, log)


def test_without_room_on_the_disk_it_says_so_and_control_goes_on(tmp_path):
    changes = {**ARMS_FAST, "recording.free_mb": shutil.disk_usage(tmp_path).total / 1e6}
    with private_service(RIG, changes=changes, recordings=tmp_path) as service, Client(service.commands) as rig:
        rig.take()
        rig.arm()
        trip(rig)
        failed = until(lambda: [e for e in rig.events() if e["kind"] == "black_box_failed"], "its failure")
        assert "recording.free_mb" in failed[0]["reason"]
        rig.reset()
        rig.arm()
    assert not list(tmp_path.glob("trip-*"))


@pytest.mark.realtime
def test_a_service_that_is_killed_at_the_trip_leaves_it_to_its_core_and_the_next_start(tmp_path):
    _killed_at_the_trip(tmp_path, 0.0)


@pytest.mark.realtime
@pytest.mark.slow
@pytest.mark.many
@pytest.mark.parametrize("after_s", np.linspace(0.0, 0.1, 50).tolist())
def test_fifty_times_within_100_ms(tmp_path, after_s):
    _killed_at_the_trip(tmp_path, after_s)


def _killed_at_the_trip(tmp_path: Path, after_s: float) -> None:
    home, changes = {"XDG_STATE_HOME": str(tmp_path)}, {**ARMS_FAST, **LATE_HOST}
    recordings = tmp_path / "recordings"
    with (
        private_service(RIG, clock="real", changes=changes, recordings=recordings, environment=home) as service,
        Client(service.commands) as rig,
    ):
        until(lambda: arms(rig), "arming")
        rig.track("sine", amplitude_m=0.005, frequency_hz=2.0, cycles=20)
        rig.pass_time(0.5)
        rig.set(TRIPS)
        until(lambda: rig.status()["trip"], "a trip")
        time.sleep(after_s)  # the time at which it dies is what this is about
        service.process.send_signal(signal.SIGKILL)
        service.process.wait(20)
    left = tmp_path / "hilctl" / RIG / "left"
    until(lambda: list(left.glob("*.box")), "what the core saves")
    with (
        private_service(RIG, changes=ARMS_FAST, recordings=recordings, environment=home) as service,
        Client(service.commands) as rig,
    ):
        path = until(lambda: [e for e in rig.events() if e["kind"] == "black_box" and "left_by" in e], "it packed")
    assert not list(left.iterdir())
    with open_recording(Path(path[0]["path"])) as recording:
        rows, told = recording.rows(), recording.trip
        found = Replay(recording).run()
    assert np.all(np.diff(rows["tick"]) == 1 + rows["skipped"][1:])  # not one is lost between what each had
    tripped = rows[rows["trip"] != 0][0]
    assert (told["tick"], told["cause"]["trip"]) == (tripped["tick"], Trip(tripped["trip"]).name.lower())
    assert "trip" in [event["kind"] for event in told["consequences"]] and rows["mode"][-1] == 0
    assert found.differ == 0 and found.ticks > 500
