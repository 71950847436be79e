"""The next file of a recording, and room on the disk: no row lost or twice, and what is newest is kept."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.recording import recorder as recording
from hilctl.recording import room as rooms
from hilctl.recording import writer as writing
from hilctl.recording.batch import Batch
from hilctl.recording.layout import ALWAYS, Change, Event, Header, Known, Taken
from hilctl.recording.reader import open_recording
from hilctl.recording.recorder import Recorder
from hilctl.recording.room import Piece, Pieces, Room
from hilctl.signals import SAMPLE

HEADER = Header("table", "schema = 1\n", "run", "abc", 1000.0, "virtual", 3, {"machine.m": 500.0}, 41, b"state")


def rows(first: int, count: int) -> np.ndarray:
    made = np.zeros(count, SAMPLE)
    made["tick"] = np.arange(first, first + count)
    return made


def numbers(path: Path) -> list[int]:
    with open_recording(path) as back:
        assert back.rows()["tick"].tolist() == back.sequence().tolist()
        return back.sequence().tolist()


@pytest.fixture
def recorder():
    """A recorder that brings things onto the disk only when it is told to."""
    made = Recorder(3600.0, 10_000)
    yield made
    made.close()


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(0, 60))
def test_a_split_keeps_every_row_in_order(lengths: list[int], at: int) -> None:
    blocks, first = [], 5
    for length in lengths:
        blocks.append((first, rows(first, length)))
        first += length
    before, after = Batch(blocks, [], [], []).split(at, 0)
    kept = [int(t) for part in (before, after) for n, some in part.blocks for t in some["tick"]]
    assert kept == list(range(5, first))
    assert all(n + len(some) <= at for n, some in before.blocks) and all(n >= at for n, _ in after.blocks)


def test_the_next_file_begins_with_the_row_that_follows_the_laws_state(recorder: Recorder, tmp_path: Path) -> None:
    recorder.start(tmp_path / "a.h5", HEADER, 0, Piece(rows=16)).result(10)
    recorder.rows(0, rows(0, 10))
    recorder.read(0, 1, 1).result(10)  # which writes
    assert not recorder.full
    recorder.rows(10, rows(10, 10))
    recorder.read(0, 1, 1).result(10)
    assert recorder.full
    recorder.hold_back()
    for first in (20, 30):
        recorder.rows(first, rows(first, 10))
    recorder.event(Event(1, "mode", 24, 0, {}))
    recorder.event(Event(2, "mode", 25, 0, {}))
    recorder.change(Change(4, 24, 1, "me", "test", "machine.m", 500.0, 501.0))
    recorder.change(Change(5, 25, 1, "me", "test", "machine.m", 501.0, 502.0))
    assert len(recorder.read(20, 40, 1).result(10)) == 0  # they wait
    before = recorder.rotate(None, HEADER._replace(law_tick=24, law_state=b"then", continues="a.h5"), 25).result(10)
    assert (before.path, before.first, before.flushed) == (str(tmp_path / "a.h5"), 0, 24)
    assert not recorder.full
    recorder.rows(40, rows(40, 5))
    state = recorder.stop().result(10)
    assert (Path(state.path).name, state.first, state.flushed, state.continues) == ("a-2.h5", 25, 44, "a.h5")
    assert (numbers(tmp_path / "a.h5"), numbers(tmp_path / "a-2.h5")) == (list(range(25)), list(range(25, 45)))
    with open_recording(tmp_path / "a.h5") as old, open_recording(tmp_path / "a-2.h5") as new:
        assert old.complete and new.complete and new.continues == "a.h5"
        assert new.law_state == (24, b"then")
        assert [[e["number"] for e in part.events] for part in (old, new)] == [[1], [2]]
        assert [[c["new"] for c in part.changes] for part in (old, new)] == [[501.0], [502.0]]
        assert (new.parameters_at_start, new.epoch) == ({"machine.m": 501.0}, 4)


def test_without_the_laws_state_it_begins_with_what_was_not_written(recorder: Recorder, tmp_path: Path) -> None:
    recorder.start(tmp_path / "a.h5", HEADER, 0, Piece(bytes=1)).result(10)
    recorder.hold_back()
    recorder.rows(0, rows(0, 10))
    recorder.rotate(None, HEADER, -1).result(10)
    recorder.rows(10, rows(10, 10))
    recorder.stop().result(10)
    assert (numbers(tmp_path / "a.h5"), numbers(tmp_path / "a-2.h5")) == (list(range(10)), list(range(10, 20)))


def test_many_files_number_on_even_where_the_first_were_removed(recorder: Recorder, tmp_path: Path) -> None:
    recorder.start(tmp_path / "a.h5", HEADER, 0).result(10)
    for part in range(1, 4):
        recorder.rows(10 * part - 10, rows(10 * part - 10, 10))
        recorder.rotate(None, HEADER, -1).result(10)
        (tmp_path / f"a-{part}.h5").unlink(missing_ok=True)
    assert Path(recorder.state.path).name == "a-4.h5"


def test_where_the_next_file_cannot_be_opened_the_old_one_goes_on(
    recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder.start(tmp_path / "a.h5", HEADER, 0).result(10)
    recorder.hold_back()
    recorder.rows(0, rows(0, 10))
    make = writing.Writer

    def refuse(*given: object) -> None:
        raise PermissionError(errno.EACCES, "not here")

    monkeypatch.setattr(writing, "Writer", refuse)
    with pytest.raises(PermissionError):
        recorder.rotate(None, HEADER, 5).result(10)
    monkeypatch.setattr(writing, "Writer", make)
    recorder.rows(10, rows(10, 10))
    assert recorder.stop().result(10).state == "off"
    assert numbers(tmp_path / "a.h5") == list(range(20))


def test_each_file_tells_of_its_own_losses(tmp_path: Path) -> None:
    recorder = Recorder(3600.0, 10)
    recorder.start(tmp_path / "a.h5", HEADER, 0).result(10)
    recorder.rows(0, rows(0, 11))  # more than may wait
    recorder.rows(11, rows(11, 5))
    recorder.rotate(None, HEADER, -1).result(10)
    recorder.rows(16, rows(16, 5))
    assert recorder.stop().result(10).lost == 11
    recorder.close()
    with open_recording(tmp_path / "a.h5") as old, open_recording(tmp_path / "a-2.h5") as new:
        assert "11 samples were lost" in old.ended and new.complete and not new.ended


def test_below_the_free_space_it_ends_in_order_with_all_that_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, free = Recorder(3600.0, 10_000, Room(free_bytes=100 * rooms.MB)), [1000]
    monkeypatch.setattr(recording, "free_bytes", lambda place: free[0] * rooms.MB)
    monkeypatch.setattr(rooms, "free_bytes", lambda place: free[0] * rooms.MB)
    recorder.start(tmp_path / "a.h5", HEADER, 0).result(10)
    recorder.rows(0, rows(0, 500))
    recorder._submit(recorder._flush).result(10)  # after the first one, that of its begin
    recorder.rows(500, rows(500, 500))
    free[0] = 99
    recorder._submit(recorder._flush).result(10)
    state = recorder.state
    assert (state.state, state.flushed) == ("failed", 999)
    assert "99.0 MB are free" in state.reason and "recording.free_mb is 100" in state.reason
    assert numbers(tmp_path / "a.h5") == list(range(1000))
    with pytest.raises(OSError, match=r"recording\.free_mb"):
        recorder.start(tmp_path / "b.h5", HEADER, 0).result(10)
    recorder.close()


def test_old_files_of_what_always_runs_make_room_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(4):
        (tmp_path / f"{ALWAYS}{n}.h5").write_bytes(b"x" * 1000)
        os.utime(tmp_path / f"{ALWAYS}{n}.h5", (n, n))
    (tmp_path / "mine.h5").write_bytes(b"x" * 1000)
    monkeypatch.setattr(rooms, "free_bytes", lambda place: 10_000 - 1000 * len(list(tmp_path.iterdir())))
    gone = Pieces(tmp_path).trim(Room(free_bytes=7000), tmp_path / f"{ALWAYS}3.h5")
    assert [path.name for path in gone] == [f"{ALWAYS}0.h5", f"{ALWAYS}1.h5"]
    gone = Pieces(tmp_path).trim(Room(free_bytes=1 << 40), tmp_path / f"{ALWAYS}3.h5")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{ALWAYS}3.h5", "mine.h5"]


def test_what_always_runs_keeps_its_bytes_and_its_hours(recorder: Recorder, tmp_path: Path) -> None:
    recorder.start(tmp_path / f"{ALWAYS}0.h5", HEADER, 0, always=True).result(10)
    for n in range(1, 6):
        recorder.rows(10 * n - 10, rows(10 * n - 10, 10))
        recorder.rotate(tmp_path / f"{ALWAYS}{n}.h5", HEADER, -1, always=True).result(10)
    assert recorder.state.always
    active, pieces = tmp_path / f"{ALWAYS}5.h5", Pieces(tmp_path)
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))  # a clock that was set back
    gone = pieces.trim(Room(keep_rows=30), active)
    assert [path.name for path in gone] == [f"{ALWAYS}0.h5", f"{ALWAYS}1.h5"]  # 3 × 10 rows are left beside this one
    two = active.stat().st_size + (tmp_path / f"{ALWAYS}4.h5").stat().st_size
    gone = pieces.trim(Room(keep_bytes=two), active)
    assert [path.name for path in gone] == [f"{ALWAYS}2.h5", f"{ALWAYS}3.h5"]


def test_a_split_gives_a_state_and_what_was_taken_to_the_file_that_goes_on_from_them() -> None:
    known = [Known(tick, tick + 1, 0, 0, b"", b"", b"") for tick in (10, 20)]
    taken = [Taken(k, 2, tick, between, k, 0, 0.0, 0.0, b"") for k, (tick, between) in
             enumerate([(15, 0), (20, 0), (20, 1), (21, 0)])]  # fmt: skip
    before, after = Batch([], [], [], [*known, *taken]).split(21, 20)
    assert before.inputs == [known[0], *taken[:3]]
    assert after.inputs == [known[1], *taken[2:]]  # that one may be before the state or after it
