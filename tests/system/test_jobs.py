"""Jobs on a running service: whoever starts one may go away; aborted, killed, or with their service, they end in order.

In virtual time: a motion of seconds takes a tenth of one.
"""

import io
import json
import os
import re
import signal
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from hilctl.client import Client, Code, Jobs, private_service
from hilctl.errors import HilctlError
from tests.system.cli_parts import Shell
from tests.system.service_parts import RIG, alive, refusal, until

pytestmark = pytest.mark.timeout(300)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "remote.md"
SHORT = ("--speeds", "0.02", "0.1", "0.3", "--budget", "20")
LONG = ("--budget", "80")


@pytest.fixture(scope="module")
def service():
    with private_service(RIG, changes={"service.lease_timeout_s": 2.0}) as service:
        yield service


@pytest.fixture
def rig(service):
    yield from looking_on(service)


@pytest.fixture
def own_service():
    """Of a rig for one test: the others find theirs as they left it, its oil no warmer."""
    with private_service(RIG) as service:
        yield service


@pytest.fixture
def own(own_service):
    yield from looking_on(own_service)


def looking_on(service):
    """A client; the job that it leaves is ended."""
    with Client(service.commands, lease="none") as rig:
        yield rig
        jobs = Jobs(rig)
        for one in jobs.all()[:1]:
            if one["state"] == "running":
                jobs.abort(one["job"])
            jobs.wait(one["job"])


def moving(rig):
    """A motion of the job runs."""
    return until(lambda: rig.status()["mode"] == "track" and rig.status()["job"], "a motion of the job")


def measured(jobs, number):
    """Some speeds of a campaign are measured, and more are to come."""
    shown = until(lambda: (now := jobs.show(number))["measured"] and now, "a measured speed")
    assert 0 < shown["left_s"] < 80


def process_of(service):
    """The process of the job."""
    children = Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text().split()
    (found,) = (int(pid) for pid in children if "job_process" in Path(f"/proc/{pid}/cmdline").read_text())
    return found


def test_a_supervisor_goes_away_and_finds_its_job_again(service, rig, tmp_path):
    with Client(service.commands, lease="none") as supervisor:
        begun = Jobs(supervisor).start("friction", *SHORT)
    assert begun["state"] == "running" and begun["role"] == "commissioner"
    jobs = Jobs(rig)
    (found,) = (one for one in jobs.all() if one["job"] == begun["job"])
    assert (found["kind"], found["options"], found["by"]) == ("friction", list(SHORT), begun["by"])
    over = jobs.wait(begun["job"])
    assert (over["state"], over["exit_code"], over["reason"], over["result"]) == ("done", 0, "", "friction.json")
    assert any("friction model" in line for line in over["lines"]) and over["next"] == len(over["lines"])
    assert jobs.show(begun["job"], first=over["next"] - 1)["lines"] == over["lines"][-1:]
    assert rig.status()["job"] is None and rig.status()["lease"] is None
    result = jobs.result(begun["job"])
    assert [pair["speed_m_s"] for pair in result["curve"]] == pytest.approx([0.02, 0.1, 0.3], rel=0.01)
    copied = jobs.copy(begun["job"], tmp_path)
    assert {(str(path.relative_to(tmp_path)), path.stat().st_size) for path in copied} == {
        (one["name"], one["bytes"]) for one in over["files"]
    }
    assert json.loads((tmp_path / "friction.json").read_text()) == result
    told = [e for e in rig.events() if e["kind"] == "job" and e["job"] == begun["job"]]
    assert [told[0]["action"], told[-1]["action"], told[-1]["state"]] == ["started", "ended", "done"]
    assert any(e["action"] == "progress" and e["part"] for e in told)
    shown = over["measured"]
    assert [one["number"] for one in shown] == list(range(over["next_measured"]))
    assert [{name: one[name] for name in ("direction", "speed_m_s", "std_n")} for one in shown] == [
        {name: point[name] for name in ("direction", "speed_m_s", "std_n")} for point in result["points"]
    ]
    for one, point in zip(shown, result["points"], strict=True):
        assert one["kind"] == "friction" and one["low_n"] < one["force_n"] < one["high_n"]
        assert one["force_n"] == pytest.approx(point["force_n"], rel=0.05)  # it may be weighed again at the end
    assert [e["measured"] for e in told if e["action"] == "measured"] == shown
    assert jobs.show(begun["job"], first_measured=4)["measured"] == shown[4:]


