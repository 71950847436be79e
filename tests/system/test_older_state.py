"""An upgrade finds what older versions left: it is read, or refused with the file, the version and the remedy.

`older/0.1.0.tar.xz` has what three states of 0.1.0 left, a day apart, all on the simulated table-500:

    first               a friction campaign and a study of dynamics, before legs were kept in a journal
    before-journals     a commissioning, a friction campaign, a recording without readings
    recent/state        a state directory: journal of parameters, a job, a recording with all that a replay needs
"""

import json
import pickle
import tarfile
from pathlib import Path

import pytest

from hilctl import __version__
from hilctl.experiment.store import StoreError
from hilctl.identify.frequency.drive import Run
from hilctl.identify.friction import Campaign
from hilctl.loop.box import WIDTH
from hilctl.recording.reader import open_recording
from hilctl.service.assemble import schema
from tests.system import forked
from tests.system.cli_parts import PATIENCE_S, serving

OLDER = Path(__file__).parent / "older" / "0.1.0.tar.xz"


def box(file, **changes):
    """A black box that a core saved, with no row."""
    facts = {"first": 0, "count": 0, "ring": 0, "ring_count": 0, "width": WIDTH, "hilctl": "0.0.9"}
    story = pickle.dumps(({"rig": "table-500", "schema": schema(), **changes}, [], [], []))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(json.dumps({**facts, "story": len(story)}).encode() + b"\n" + story)


@pytest.fixture(scope="module")
def older(tmp_path_factory):
    """Today's service on that state, to which a newer version has added something too."""
    folder = tmp_path_factory.mktemp("older")
    with tarfile.open(OLDER) as archive:
        archive.extractall(folder, filter="data")
    (folder / "recent" / "state").rename(folder / "state")
    state = folder / "state" / "hilctl" / "table-500"
    job = json.loads((state / "jobs" / "1.json").read_text())
    (state / "jobs" / "2.json").write_text(json.dumps({**job, "job": 2, "mood": "good"}))
    (state / "jobs" / "3.json").write_text(json.dumps({"job": 3, "lines": []}))
    box(state / "left" / "1a.box", schema="other channels")
    box(state / "left" / "2b.box", mood="good")
    with serving(folder, "--clock", "virtual") as (shell, _, log):
        yield shell, state, log


def test_the_journal_goes_on_where_the_older_version_ended(older):
    records = [json.loads(line) for line in older[0].said("params", "log", "--all", "--json").splitlines()]
    assert [one["number"] for one in records] == list(range(1, len(records) + 1))
    assert [one["origin"] for one in records[1:3]] == ["older", "until it trips"]
    assert records[-1]["kind"] == "start" and records[-1]["run"] != records[0]["run"]
    back = older[0].json("params", "diff", "3", str(records[-1]["number"]))["changed"]
    assert {"key": "law.blend_s", "old": 0.2, "new": 0.5} in back


def test_jobs_of_other_versions_are_listed_by_what_is_known_and_one_that_cannot_be_read_is_named(older):
    shell, state, log = older
    assert [job["job"] for job in shell.json("job", "list")] == [2, 1]
    assert "not in hold" in shell.said("job", "show", "1")
    told = next(line for line in log.read_text().splitlines() if str(state / "jobs" / "3.json") in line)
    assert f"of another version than hilctl {__version__}" in told and "delete the record" in told
    assert (state / "jobs" / "3.json").exists()


def test_a_recording_is_copied_shown_and_replayed(older):
    shell, state, _ = older
    path = state / "recordings" / "older.h5"
    assert [one["name"] for one in shell.json("recordings")] == ["older.h5"]
    shell.said("recordings", "--get", "older.h5", "--out", "copy.h5")
    assert (shell.folder / "copy.h5").read_bytes() == path.read_bytes()
    shell.said("report", "copy.h5")
    assert "table-500" in (shell.folder / "copy.html").read_text()
    with open_recording(path) as recording:
        rows = len(recording)
    assert f"{rows} rows" in shell.said("export", "copy.h5", "--csv")
    done = forked.run(["replay", "copy.h5", "--json"], shell.environment, shell.folder, PATIENCE_S)
    if done.returncode == 2:  # a later version has other channels
        assert "copy.h5: recorded with other channels" in done.stderr and "hilctl 0.1.0" in done.stderr
    else:
        assert json.loads(done.stdout)["ticks"] >= rows - 1


def test_a_recording_from_before_replays_is_shown_and_its_replay_refused_by_its_version(older):
    shell = older[0]
    shell.said("report", "before-journals/recordings/older.h5", "--out", "pages")
    assert (shell.folder / "pages" / "older.html").is_file()
    told = shell.refused("replay", "before-journals/recordings/older.h5", code=2)
    assert "older.h5: " in told and "hilctl 0.1.0" in told


def test_a_black_box_of_another_version_stays_and_is_named_with_the_version_that_packs_it(older):
    shell, state, _ = older
    told = {line for line in shell.said("events").splitlines() if "black_box_failed" in line}
    for name, why in (("1a.box", "its channels are not those"), ("2b.box", "holds more of its run")):
        line = next(one for one in told if name in one)
        assert why in line and f"was left by hilctl 0.0.9, this is {__version__}" in line
        assert "start hilctl 0.0.9 once" in line
        assert (state / "left" / name).exists()


@pytest.mark.slow
def test_results_make_their_pages(older):
    shell = older[0]
    shell.said("report", "before-journals/commission", "--out", "pages-commission")
    assert "machine.m" in (shell.folder / "pages-commission" / "report.html").read_text()
    shell.said("report", "before-journals/friction", "--out", "pages-friction")
    assert (shell.folder / "pages-friction" / "report.html").is_file()


def test_a_commissioning_that_an_older_version_began_is_not_mixed_with_todays(older):
    told = older[0].refused("commission", "table-500", "--twin", "--resume", "--out", "before-journals/commission")
    assert "course.json was begun by an older hilctl" in told and f"this is {__version__}" in told
    assert "only one of them knows the parameters law.adapt." in told and "begin a new commissioning" in told


def test_plans_of_another_format_are_refused_by_it(older):
    first = older[0].folder / "first"
    with pytest.raises(StoreError, match=r"friction/campaign\.json has format 1, this version of hilctl reads \d"):
        Campaign.resume(None, first / "friction")
    with pytest.raises(StoreError, match=r"dynamics/dynamics\.json has format 1, this version of hilctl reads \d"):
        Run.resume(None, first / "dynamics")
    told = older[0].refused("report", "first/dynamics", code=2)
    assert "study.json: Object missing required field" in told
    assert f"another version of hilctl than {__version__}" in told and "--again first/dynamics" in told
