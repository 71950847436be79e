"""A recording: every sample, event and change in order; whatever happens to the disk, control is not kept waiting."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import h5py
import numpy as np
import pytest

from hilctl.errors import WrongUse
from hilctl.recording import writer as writing
from hilctl.recording.layout import Change, Event, Header
from hilctl.recording.reader import open_recording
from hilctl.recording.recorder import Recorder, State
from hilctl.signals import NAMES, SAMPLE

SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
_HEADER = Header("table", "schema = 1\n", "run", "abc", 1000.0, "virtual", 3, {"machine.m": 500.0}, 41, b"state")


def _rows(first: int, count: int) -> np.ndarray:
    words = np.random.default_rng(first).integers(-(1 << 62), 1 << 62, (count, len(NAMES)))
    rows = words.view(SAMPLE).reshape(count)
    rows["tick"] = np.arange(first, first + count)
    return rows


@pytest.fixture
def recorder():
    made = Recorder(0.05, 10_000)
    yield made
    made.close()


def test_what_went_in_comes_out_bit_for_bit(recorder: Recorder, tmp_path: Path) -> None:
    recorder.start(tmp_path / "a.h5", _HEADER, 10).result(10)
    given = [_rows(10, 300), _rows(310, 1), _rows(311, 2000)]
    for rows in given:
        recorder.rows(int(rows["tick"][0]), rows)
    recorder.event(Event(4, "mode", 12, 99, {"mode": "hold"}))
    recorder.change(Change(2, 13, 98, "me", "test", "machine.m", 500.0, 501.0))
    state = recorder.stop().result(10)
    assert (state.state, state.flushed, state.lost) == ("off", 2310, 0)
    with open_recording(tmp_path / "a.h5") as back:
        assert back.complete and back.rig_file == "schema = 1\n" and back.law_state == (41, b"state")
        assert back.rows().tobytes() == b"".join(rows.tobytes() for rows in given)
        assert back.sequence().tolist() == list(range(10, 2311))
        assert back.events == [{"number": 4, "kind": "mode", "tick": 12, "time_ns": 99, "mode": "hold"}]
        assert back.changes[0]["old"] == 500.0 and back.changes[0]["author"] == "me"
        assert back.parameters_at_start == {"machine.m": 500.0} and back.units["displacement_m"] == "m"


def test_a_gap_shows_in_the_sequence_numbers(recorder: Recorder, tmp_path: Path) -> None:
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    recorder.rows(0, _rows(0, 5))
    recorder.rows(100, _rows(100, 5))
    assert recorder.read(102, 104, 1).result(10)["tick"].tolist() == [102, 103]
    assert recorder.read(3, 104, 1).result(10)["tick"].tolist() == [3, 4]
    recorder.stop().result(10)
    with open_recording(tmp_path / "a.h5") as back:
        assert back.sequence().tolist() == [0, 1, 2, 3, 4, 100, 101, 102, 103, 104]


def test_rows_that_are_lost_while_the_file_is_being_opened_are_counted(
    recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost, make = threading.Event(), writing.Writer

    def slow_disk(*given):
        assert lost.wait(30)
        return make(*given)

    monkeypatch.setattr(writing, "Writer", slow_disk)
    opening = recorder.start(tmp_path / "a.h5", _HEADER, 0)
    for first in (0, 6000, 12_000):  # ten thousand may wait
        recorder.rows(first, _rows(first, 6000))
    lost.set()
    assert opening.result(10).lost == 12_000
    assert recorder.stop().result(10).lost == 12_000
    with open_recording(tmp_path / "a.h5") as back:
        assert back.sequence().tolist() == list(range(6000))


def test_an_existing_file_is_never_written_over(recorder: Recorder, tmp_path: Path) -> None:
    (tmp_path / "a.h5").write_bytes(b"precious")
    with pytest.raises(OSError, match="exists"):
        recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    assert (tmp_path / "a.h5").read_bytes() == b"precious" and not recorder.active


def test_rows_beyond_what_may_wait_are_lost_counted_and_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(3600.0, 100)
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    recorder.read(0, 1, 1).result(10)  # after the first flush, that of its begin
    let_go, held = threading.Event(), threading.Event()
    slow = writing.Writer.write

    def write(self, *batch):
        held.set()
        let_go.wait(10)
        slow(self, *batch)

    monkeypatch.setattr(writing.Writer, "write", write)
    recorder.rows(0, _rows(0, 50))
    recorder.hurry()
    assert held.wait(10)
    recorder.rows(50, _rows(50, 80))
    recorder.rows(130, _rows(130, 80))
    assert recorder.state.lost == 80
    let_go.set()
    recorder.close()
    with open_recording(tmp_path / "a.h5") as back:
        assert len(back) == 130 and not back.complete and "80 samples were lost" in back.ended


def test_a_disk_that_is_nearly_full_ends_the_recording_readable(
    recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    recorder.rows(0, _rows(0, 50))
    recorder.read(0, 1, 1).result(10)  # which flushes
    monkeypatch.setattr(writing.os, "statvfs", lambda path: os.statvfs_result((4096, 4096, 9, 9, 9, 9, 9, 9, 0, 255)))
    recorder.rows(50, _rows(50, 50))
    recorder.read(0, 1, 1).result(10)
    assert recorder.state.state == "failed" and "free" in recorder.state.reason and recorder.state.flushed == 49
    recorder.rows(100, _rows(100, 50))  # is no error
    with open_recording(tmp_path / "a.h5") as back:
        assert len(back) == 50 and not back.complete and "failed" in back.ended


def test_a_write_that_fails_in_the_middle_is_marked_and_what_was_flushed_stays(tmp_path: Path) -> None:
    script = f"""
