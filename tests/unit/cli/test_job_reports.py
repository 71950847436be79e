"""What a job says to its service: without a wait, and without losing what it has measured."""

import json
import os
from collections.abc import Iterator

import pytest

from hilctl.cli.job_reports import Reports
from hilctl.experiment import measured
from hilctl.wire.ops_jobs import MEASURED

POINT = {"kind": "friction", "direction": -1, "speed_m_s": 0.1 / 3, "force_n": 1e3 / 3}


@pytest.fixture
def pipe() -> Iterator[tuple[int, Reports]]:
    reads, writes = os.pipe()
    os.set_blocking(reads, False)
    yield reads, Reports(writes)
    os.close(reads)
    os.close(writes)


def said(reads: int) -> list[dict[str, object]]:
    came = b""
    while True:
        try:
            came += os.read(reads, 1 << 20)
        except BlockingIOError:
            return [json.loads(line) for line in came.splitlines()]


def test_a_service_that_does_not_read_gets_every_point_later_and_progress_as_it_then_is(
    pipe: tuple[int, Reports],
) -> None:
    reads, reports = pipe
    for count in range(5000):  # more than a pipe holds
        reports.progress({"part": f"{count}", "fraction": 0.5, "left_s": None})
    for number in range(30):
        reports.measured({**POINT, "index": number})
    before = said(reads)
    assert 100 < len(before) < 5000 and not any("measured" in one for one in before)
    reports.progress({"part": "last"})
    after = said(reads)
    assert [one["measured"]["index"] for one in after[:-1]] == list(range(30))  # type: ignore[index]
    assert after[-1] == {"part": "last"}


def test_points_that_nobody_takes_are_bounded_and_the_newest_stay(pipe: tuple[int, Reports]) -> None:
    reads, reports = pipe
    for number in range(3 * MEASURED):
        reports.measured({**POINT, "index": number})
    got = said(reads)
    while reports._points:
        reports.flush()
        got += said(reads)
    numbers = [one["measured"]["index"] for one in got]  # type: ignore[index]
    assert numbers == sorted(numbers) and numbers[-MEASURED:] == list(range(2 * MEASURED, 3 * MEASURED))


def test_a_service_that_has_ended_is_no_error() -> None:
    reads, writes = os.pipe()
    os.close(reads)
    Reports(writes).measured(POINT)
    os.close(writes)


def test_without_anybody_who_listens_a_report_goes_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[object] = []
    monkeypatch.setattr(measured, "_listeners", [])
    measured.report("friction", force_n=1.0)
    measured.listen(heard.append)
    measured.report("friction", force_n=2.0)
    assert heard == [{"kind": "friction", "force_n": 2.0}]
