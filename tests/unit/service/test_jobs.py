"""What is remembered of jobs, and what is taken in of their output: bounded, and whatever it is."""

import json
import os
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from hilctl.service.jobs import REMEMBERED, Job, Jobs, _reason
from hilctl.service.lent import Lent
from hilctl.service.run import _end_job
from hilctl.service.worker import LINES, Worker, _Pipe
from hilctl.wire.errors import Refused
from hilctl.wire.ops_jobs import LONGEST_REPORT, MEASURED
from hilctl.wire.roles import Role, Who


def remembered(root, *jobs):
    for values in jobs:
        (root / f"{values['job']}.json").write_text(json.dumps(values))
    return Jobs(root, Lent({}.get), lambda *_, **__: None, ThreadPoolExecutor(1))


def record(number, **values):
    job = Job(number, "friction", ["--budget", "60"], 0, f"{number}-friction", "carol", "commissioner", time.time_ns())
    return {**vars(job), "lines": ["one", "two"], "measured": [], "count": 2, "state": "done", "exit_code": 0, **values}


def test_a_job_that_ran_when_the_service_died_is_lost(tmp_path):
    jobs = remembered(tmp_path, record(1), record(2, state="running", exit_code=None), record(3, state="aborting"))
    assert [(job.job, job.state) for job in jobs.all()] == [(3, "lost"), (2, "lost"), (1, "done")]
    assert "the service ended" in jobs.get(2).reason and list(jobs.get(1).lines) == ["one", "two"]


def test_records_that_are_none_are_left_out(tmp_path):
    for name, text in (("4", ""), ("5", "[]"), ("6", "{}"), ("7", json.dumps(record(8))), ("x", "{}")):
        (tmp_path / f"{name}.json").write_text(text)
    elsewhere = (record(8, folder="../x"), record(9, folder=""), record(10, folder="/etc"), record(11, kind="rm"))
    assert [job.job for job in remembered(tmp_path, record(2), *elsewhere).all()] == [2]


def test_the_newest_are_remembered_and_no_number_is_used_twice(tmp_path):
    (tmp_path / "90-tune").mkdir()
    jobs = remembered(tmp_path, *(record(number) for number in range(1, REMEMBERED + 4)))
    assert [job.job for job in jobs.all()] == list(range(REMEMBERED + 3, 3, -1))
    assert jobs.made("verify", "").result() == (91, "91-verify")
    assert jobs.made("friction", "5-friction").result() == (92, "5-friction")


def test_a_job_that_is_not_remembered_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(Refused, match="job: no job 7 is remembered; known: 2, 3") as refused:
        remembered(tmp_path, record(3), record(2)).get(7)
    assert refused.value.key == "job"


@pytest.mark.parametrize(
    ("lines", "code", "told"),
    [
        (["a table", "hilctl: no reply", "        within 10 s"], 1, "no reply within 10 s"),
        (["hilctl tune: --x: 1 refused", "        example: hilctl tune; more: --help"], 2, "--x: 1 refused"),
        (["Traceback", "ValueError: 3"], 1, "ValueError: 3"),
        ([], 1, "exit code 1"),
        (["hilctl: no reply"], -9, "killed by SIGKILL"),
    ],
)
def test_the_reason_is_what_the_command_said_last(lines, code, told):
    job = Job(1, "friction", [], 0, "", "carol", "commissioner", 0)
    job.lines.extend(lines)
    assert _reason(job, code) == told


def test_output_is_taken_in_by_lines_and_none_is_long():
    reads, writes = os.pipe()
    pipe = _Pipe(reads)
    assert pipe.lines() == []
    os.write(writes, b"one\ntw")
    assert pipe.lines() == ["one"]
    os.write(writes, b"o\x07 \xff\n" + 5000 * b"x" + b"\nlast")
    two, long = pipe.lines()
    assert two == "two  �" and long == 400 * "x"
    os.close(writes)
    assert pipe.close() == ["last"]


def test_a_job_keeps_its_last_lines():
    job = Job(1, "friction", [], 0, "", "carol", "commissioner", 0)
    job.lines.extend(str(n) for n in range(LINES + 5))
    assert (job.lines[0], len(job.lines)) == ("5", LINES)


