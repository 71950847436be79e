"""The journal of a service: a disk that fails holds up nothing, and loses nothing once it works again."""

from pathlib import Path

import pytest

from hilctl.recording.journal import JournalFile, read_journal
from hilctl.service import journal
from hilctl.service.journal import Journal
from hilctl.service.store import Author, Done, Edit

_BY = Author("campaign of alice", "fit 3", 12, 99, "KEY")


def done(epoch: int, **new: object) -> Done:
    return Done(epoch, _BY, 0, tuple(Edit(key, 1.0, value) for key, value in new.items()))


def test_a_start_says_what_differs_from_the_last_run(tmp_path: Path) -> None:
    for run, values in (("one", {"a": 1.0, "b": 1.0}), ("two", {"a": 1.0, "b": 2.0})):
        made = Journal(tmp_path / "j", run)
        made.begin(values, done(1), "0.1")
        assert made.add(done(2, a=5.0)).result(10) > 0
        made.close()
    first, set_, second, _ = read_journal(tmp_path / "j")
    assert first["values"] == {"a": 1.0, "b": 1.0} and not first["changed"] and first["kind"] == "start"
    assert (set_["author"], set_["key"], set_["origin"], set_["epoch"]) == ("campaign of alice", "KEY", "fit 3", 2)
    assert second["run"] == "two" and second["changed"] == [
        {"key": "a", "old": 5.0, "new": 1.0}, {"key": "b", "old": 1.0, "new": 2.0},
    ]  # fmt: skip


def test_what_a_disk_refused_is_written_when_it_takes_it(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file, not a folder")
    made = Journal(tmp_path / "state" / "j", "run")
    assert made.begin({"a": 1.0}, done(1), "0.1").result(10) == 0
    assert made.add(done(2, a=2.0)).result(10) == 0
    assert "state" in made.problem
    (tmp_path / "state").unlink()
    assert made.add(done(3, a=3.0)).result(10) == 3
    assert not made.problem
    made.close()
    assert [r["number"] for r in read_journal(tmp_path / "state" / "j")] == [1, 2, 3]


def test_what_waits_is_bounded_and_a_loss_shows_in_the_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "MOST", 2)
    made = Journal(tmp_path / "j", "run")
    assert made.begin({}, done(1), "0.1").result(10) == 1
    good = JournalFile.append

    def refuse(self: JournalFile, records: list[object]) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr(JournalFile, "append", refuse)
    for epoch in (2, 3, 4):
        assert made.add(done(epoch)).result(10) == 0
    monkeypatch.setattr(JournalFile, "append", good)
    made.close()
    assert [r["number"] for r in read_journal(tmp_path / "j")] == [1, 3, 4]
