"""Alarms of earlier runs: what the file keeps over ends and kills, and what is made of a spoilt or foreign one."""

import json
import logging
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hilctl.recording.layout import Event
from hilctl.service import alarm_file
from hilctl.service.alarm_file import MOST, NAME, AlarmFile, Kept
from hilctl.service.alarms import EARLIER, Alarms, raised_again

KEYS = ["velocity", "oil_filter", "shutdown"]
GOOD = Kept("trip", "velocity", "speed passed the limit", 7, 1000, 2000, 3, "abc")


def settled(file: AlarmFile, alarms: Alarms) -> None:
    """Until the disk has the list as it is now; what `alarms` waits for before it answers."""
    file.look(alarms)
    while not file.has(alarms.version):
        assert not file.problem
        file.look(alarms)


class OverRuns(RuleBasedStateMachine):
    """Alarms, people who acknowledge them, runs that end and runs that are killed. The model is a list."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.run, self.now = 0, 0
        self.model: list[list[object]] = []  # [run, key, raised_ns, count]
        self.begin()

    def begin(self) -> None:
        self.run, self.number = self.run + 1, 0
        self.alarms, self.file = Alarms(f"run {self.run}"), AlarmFile(self.folder / NAME)
        for one in self.file.read():
            self.hear(EARLIER, **raised_again(one))

    def hear(self, kind: str, **body: object) -> None:
        self.alarms.hear(Event(self.number, kind, self.number, self.now, body))
        self.number += 1

    @rule(key=st.sampled_from(KEYS))
    def trips(self, key: str) -> None:
        self.now += 1
        self.hear("trip", trip=key, text=f"{key}: {self.now}")
        for one in self.model:
            if one[:2] == [f"run {self.run}", key]:
                one[3] = int(str(one[3])) + 1
                return
        self.model.append([f"run {self.run}", key, self.now, 1])

    @rule(place=st.integers(0, 5), before=st.booleans())
    def acknowledges(self, place: int, before: bool) -> None:
        if place < len(self.model):
            self.alarms.acknowledge(int(self.listed()[place][-1]), "alice", self.now, before=before)
            del self.model[0 if before else place : place + 1]

    @rule()
    def ends(self) -> None:
        self.file.close(self.alarms)
        self.next_run()

    @rule()
    def is_killed(self) -> None:
        settled(self.file, self.alarms)  # the listing was answered
        self.next_run()

    def next_run(self) -> None:
        self.model = [one for one in self.model if one[1] != "shutdown"]
        self.begin()

    def listed(self) -> list[list[object]]:
        found = self.alarms.plain("", ())
        return [[one["run"], one["key"], one["time_ns"], one["count"], one["number"]] for one in found]

    @invariant()
    def nobodys_alarm_is_forgotten(self) -> None:
        assert [one[:-1] for one in self.listed()] == self.model
        assert all(one["earlier"] == (one["run"] != f"run {self.run}") for one in self.alarms.plain("", ()))

    def teardown(self) -> None:
        shutil.rmtree(self.folder)


TestOverRuns = OverRuns.TestCase
TestOverRuns.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)


def test_one_of_an_earlier_run_is_over_and_apart_from_the_same_cause_now() -> None:
    alarms = Alarms("this")
    alarms.hear(Event(0, EARLIER, -1, 5, raised_again(GOOD)))
    alarms.hear(Event(1, "trip", 9, 6, {"trip": "velocity", "text": "again"}))
    earlier, now = alarms.plain("velocity", ())
    assert (earlier["earlier"], earlier["active"], now["earlier"], now["active"]) == (True, False, False, True)
    assert (earlier["tick"], earlier["time_ns"], earlier["last_ns"], earlier["count"]) == (7, 1000, 2000, 3)
    assert alarms.acknowledge(0, "alice", 7) == [0]
    assert [one["run"] for one in alarms.plain("", (), acknowledged=True)] == ["abc", "this"]


def foreign(text: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(text)


SPOILT = {
    "empty": foreign(b""),
    "cut": foreign(b'{"form": 1, "raised": [{"kind": "tri'),
    "another": foreign(b"[1, 2]"),
    "no text": foreign(b"\xff\xfe\x00"),
    "older": foreign(b'{"alarms": []}'),
    "huge": foreign(b" " * (1 << 20) + b"{}"),
    "a folder": lambda path: (path / "in it").mkdir(parents=True),
    "a pipe": os.mkfifo,
    "a link": lambda path: path.symlink_to("/etc/passwd"),
}


@pytest.mark.parametrize("what", list(SPOILT))
def test_a_spoilt_or_foreign_file_is_moved_aside_with_a_warning(
    what: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    SPOILT[what](tmp_path / NAME)
    file, alarms = AlarmFile(tmp_path / NAME), Alarms("this")
    with caplog.at_level(logging.WARNING):
        assert file.read() == []
    assert NAME in caplog.text and f"moved to {NAME}.spoilt" in caplog.text
    assert os.path.lexists(tmp_path / f"{NAME}.spoilt")
    alarms.hear(Event(0, "trip", 9, 6, {"trip": "velocity", "text": "fast"}))
    settled(file, alarms)
    assert [one.text for one in AlarmFile(tmp_path / NAME).read()] == ["fast"]


@given(st.binary(max_size=200))
def test_no_bytes_keep_a_service_from_its_start(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        path.write_bytes(data)
        assert AlarmFile(path).read() == []


def test_one_entry_without_sense_is_left_out_and_keys_of_a_later_version_are_not_minded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    good = {"kind": "trip", "key": "k", "text": "t", "tick": 1, "time_ns": 2, "last_ns": 3, "count": 4, "run": "r"}
    bad = [{}, 7, good | {"tick": 1 << 70}, good | {"text": "x" * 3000}, good | {"key": None}]
    body = {"form": 2, "raised": [*bad, good | {"area": "hall 3"}], "written_by": "9.0"}
    (tmp_path / NAME).write_text(json.dumps(body))
    with caplog.at_level(logging.WARNING):
        (found,) = AlarmFile(tmp_path / NAME).read()
    assert found == Kept("trip", "k", "t", 1, 2, 3, 4, "r") and caplog.text.count("is left out") == len(bad)


def test_the_file_is_bounded_and_the_newest_are_kept(tmp_path: Path) -> None:
    alarms, file = Alarms("this"), AlarmFile(tmp_path / NAME)
    for number in range(MOST + 3):
        alarms.hear(Event(number, EARLIER, -1, 0, raised_again(GOOD) | {"text": str(number), "count": 1}))
    alarms.hear(Event(9999, "trip", 0, 0, {"trip": "velocity", "text": "x" * 5000}))
    settled(file, alarms)
    kept = AlarmFile(tmp_path / NAME).read()
    assert (len(kept), kept[0].text, len(kept[-1].text)) == (MOST, "4", alarm_file.LONGEST)


def test_a_disk_that_fails_is_told_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alarm_file, "_AGAIN_S", 0.0)
    (tmp_path / "state").write_text("in the way of the folder")
    alarms, file = Alarms("this"), AlarmFile(tmp_path / "state" / NAME)
    assert file.read() == []
    alarms.hear(Event(0, "trip", 9, 6, {"trip": "velocity", "text": "\udcff of a file's name"}))
    while not file.problem:
        file.look(alarms)
    assert not file.has(alarms.version)
    (tmp_path / "state").unlink()
    while file.problem:
        file.look(alarms)
    assert file.has(alarms.version) and len(AlarmFile(file.path).read()) == 1
    file.close(alarms)
