"""What a job does not take, and what becomes of its command."""

import argparse
import re
import sys

import pytest

from hilctl.cli import identify_parts
from hilctl.cli.commission import _how
from hilctl.cli.identify_dynamics import _asked
from hilctl.cli.job_process import NAMES_A_JOB, REFUSED, adapt
from hilctl.cli.main import parser_for
from hilctl.errors import WrongUse
from hilctl.wire.ops_jobs import KINDS

RIG = {"tune": ["table-500"], "verify": ["job:1"]}


def parsed(kind, *options, resumes=False, folder="/state/jobs/7-x", uploads="/state/jobs/uploads"):
    """The command of a job, as its process runs it."""
    words = [*KINDS[kind].words, *(RIG.get(kind, []) if not options or options[0].startswith("-") else []), *options]
    given = parser_for(words).parse_args(words)
    folders = {"1": "/state/jobs/1-commission", "7": "/state/jobs/7-friction"}
    adapt(given, {
        "kind": kind, "folder": str(folder), "resumes": resumes, "by": "carol", "job": 7, "folders": folders,
        "uploads": str(uploads),
    })  # fmt: skip
    return given


def paths(kind):
    """The options of a command whose values are files or folders."""
    parser = parser_for(KINDS[kind].words)
    for word in KINDS[kind].words:
        (below,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
        parser = below.choices[word]
    named = [action for action in parser._actions if isinstance(action.metavar, str)]
    return [action.dest for action in named if re.search("FILE|DIR|RIG", action.metavar)]


@pytest.mark.parametrize("kind", KINDS)
def test_no_option_of_a_job_names_a_place_on_the_rigs_disk(kind):
    known = {*REFUSED, *NAMES_A_JOB, "rig", "resume", "json"}
    assert paths(kind) and set(paths(kind)) <= known


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_works_in_its_own_folder(kind):
    assert parsed(kind).out == "/state/jobs/7-x"


@pytest.mark.parametrize(
    ("kind", "options", "told"),
    [
        ("commission", ["table-500"], "RIG table-500: refused in a job"),
        ("commission", ["--out", "/etc"], "--out /etc: refused in a job: a job has a folder of its own"),
        ("commission", ["--json", "x.json"], "--json x.json: refused in a job"),
        ("commission", ["--history", "el.csv"], "--history el.csv: send it first: `hilctl job upload el.csv`"),
        ("commission", ["--resume"], "--resume: refused in a job: `hilctl job resume N`"),
        ("friction", ["--connect", "tcp://1.2.3.4:5"], "--connect tcp://1.2.3.4:5: refused in a job"),
        ("friction", ["--points", "x.csv"], "--points x.csv: refused in a job"),
        ("friction", ["--again", "x"], "--again x: refused in a job"),
        ("friction", ["--cluster", "tcp://1.2.3.4:8786"], "--cluster tcp://1.2.3.4:8786: refused in a job"),
        ("plant", ["--twin"], "--twin: refused in a job: a job drives the rig of its service; leave --twin out"),
        ("plant", ["--resume", "/tmp"], "--resume: refused in a job"),
        ("plant", ["--set", "machine.m=4"], "--set machine.m=4: refused in a job"),
        ("dynamics", ["--record", "a.h5", "b.h5"], "--record a.h5 b.h5: refused in a job"),
        ("tune", ["--save", "x.toml"], "--save x.toml: refused in a job"),
        ("verify", ["/etc"], "DIR /etc: must be the folder of a job, or a file in it, like job:3"),
        ("verify", ["job:1/../../x"], "must be the folder of a job"),
        ("verify", ["job:9"], "DIR job:9: no job 9 is remembered; known: 1, 7"),
        ("presliding", ["--curve", "x.json"], "--curve x.json: must be the folder of a job, or a file in it"),
        ("tune", ["--from", "job:x"], "--from job:x: must be the folder of a job"),
    ],
)
def test_what_a_job_does_not_take_is_refused_with_a_remedy(kind, options, told):
    with pytest.raises(WrongUse, match=re.escape(told)):
        parsed(kind, *options)


def test_the_folder_of_another_job_is_named_by_its_number():
    assert parsed("verify", "job:1").source == "/state/jobs/1-commission"
    assert parsed("presliding", "--curve", "job:7/friction.json").curve == "/state/jobs/7-friction/friction.json"


def test_a_resumed_job_goes_on_as_its_command_does(tmp_path):
    (tmp_path / "course.json").touch()
    assert parsed("commission", resumes=True, folder=tmp_path).resume is True
    completed = parsed("commission", "--only", "plant", resumes=True, folder=tmp_path)
    assert (completed.resume, completed.out) == (False, str(tmp_path))
    campaign = parsed("friction", "--speeds", "0.1", "--budget", "60", resumes=True, folder=tmp_path)
    assert (campaign.resume, campaign.out, campaign.speeds, campaign.budget) == (str(tmp_path), "", None, None)


def test_a_job_that_was_ended_before_it_began_begins_when_it_is_resumed(tmp_path):
    campaign = parsed("friction", "--budget", "60", resumes=True, folder=tmp_path)
    assert (campaign.resume, campaign.out, campaign.budget) == ("", str(tmp_path), 60.0)


@pytest.mark.parametrize(
    ("kind", "options"),
    [("friction", ["--speeds", "0.1", "--budget", "60"]), ("presliding", ["--curve", "job:7/friction.json"]),
     ("dynamics", ["--band", "1:50", "--amplitude", "0.01", "--carrier", "0", "--excitation", "sweep"])],
)  # fmt: skip
def test_a_campaign_that_is_resumed_accepts_the_options_that_it_was_begun_with(kind, options, tmp_path):
    (tmp_path / "course.json").touch()
    given = parsed(kind, *options, resumes=True, folder=tmp_path)
    assert given.resume == str(tmp_path)
    check = _asked if kind == "dynamics" else identify_parts.check
    check(given)


def test_what_is_missing_is_measured_by_a_command_of_the_one_who_started_it(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["hilctl", "commission", "--only", "plant", "--warm-up", "1"])
    given = parsed("commission", "--only", "plant", "--warm-up", "1")
    given.only = ("plant",)
    how = _how(given, tmp_path)
    assert how.alone("gains") == "hilctl job resume 7 -- --warm-up 1 --only gains"
    assert identify_parts.continues(given, tmp_path) == "`hilctl job resume 7` continues"


def test_the_report_names_who_started_it():
    assert parsed("commission").author == "carol"
    assert parsed("commission", "--author", "Carol M.").author == "Carol M."


def test_a_file_that_was_sent_is_named_by_its_name_and_no_other_place(tmp_path):
    (tmp_path / "el.csv").touch()
    given = parsed("commission", "--history", "upload:el.csv", "--history", "upload:../el.csv", uploads=tmp_path)
    assert given.history == [str(tmp_path / "el.csv")] * 2
    assert parsed("presliding", "--curve", "upload:el.csv", uploads=tmp_path).curve == str(tmp_path / "el.csv")
    for none in ("upload:..", "upload:", "upload:other.csv"):
        with pytest.raises(WrongUse, match="no such file was sent; send it first: `hilctl job upload"):
            parsed("commission", "--history", none, uploads=tmp_path)