@pytest.mark.parametrize(
    ("kind", "options", "key", "told"),
    [
        ("commission", ["--warm-up", "-1"], "--warm-up", "--warm-up: -1 refused, must be 0 to 3600 s"),
        ("friction", ["--budget", "5"], "--speeds", "a budget of 5 s is too short for 24 speeds"),
    ],
)
def test_wrong_options_are_refused_before_anything_moves(rig, kind, options, key, told):
    jobs, before = Jobs(rig), rig.status()
    known = jobs.all()
    refused = refusal(jobs.start, kind, *options)
    assert (refused.code, refused.key) == (Code.BAD_VALUE, key) and told in refused.message
    assert jobs.all() == known
    assert {k: rig.status()[k] for k in ("mode", "epoch", "last_motion", "lease", "job")} == {
        k: before[k] for k in ("mode", "epoch", "last_motion", "lease", "job")
    }


def test_a_resumed_job_begins_with_what_was_measured_before(own):
    jobs = Jobs(own)
    number = jobs.start("friction", *LONG)["job"]
    before = until(lambda: (now := jobs.show(number)["measured"]) and len(now) >= 2 and now, "two points")
    jobs.abort(number)
    jobs.wait(number)
    again = jobs.start(resumes=number)["job"]
    begun = until(lambda: (now := jobs.show(again)["measured"]) and len(now) > len(before) and now, "a point more")
    assert begun[: len(before)] == before


@pytest.mark.always
def test_a_commissioning_reports_its_distortion_and_its_parts(own):
    jobs = Jobs(own)
    number = jobs.start("commission", "--only", "sines", "--sines", "5", "--warm-up", "0")["job"]
    over = jobs.wait(number)
    assert over["state"] == "done", over["lines"]
    found = {kind: [one for one in over["measured"] if one["kind"] == kind] for kind in ("part", "distortion")}
    thd = jobs.result(number)["thd"]["5"]
    for one in found["distortion"]:
        assert (one["frequency_hz"], one["percent"]) == (5.0, thd[one["when"]])
    assert {one["when"] for one in found["distortion"]} == {w for w in ("before", "after") if thd[w] is not None}
    parts = {one["part"]: one for one in found["part"]}
    assert "preparing" in parts and any("distortion" in name for name in parts)
    assert all(one["complete"] and one["rig_s"] >= 0 for one in parts.values())


def test_an_aborted_job_brings_the_table_to_rest_and_restores_the_parameters(rig):
    jobs, before = Jobs(rig), rig.get()
    number = jobs.start("friction", *LONG)["job"]
    measured(jobs, number)
    moving(rig)
    again = refusal(jobs.start, "friction", *SHORT)
    assert again.code == Code.WRONG_MODE and f"`hilctl job abort {number}`" in again.message
    jobs.abort(number)
    over = jobs.wait(number)
    assert over["state"] == "aborted" and "aborted by" in over["reason"]
    status = rig.status()
    assert status["mode"] == "hold" and status["trip"] is None and status["lease"] is None
    assert rig.get() == before
    assert refusal(jobs.abort, number).code == Code.WRONG_MODE


def test_a_job_that_is_killed_loses_its_lease_and_is_reported(service, rig):
    jobs = Jobs(rig)
    number = jobs.start("friction", *LONG)["job"]
    moving(rig)
    os.kill(process_of(service), signal.SIGKILL)
    over = jobs.wait(number)
    assert (over["state"], over["exit_code"], over["reason"]) == ("died", -9, "killed by SIGKILL")
    until(lambda: rig.status()["lease"] is None, "the loss of the lease")
    assert until(lambda: rig.status()["trip"], "the trip")["name"] == "lease_lost"
    assert rig.wait_mode("hold", 30.0).mode == "hold"
    lost = [e for e in rig.events() if e["kind"] == "lease_lost"][-1]
    assert f"/job-{number}" in lost["holder"]
    with Client(service.commands) as holder:
        holder.pass_time(0.1)
        holder.reset()


