"""The power goes: of what was written since the last sync any part may be on the disk, in any order, by pages.

Whatever part it is, the file opens, every row that was said to be flushed is there, and no row is shown that is not.
"""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hilctl.errors import WrongUse
from hilctl.recording.disk import Disk
from hilctl.recording.layout import Event
from hilctl.recording.reader import open_recording
from hilctl.recording.writer import Writer
from tests.unit.recording.test_every_write import HEADER, rows

PAGE = 4096
BATCHES, SYNC_EVERY = (5, 160, 330, 40, 3, 700, 161, 220) * 4, 3  # rows; with small chunks, over several splits


class Course:
    """What happened to a file: its writes, and each sync with how many rows were flushed by then."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.synced: list[tuple[bytes, int]] = []  # the file as it surely is from there on, and its flushed rows
        self.writes: list[list[tuple[int, bytes]]] = []  # after each of them, up to the next
        self._image, self._rows = bytearray(), 0
        put, sync = Disk._put, Disk.sync

        def log_put(disk: Disk, at: int, view: memoryview) -> None:
            put(disk, at, view)
            if self.writes:
                self.writes[-1].append((at, bytes(view)))
            over(self._image, at, view)

        def log_sync(disk: Disk) -> None:
            sync(disk)
            self.synced.append((bytes(self._image), self._rows))
            self.writes.append([])

        with monkeypatch.context() as patched:
            patched.setattr("hilctl.recording.writer.CHUNK_ROWS", 16)
            patched.setattr(Disk, "_put", log_put)
            patched.setattr(Disk, "sync", log_sync)
            self._record(path)
        self.rows = self._rows

    def _record(self, path: Path) -> None:
        writer = Writer(path, HEADER, 0)
        for number, count in enumerate(BATCHES):
            first = self._rows
            writer.write([(first, rows(first, count))], [Event(first, "mode", first, 0, {"mode": "hold"})], [])
            self._rows += count
            if number % SYNC_EVERY == 0:
                writer.sync()
        writer.describe_trip({"cause": "position"})
        writer.close()


def over(image: bytearray, at: int, data: bytes | memoryview) -> None:
    image.extend(bytes(max(0, at + len(data) - len(image))))
    image[at : at + len(data)] = data


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    with pytest.MonkeyPatch.context() as monkeypatch:
        return Course(tmp_path_factory.mktemp("course") / "a.h5", monkeypatch)


def left(course: Course, since: int, chance: np.random.Generator, share: float) -> bytes:
    """What the disk may hold: the file as it was synced, and some pages as they were after one write or another."""
    image, now = bytearray(course.synced[since][0]), bytearray(course.synced[since][0])
    writes = course.writes[since][: int(chance.integers(len(course.writes[since]) + 1))]
    pages: dict[int, bytes] = {}
    for at, data in writes:
        over(now, at, data)
        for page in range(at // PAGE, (at + len(data) - 1) // PAGE + 1):
            if chance.random() < share:
                pages[page] = bytes(now[page * PAGE : (page + 1) * PAGE])
    for page, data in pages.items():
        over(image, page * PAGE, data)
    return bytes(image)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), seed=st.integers(0, 1 << 32), share=st.sampled_from([0.1, 0.5, 0.9]))
def test_what_was_flushed_is_read_and_nothing_that_is_not_there(course, tmp_path, data, seed, share):
    since = data.draw(st.integers(1, len(course.synced) - 1), "since the sync")  # the first names the file
    (tmp_path / "cut.h5").write_bytes(left(course, since, np.random.default_rng(seed), share))
    with open_recording(tmp_path / "cut.h5") as recording:
        assert len(recording) >= course.synced[since][1]
        assert recording.rows()["tick"].tolist() == list(range(len(recording)))
        assert recording.complete <= (len(recording) == course.rows)
        assert [event["tick"] for event in recording.events] == sorted({e["tick"] for e in recording.events})


def test_indices_are_split_in_this_course_and_each_time_what_is_new_is_synced_first(course):
    assert len(course.synced) > 2 + len(BATCHES) / SYNC_EVERY + 4


def test_a_copy_that_lacks_what_was_synced_was_cut_off(course, tmp_path):
    image, _ = course.synced[-4]
    size = len(image) // 2
    (tmp_path / "cut.h5").write_bytes(image[:size])
    with pytest.raises(WrongUse, match=rf"cut\.h5: was cut off: .* {size} bytes .*copy it again"):
        open_recording(tmp_path / "cut.h5")
