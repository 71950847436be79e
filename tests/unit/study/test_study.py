"""Runs of the real loop on the simulated rig, in this process."""

import csv
import math
import sys
from concurrent.futures import Executor, ThreadPoolExecutor

import msgspec
import pytest

from hilctl.errors import HilctlError
from hilctl.experiment.store import StoreError
from hilctl.study.again import again
from hilctl.study.conclude import conclude
from hilctl.study.folder import Folder
from hilctl.study.one import run
from hilctl.study.outcomes import OF_MOTION
from hilctl.study.plan import Plan
from hilctl.study.program import OtherProgram, need_same, program
from hilctl.study.spread import spread
from hilctl.study.table import write_table
from hilctl.study.work import compute, row_of
from tests.unit.study.studies import VARY, small, table


class Threads:
    """Workers that are threads of this process: any executor will do."""

    def __init__(self, count: int = 1, fails: int = 0) -> None:
        self._pool, self._count, self.fails, self.sent = ThreadPoolExecutor(count), count, fails, 0

    def count(self) -> int:
        return self._count

    def executor(self) -> Executor:
        return self

    def submit(self, what, *given):
        self.sent += 1
        if self.fails:
            self.fails -= 1
            return self._pool.submit(self._gone)
        return self._pool.submit(what, *given)

    @staticmethod
    def _gone():
        raise ConnectionResetError("the worker is gone")

    def lost(self, error: BaseException) -> bool:
        return isinstance(error, ConnectionResetError)

    def close(self) -> None:
        self._pool.shutdown()