def test_while_another_holds_the_lease_no_job_starts_unless_it_takes_it_over(service, rig):
    jobs = Jobs(rig)
    with Client(service.commands) as holder:
        refused = refusal(jobs.start, "friction", *SHORT)
        assert refused.code == Code.LEASE_HELD and "hilctl lease --release" in refused.message
        number = jobs.start("friction", *LONG, "--takeover")["job"]
        assert f"/job-{number}" in until(lambda: rig.status()["lease"], "its lease")["holder"]
        assert refusal(holder.arm).code in (Code.LEASE_HELD, Code.NO_LEASE)


NO_FILES = ("../1.json", "/etc/passwd", "none.json", "", "legs")


def some_job(rig):
    """The first one; made where there is none yet."""
    if not Jobs(rig).all():
        Jobs(rig).wait(Jobs(rig).start("friction", *SHORT)["job"])
    return Jobs(rig).all()[-1]["job"]


@pytest.mark.parametrize("name", NO_FILES)
def test_only_files_of_a_jobs_own_folder_are_sent(service, rig, name):
    number = some_job(rig)
    assert refusal(rig.ask, "download", name=name, job=number).code in (Code.BAD_VALUE, Code.GONE)


def test_a_link_out_of_a_jobs_folder_is_not_followed(service, rig):
    number = some_job(rig)
    (folder,) = Path(service.folder).glob(f"hilctl/*/jobs/{number}-*")
    (folder / "out").symlink_to("/etc")
    (folder / "passwd").symlink_to("/etc/passwd")
    for name in ("out/passwd", "passwd"):
        assert refusal(rig.ask, "download", name=name, job=number).code == Code.GONE
    assert not {"out/passwd", "passwd"} & {one["name"] for one in Jobs(rig).show(number)["files"]}


def test_a_service_that_ends_ends_its_job_in_order_and_the_next_one_remembers_it(tmp_path):
    at = {"environment": {"XDG_STATE_HOME": str(tmp_path)}}
    with private_service(RIG, **at) as service, Client(service.commands, lease="none") as rig:
        measured(Jobs(rig), Jobs(rig).start("friction", *LONG)["job"])
        os.kill(service.pid, signal.SIGTERM)
        until(lambda: not alive(service.pid), "the end of the service")
        said = service.log.read_text()
    assert "'action': 'abandon'" in said and "lease_lost" not in said and "INFO hilctl.service.run: ended" in said
    with private_service(RIG, **at) as service, Client(service.commands, lease="none") as rig:
        (found,) = Jobs(rig).all()
        assert (found["state"], found["reason"]) == ("aborted", "the service was ended")


@pytest.mark.slow
def test_a_service_that_is_killed_takes_its_job_along_and_the_next_one_resumes_it(tmp_path):
    at = {"environment": {"XDG_STATE_HOME": str(tmp_path)}}
    with private_service(RIG, **at) as service, Client(service.commands, lease="none") as rig:
        measured(Jobs(rig), Jobs(rig).start("friction", *LONG)["job"])
        job = process_of(service)
        os.kill(service.pid, signal.SIGKILL)
        until(lambda: not alive(job), "the end of the job")
    with private_service(RIG, **at) as service, Client(service.commands, lease="none") as rig:
        (lost,) = Jobs(rig).all()
        assert (lost["state"], lost["reason"]) == ("lost", "the service ended before the job did")
        with pytest.raises(HilctlError, match="job 1 has left no result: the service ended before the job did"):
            Jobs(rig).result(1)
        legs = {one["name"]: one["bytes"] for one in Jobs(rig).show(1)["files"] if one["name"].startswith("legs/")}
        with Client(service.commands) as holder:  # a campaign is resumed in hold
            holder.arm()
        again = Jobs(rig).start(resumes=1)
        assert (again["job"], again["resumes"], again["options"]) == (2, 1, list(LONG))
        measured(Jobs(rig), 2)
        assert legs and legs.items() <= {one["name"]: one["bytes"] for one in Jobs(rig).show(2)["files"]}.items()