import resource, signal, sys, importlib.util
from pathlib import Path
spec = importlib.util.spec_from_file_location("rec", {str(Path(__file__))!r})
rec = importlib.util.module_from_spec(spec); spec.loader.exec_module(rec)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
r = rec.Recorder(0.01, 1_000_000)
r.start(Path({str(tmp_path / "a.h5")!r}), rec._HEADER, 0).result(10)
n = 0
while r.state.state == "on" and n < 100_000:
    r.rows(n, rec._rows(n, 500)); n += 500
    r.read(0, 1, 1).result(10)
print(r.state.state, r.state.flushed)
r.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=Path.cwd(), check=False
    )
    assert done.returncode == 0, done.stderr
    state, flushed = done.stdout.split()
    assert state == "failed" and int(flushed) > 500
    with open_recording(tmp_path / "a.h5") as back:
        assert not back.complete and len(back) >= int(flushed) + 1
        assert back.rows(0, int(flushed) + 1)["tick"].tolist() == list(range(int(flushed) + 1))


_WRITES = f"""
import sys, importlib.util
from pathlib import Path
spec = importlib.util.spec_from_file_location("rec", {str(Path(__file__))!r})
rec = importlib.util.module_from_spec(spec); spec.loader.exec_module(rec)
r = rec.Recorder(0.002, 1_000_000)
r.start(Path(sys.argv[1]), rec._HEADER, 0).result(10)
n = told = 0
while True:
    room = r.room >= 200
    if len(sys.argv) > 2 or room:  # a second argument: faster than the queue takes
        r.rows(n, rec._rows(n, 200))
        n += 200
    if room:  # of events none is lost: while the disk stands still they would fill the memory
        r.event(rec.Event(n, "mode", n, n, {{"mode": "hold"}}))
    if r.state.flushed > told:
        told = r.state.flushed
        print(told, flush=True)
"""


@pytest.mark.parametrize(("after", "lossy"), [(1, []), (3, []), (3, ["lossy"])], ids=["first", "third", "lossy"])
def test_after_kill_it_opens_and_holds_what_was_said_to_be_flushed(
    tmp_path: Path, after: int, lossy: list[str]
) -> None:
    killed(tmp_path / "a.h5", after, lossy)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_after_a_hundred_kills_at_random_instants_it_opens_and_holds_what_was_said_to_be_flushed(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(49)
    for kill in range(max(3, round(100 * SHARE))):
        killed(tmp_path / f"{kill}.h5", int(rng.integers(1, 12)), ["lossy"] if kill % 10 == 9 else [])
        (tmp_path / f"{kill}.h5").unlink()


def killed(path: Path, after: int, lossy: list[str]) -> None:
    """Kills who writes it after so many words that something is flushed, and looks at the file."""
    with subprocess.Popen(
        [sys.executable, "-c", _WRITES, str(path), *lossy], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    ) as process:
        assert process.stdout is not None
        told = 0
        for _ in range(after):
            told = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        for line in process.stdout:
            told = int(line) if line.endswith("\n") else told
    with open_recording(path) as back:
        sequence = back.sequence()
        assert not back.complete and sequence[-1] >= told
        assert (back.rows()["tick"] == sequence).all()  # what was lost to a full queue is a gap in both
        assert lossy or len(back) == sequence[-1] + 1


def test_a_loss_is_counted_though_the_disk_reports_at_the_same_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, reached, go = Recorder(60.0, 100), threading.Event(), threading.Event()
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    replace = State._replace

    def slowly(self: State, **changes: object) -> State:
        if "flushed" in changes and not reached.is_set():
            reached.set()
            go.wait(10)
        return replace(self, **changes)

    monkeypatch.setattr(State, "_replace", slowly)
    recorder.rows(0, _rows(0, 50))
    stopped = recorder._submit(recorder._flush)
    assert reached.wait(10)
    losing = threading.Thread(target=recorder.rows, args=(50, _rows(50, 120)))
    losing.start()
    losing.join(0.1)
    go.set()
    losing.join()
    stopped.result(10)
    assert (recorder.state.lost, recorder.state.flushed) == (120, 49)
    recorder.close()


def test_any_other_file_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file.attrs["format"] = "something"
    with pytest.raises(WrongUse, match="something"):
        open_recording(tmp_path / "other.h5")