def computed(path, plan, workers=None):
    folder = Folder.begin(path, plan)
    spread(folder, workers or Threads(), lambda done, of: None)
    return folder, conclude(folder, 1.0)


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A study, and what came of it."""
    return computed(tmp_path_factory.mktemp("study") / "one", small())


def test_a_run_is_tracked_by_the_real_controller_and_said_in_numbers(first):
    folder, made = first
    done = [row for chunk in folder.finished() for row in chunk.rows if row["outcome"] == "done"]
    assert len(done) == made.result.outcomes["done"] > 3
    assert all(0 < row["sine.error_rms_m"] <= row["sine.error_peak_m"] < 0.002 for row in done)
    assert all(0 < row["sine.distortion_percent"] < 300 for row in done)
    assert all(row["limit_cycle"] in (0.0, 1.0) for row in done)


def test_a_trip_names_its_limit_and_its_time(first):
    folder, made = first
    tripped = [row for chunk in folder.finished() for row in chunk.rows if row["outcome"] == "tripped"]
    assert len(tripped) == made.result.outcomes["tripped"] > 0
    for row in tripped:
        assert row["trip"]
        assert row["trip_key"]
        assert row["trip_s"] > 0
    assert sum(one.runs for one in made.result.trips) == len(tripped)


def test_neither_the_number_of_workers_nor_their_loss_changes_a_byte(first, tmp_path):
    workers = Threads(3, fails=2)
    folder, made = computed(tmp_path / "two", small(), workers)
    assert workers.sent == folder.plan.chunks + 2
    assert table(folder.path) == table(first[0].path)
    assert made.result.runs == 12


def test_what_is_finished_is_not_computed_again_and_a_damaged_chunk_is(first, tmp_path):
    folder = Folder.begin(tmp_path / "two", small())
    for number in (0, 3, 4):
        folder.put(compute(folder.content, number))
    damaged = next((folder.path / "chunks").glob("000003*"))
    damaged.write_bytes(damaged.read_bytes()[:-20])
    folder = Folder.open(folder.path)
    assert folder.missing() == [1, 2, 3, 5]
    with pytest.raises(StoreError, match="4 of 6 chunks are missing"):
        folder.finished()
    spread(folder, Threads(), lambda done, of: None)
    conclude(folder, 1.0)
    assert table(folder.path) == table(first[0].path)


def test_a_chunk_whose_workers_are_always_lost_ends_the_study(tmp_path):
    folder = Folder.begin(tmp_path / "one", small(runs=2))
    with pytest.raises(HilctlError, match="runs 0 to 1: 4 workers were lost"):
        spread(folder, Threads(fails=100), lambda done, of: None)


def test_a_chunk_of_another_study_is_not_taken(first, tmp_path):
    folder = Folder.begin(tmp_path / "two", small(seed=8))
    with pytest.raises(StoreError, match="another study"):
        folder.put(compute(first[0].content, 0))


def test_a_plan_survives_its_file(first):
    read = msgspec.json.decode(first[0].content, type=Plan)
    assert read.digest == first[0].plan.digest
    assert read.values(5) == first[0].plan.values(5)


def test_one_process_at_a_time_works_in_a_folder(first):
    with first[0].locked(), pytest.raises(HilctlError, match="another process"), Folder.open(first[0].path).locked():
        pass


@pytest.mark.slow
def test_a_run_is_made_again_to_the_last_bit_with_a_recording_that_replays(first):
    from hilctl.recording.reader import open_recording
    from hilctl.replay.run import Replay

    made = again(first[0], 3)
    assert made.stored
    assert made.differs == []
    with open_recording(made.recordings[0]) as recording:
        replayed = Replay(recording).run()
        assert [one["kind"] for one in recording.events][:2] == ["planned", "motion"]
    assert replayed.exact
    assert replayed.differ == 0
    assert replayed.ticks > 500


def test_a_row_that_was_altered_is_seen_when_the_run_is_made_again(first, tmp_path):
    folder = Folder.begin(tmp_path / "two", first[0].plan)
    chunk = msgspec.msgpack.decode(compute(folder.content, 1))
    chunk["rows"][1]["sine.error_rms_m"] = math.nextafter(chunk["rows"][1]["sine.error_rms_m"], 1.0)
    folder.put(msgspec.msgpack.encode(chunk))
    assert again(folder, 3).differs == ["sine.error_rms_m"]


def test_with_and_without_compensation_the_rig_and_its_noise_are_the_same():
    plan = small(runs=1, vary=VARY[:1], compensation=["without", "with"])
    row, _, _ = row_of(plan, 0)
    assert plan.changes_of(0, "without") == {**plan.changes_of(0, "with"), "law.feed.inverse": 0.0}
    assert row["without.sine.error_rms_m"] != row["with.sine.error_rms_m"]
    gain = row["without.sine.error_rms_m"] / row["with.sine.error_rms_m"]
    assert row["gain.sine.error_rms_m"] == pytest.approx(gain)


def test_values_that_the_rig_file_refuses_are_a_row_and_not_an_end():
    plan = small(runs=1, vary=("limits.position.max_m=0.05:0.099", "machine.stroke_m=0.02:0.03"))
    made = run(plan, 0, "").values
    assert made["outcome"] == "impossible"
    assert "limits.position" in made["why"]
    assert all(math.isnan(made[f"sine.{name}"]) for name in OF_MOTION)


def test_a_motion_that_this_rig_may_not_do_is_refused():
    plan = small(runs=1, vary=("limits.velocity.max_m_s=0.03:0.04",))
    made = run(plan, 0, "").values
    assert made["outcome"] == "refused"
    assert "velocity" in made["why"]


def test_a_fault_of_the_link_trips():
    plan = small(runs=1, vary=("twin.faults.status_after_s=0.8:0.9", "twin.faults.status=2,3"))
    made = run(plan, 0, "").values
    assert made["outcome"] == "tripped"


def test_another_version_is_refused_with_both():
    other = {**program(), "hilctl": "9.9.9"}
    with pytest.raises(OtherProgram, match=rf"hilctl {program()['hilctl']} instead of 9\.9\.9"):
        need_same(other, "worker 7")
    plan = small(runs=1, program=other)
    with pytest.raises(OtherProgram):
        compute(msgspec.json.encode(plan), 0)


def test_without_pyarrow_the_table_is_csv_with_the_same_numbers_and_says_so(first, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    rows = [row for chunk in first[0].finished() for row in chunk.rows]
    path, note = write_table(tmp_path, first[0].plan, rows)
    assert "hilctl[export]" in note
    with path.open(newline="") as file:
        read = list(csv.DictReader(file))
    assert [int(row["run"]) for row in read] == list(range(12))
    assert [float(row["twin.machine.m"]) for row in read] == [row["twin.machine.m"] for row in rows]
    assert [row["outcome"] for row in read] == [row["outcome"] for row in rows]


def test_the_page_says_what_broke_it_and_which_run_to_look_at(first):
    page = first[1].page.read_text()
    worst = first[1].result.worst[0]
    assert f"hilctl study {first[0].path} --run {worst.run}" in page
    assert first[1].result.trips[0].trip in page
    assert "script" not in page