@pytest.mark.slow
def test_the_command_line_starts_shows_and_aborts_a_job(service, rig, tmp_path):
    shell, where = Shell(tmp_path), ["--connect", service.commands]
    said = shell.said("job", "start", "friction", *where, "--", *LONG)
    number = said.split()[0]
    assert "friction, running, started by" in said
    assert json.loads(shell.said("job", "list", "--json", *where))[0]["job"] == int(number)
    assert f"job        {number}  friction" in shell.said("status", *where)
    assert "friction, aborted" in shell.said("job", "abort", number, "--wait", *where)
    assert "friction, aborted" in shell.run("job", "wait", number, *where, code=1).stdout
    assert shell.said("job", "delete", number, *where) == f"deleted: {number}\n"
    assert "no job 4711 is remembered" in shell.refused("job", "abort", "4711", *where)
    assert "KIND: no 'comission'; did you mean 'commission'?" in shell.refused("job", "start", "comission", code=2)


@pytest.mark.slow
def test_a_commissioning_is_verified_by_another_job(own_service, own):
    jobs = Jobs(own)
    first = jobs.start("commission", "--only", "friction", "--warm-up", "1", *SHORT)["job"]
    shown = until(lambda: (now := jobs.show(first))["fraction"] and now, "a part of the work")
    assert shown["left_s"] > 0
    over = jobs.wait(first)
    assert (over["state"], over["result"], over["page"]) == ("done", "commission.json", "report.html")
    result = jobs.result(first)
    assert result["author"] == over["by"] and result["campaign"]["complete"]
    assert f"`hilctl job resume {first} -- " in " ".join(over["lines"])
    (page,) = re.findall(r"```python\n(from hilctl.client import Client, Jobs\n.*?)```", PAGE.read_text(), re.DOTALL)
    code = page.replace('"tcp://rig-pc:9870", key="carol.key"', repr(own_service.commands))
    code = code.replace("job:2", f"job:{first}")
    with redirect_stdout(io.StringIO()) as said:
        exec(code)
    assert said.getvalue() == "unchanged\n" and jobs.all()[0]["options"] == [f"job:{first}"]
    completed = jobs.start("", "--only", "plant", "--warm-up", "1", resumes=first)["job"]
    assert jobs.wait(completed)["state"] == "done"
    assert jobs.result(completed)["plant"] and jobs.result(completed)["campaign"] == result["campaign"]


@pytest.mark.slow
def test_gains_are_computed_as_a_job_and_their_document_is_copied(service, rig, tmp_path):
    shell, where = Shell(tmp_path), ["--connect", service.commands]
    number = shell.said("job", "start", "tune", *where, "--", "--feedback", "pid").split()[0]
    assert "[law.pid]" in shell.said("job", "wait", number, *where)
    assert json.loads(shell.said("job", "result", number, *where))["rig"] == RIG
    assert shell.said("job", "result", number, "--out", str(tmp_path / "x"), *where) == f"{tmp_path}/x/tune.json\n"


@pytest.mark.slow
def test_a_history_of_the_supervisors_own_computer_is_tracked_in_a_job(service, tmp_path):
    t = np.arange(0, 4, 0.01)
    rows = np.column_stack((t, np.sin(2 * np.pi * t) * np.sin(np.pi * t / 4) ** 2))
    np.savetxt(tmp_path / "shake.csv", rows, "%.6f", ",", header="time_s,displacement_m", comments="")
    shell = Shell(tmp_path)
    where = ["--connect", service.commands]
    options = ["--only", "tracking", "--warm-up", "0", "--peak", "0.02"]
    said = shell.refused("job", "start", "commission", *where, "--", *options, "--history", "shake.csv", code=2)
    assert "send it first: `hilctl job upload shake.csv`; then name it upload:shake.csv" in said
    said = shell.refused("job", "start", "commission", *where, "--", *options, "--history", "upload:shake.csv",
                         code=2)  # fmt: skip
    assert "no such file was sent; send it first: `hilctl job upload shake.csv`" in said
    assert shell.said("job", "upload", "shake.csv", *where) == "upload:shake.csv\n"
    said = shell.said("job", "start", "commission", *where, "--", *options, "--history", "upload:shake.csv")
    shell.said("job", "wait", said.split()[0], *where)
    told = json.loads(shell.said("job", "result", said.split()[0], *where))
    assert "shake" in [row["name"] for row in told["tracking"]]
    assert "no such file" in shell.refused("job", "upload", "none.csv", *where, code=2)