def test_what_is_deleted_is_gone_from_the_disk_with_all_that_was_done_in_its_folder(tmp_path):
    for name in ("1-friction/legs", "2-friction"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "1-friction" / "legs" / "a.npz").write_bytes(b"x")
    (tmp_path / "1-friction" / "out").symlink_to(tmp_path / "2-friction")
    jobs = remembered(tmp_path, record(1), record(2), record(3, folder="1-friction", resumes=1))
    shared, work = jobs.delete(jobs.get(3))
    work.result()
    assert shared == [1, 3] and [job.job for job in jobs.all()] == [2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2-friction", "2.json"]


class Deaf:
    """The process of a job that ends only when it is killed."""

    def __init__(self, order, folder):
        self.lines, self.count, self.progress = deque(), 0, {}
        self.measured, self.points = deque(maxlen=MEASURED), 0
        self.pid, self.code, self.asked = 0, None, 0

    def look(self):
        return self.code

    def measures(self, count):
        """So many points more."""
        for _ in range(count):
            self.measured.append({"kind": "friction", "number": self.points})
            self.points += 1

    def end(self):
        self.asked += 1

    def kill(self):
        self.code = -9


@pytest.fixture
def running(tmp_path, monkeypatch):
    """A job of alice's, her role, what is told of it, and its process."""
    roles, told, made = {"alice": Role.COMMISSIONER}, [], []
    monkeypatch.setattr("hilctl.service.jobs.Worker", lambda *given: made.append(Deaf(*given)) or made[-1])
    lent = Lent(roles.get)
    jobs = Jobs(tmp_path, lent, lambda kind, **body: told.append(body), ThreadPoolExecutor(1))
    id = lent.lend(Who("alice", "alice", Role.COMMISSIONER), "job-1", None).id
    jobs.start(Job(1, "friction", [], 0, "1-friction", "alice", "commissioner", 0), {}, id)
    return jobs, lent, id, roles, told, made[0]


def test_a_job_that_does_not_end_when_it_is_asked_to_is_killed(running):
    jobs, lent, id, _, told, process = running
    begun_s, gone = time.monotonic(), []
    jobs.gone = gone.append
    jobs.abort(jobs.get(1), "aborted by bob")
    jobs.abort(jobs.get(1), "aborted by carol")  # once is enough
    jobs.look(begun_s + 80.0)
    assert (process.asked, process.code, jobs.get(1).state) == (1, None, "aborting")
    jobs.look(begun_s + 100.0)
    jobs.look(begun_s + 101.0)
    assert (jobs.get(1).state, jobs.get(1).reason, jobs.get(1).exit_code) == ("aborted", "aborted by bob", -9)
    assert jobs.running is None and lent.role(id) is None and gone == [id]
    assert [body["action"] for body in told] == ["started", "aborting", "ended"]


def test_a_job_whose_starter_is_revoked_is_asked_to_end(running):
    jobs, _, _, roles, _, process = running
    jobs.look(1.0)
    assert process.asked == 0
    del roles["alice"]
    jobs.look(2.0)
    assert process.asked == 1 and jobs.get(1).state == "aborting"


def test_progress_is_an_event_once_a_second_at_most_and_only_of_what_has_begun(running):
    jobs, _, id, _, told, process = running
    process.progress = {"part": "preparing", "fraction": 0.1, "left_s": 9.0}
    jobs.look(10.0)
    assert told == [] and (jobs.get(1).part, jobs.get(1).left_s) == ("preparing", 9.0)
    jobs.commands(id)
    for at_s, part in ((11.0, "a"), (11.5, "b"), (12.5, "c"), (14.0, "c")):
        process.progress = {"part": part, "fraction": None}
        jobs.look(at_s)
    assert [(body["action"], body["part"]) for body in told] == [("started", "a"), ("progress", "a"), ("progress", "c")]


def numbers(told):
    return [body["measured"]["number"] for body in told if body["action"] == "measured"]


def test_points_are_events_in_order_a_few_with_each_look_and_only_of_what_has_begun(running):
    jobs, _, id, _, told, process = running
    process.measures(5)
    jobs.look(10.0)
    assert told == [] and jobs.get(1).points == 5
    jobs.commands(id)
    jobs.look(10.1)
    assert told[0]["action"] == "started" and numbers(told) == [0, 1]
    jobs.look(10.2)
    jobs.look(10.3)
    jobs.look(10.4)
    assert numbers(told) == [0, 1, 2, 3, 4]
    process.measures(1)
    process.code = 0
    jobs.look(10.5)
    assert numbers(told) == [0, 1, 2, 3, 4, 5] and told[-1]["action"] == "ended"


def test_a_job_that_measures_without_end_floods_nobody(running):
    jobs, _, id, _, told, process = running
    jobs.commands(id)
    for look in range(50):
        process.measures(100)
        jobs.look(10.0 + 0.1 * look)
    assert len(jobs.get(1).measured) == MEASURED and jobs.get(1).points == 5000
    assert len(numbers(told)) <= 100
    process.code = 0
    jobs.look(20.0)
    assert len(numbers(told)) <= 200 and numbers(told) == sorted(numbers(told))


def test_what_was_measured_is_remembered(tmp_path, running):
    jobs, _, id, _, _, process = running
    jobs.commands(id)
    process.measures(3)
    process.code = 0
    jobs.look(10.0)
    jobs._disk.shutdown()
    again = Jobs(tmp_path, Lent({}.get), lambda *_, **__: None, ThreadPoolExecutor(1)).get(1)
    assert [one["number"] for one in again.measured] == [0, 1, 2] and again.points == 3
    old = json.loads((tmp_path / "1.json").read_text())
    for later in ("measured", "points"):  # as an earlier version has written it
        del old[later]
    (tmp_path / "1.json").write_text(json.dumps(old))
    again = Jobs(tmp_path, Lent({}.get), lambda *_, **__: None, ThreadPoolExecutor(1)).get(1)
    assert (list(again.measured), again.points) == ([], 0)


def test_of_what_a_job_reports_only_what_is_whole_and_plain_is_taken_in():
    process = Worker.__new__(Worker)
    process.lines, process.count, process.progress = deque(), 0, {}
    process.measured, process.points = deque(maxlen=MEASURED), 0
    point = {"kind": "friction", "force_n": 3.5, "complete": True}
    nothing = ["", "[]", "3", "{", "{}", '{"measured": 3}', '{"measured": {"a": NaN}}', '{"measured": {"a": [1]}}',
               '{"measured": {"a": 1' + "0" * 400 + "}}", '{"measured": {"a": ' + "[" * 900]  # fmt: skip
    process._take([], ['{"part": "one"}', *nothing, json.dumps({"measured": {**point, "number": 99}})])
    assert process.progress == {"part": "one"}
    assert list(process.measured) == [{**point, "number": 0}]
    process._take([], [json.dumps({"measured": point})] * (MEASURED + 5))
    assert len(process.measured) == MEASURED and process.measured[-1]["number"] == MEASURED + 5
    reads, writes = os.pipe()
    os.write(writes, b"x" * (LONGEST_REPORT + 50) + b"\n")
    assert len(_Pipe(reads, LONGEST_REPORT).lines()[0]) == LONGEST_REPORT
    os.close(writes)


def test_a_job_that_does_not_end_keeps_no_service_alive(running, monkeypatch):
    jobs, *_, process = running
    now = iter(range(1000))
    monkeypatch.setattr("hilctl.service.run.time", SimpleNamespace(monotonic=lambda: float(next(now))))
    app = SimpleNamespace(service=SimpleNamespace(jobs=jobs, core=SimpleNamespace(ended=None)))
    app.cycle = lambda soonest_s: jobs.look(soonest_s)
    _end_job(app)
    assert process.asked == 1 and jobs.get(1).reason == "the service was ended"


@pytest.mark.parametrize("then", ["progress", "ended", "aborting"])
def test_nothing_is_said_of_a_job_before_that_it_has_started(running, then):
    jobs, _, id, _, told, process = running
    jobs.commands(id)  # it has used the lease; who started it has not been answered yet
    if then == "progress":
        process.progress = {"part": "table", "fraction": 0.5}
    elif then == "ended":
        process.code = 0
    else:
        jobs.abort(jobs.get(1), "asked")
    jobs.look(10.0)
    jobs.begun(jobs.get(1))
    assert [body["action"] for body in told] == ["started", then]
