"""`hilctl identify presliding` and `plant` as a person runs them: told, kept, and in force only where that is asked."""

import json
import shlex

import pytest

from hilctl.experiment.store import StoreError
from hilctl.identify.plant import fit_stored
from hilctl.identify.presliding import judge_stored
from tests.system.cli_parts import Shell, serving
from tests.system.service_parts import RIG

pytestmark = pytest.mark.timeout(300)

CURVE = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
BRISTLES = ["twin.friction.model=lugre", "twin.friction.s0=1e8", "twin.friction.s1=1e5"]
PATIENT = ["service.timeout_s=10", "service.lease_timeout_s=30"]  # with a client that computes
ONE_OF_MANY = [pytest.mark.slow, pytest.mark.many]
HEAVY = ["twin.machine.m=560", "twin.machine.Qn=4.3e-3"]


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A service of a rig that is not what its file says, armed, with a share of the inverse model."""
    words = (*BRISTLES, *HEAVY, *PATIENT, "--clock", "virtual")
    with serving(tmp_path_factory.mktemp("rig"), *words) as (shell, _, _):
        shell.said("arm")
        shell.said("set", "law.feed.inverse=0.5")
        yield shell


@pytest.mark.slow
def test_a_law_with_bristles_goes_in_while_the_inverse_model_is_out(running):
    table = {"model": "stribeck", **CURVE, "fc": 290}
    (running.folder / "curve.json").write_text(json.dumps({"fit": {"table": table}}))
    words = ("identify", "presliding", "--no-prepare", "--curve", "curve.json", "--out", "bent", "--apply")
    told = running.json(*words)
    assert (told["kind"], told["certain"], told["warnings"]) == ("lugre", True, [])
    assert told["parameters"]["s0"]["value"] == pytest.approx(1e8, rel=0.05)
    assert [list(one) for one in told["sets"]][::2] == [["law.feed.inverse"]] * 2
    in_force = running.json("get")
    assert in_force["law.feed.inverse"] == 0.5
    for key, value in told["sets"][1].items():
        assert in_force[key] == value
    assert (in_force["friction.model"], in_force["friction.fc"]) == ("lugre", 290.0)
    made = running.json("get", "--changes")["sets"][-3:]
    assert [one["epoch"] for one in made] == told["applied"]["epochs"]
    assert {one["origin"] for one in made} == {"identify presliding"}
    assert json.loads((running.folder / "bent/presliding.json").read_text()) == told
    again = judge_stored(running.folder / "bent").to_json()
    assert json.loads(json.dumps(again)) == {key: told[key] for key in again}, "without the rig"
    for _ in made:
        running.said("set", "--undo")
    assert running.json("get", "friction.model") == {"friction.model": "karnopp"}


def test_a_sliding_curve_goes_into_the_active_model_and_is_undone(running):
    running.said("set", "friction.fs=2500")
    speeds = ("0.01", "0.03", "0.06", "0.1", "0.2", "0.4")
    words = ("identify", "friction", "--no-prepare", "--budget", "40", "--out", "curve", "--apply")
    told = running.json(*words, "--speeds", *speeds)
    assert told["applied"]["epochs"] == [one["epoch"] for one in running.json("get", "--changes")["sets"][-3:]]
    assert [list(one) for one in told["sets"]][::2] == [["law.feed.inverse"]] * 2
    in_force = running.json("get")
    assert in_force["friction.fs"] == told["fit"]["table"]["fs"] == pytest.approx(3118, rel=0.02)
    assert (in_force["friction.model"], in_force["law.feed.inverse"]) == ("karnopp", 0.5)
    for _ in range(4):
        running.said("set", "--undo")
    assert running.json("get", "friction.fs") == {"friction.fs": 3118.0}


@pytest.mark.parametrize("words", [("identify", "plant"), ("commission",)])
def test_a_motion_that_runs_is_not_ended_unasked(running, words):
    moving = ("track", "sine", "--amplitude", "0.005", "--frequency", "1")
    if running.json("status")["mode"] == "hold":
        running.said(*moving)
    refused = running.refused(*words, "--out", "moving", code=1)
    assert "a motion runs, and is not ended unasked" in refused and "--takeover" in refused
    assert running.json("status")["mode"] == "track"
    running.said("stop")


def test_a_budget_that_is_too_short_is_refused_before_the_rig_is_prepared(running):
    epoch = running.json("status")["epoch"]
    refused = running.refused("identify", "presliding", "--budget", "1", "--out", "short", code=1)
    assert "a budget of 1 s is too short: each of 4 swings needs" in refused and "raise --budget" in refused
    assert running.json("status")["epoch"] == epoch, "zeroing the sensors would have been a set"


@pytest.mark.slow
def test_the_plant_is_told_in_a_table_and_goes_in_as_one_set(running):
    before = running.json("get")
    shown = running.said("identify", "plant", "--no-prepare", "--out", "heavy")
    after = running.json("get")
    assert {key for key in before if before[key] != after[key]} == set(), "nothing is set that nobody asked for"
    row = next(line for line in shown.splitlines() if "machine.m " in line)
    assert "500" in row and "[55" in row
    line = next(line for line in shown.splitlines() if line.strip().startswith("hilctl set"))
    assert "--origin 'identify plant'" in line
    running.said(*shlex.split(line)[1:])
    in_force = running.json("get")
    assert in_force["machine.m"] == pytest.approx(560, rel=0.01)
    assert in_force["machine.Qn"] == pytest.approx(4.3e-3, rel=0.01)
    told = json.loads((running.folder / "heavy/plant.json").read_text())
    assert {key: in_force[key] for key in told["sets"][0]} == told["sets"][0]
    without = json.loads(json.dumps(fit_stored(running.folder / "heavy").to_json()))
    assert without == {key: told[key] for key in without}, "without the rig"
    with pytest.raises(StoreError, match="holds the identification of the plant, not the reversal experiment"):
        judge_stored(running.folder / "heavy")
    again = running.json("identify", "plant", "--no-prepare", "--out", "again", "--apply")
    assert again["plant"]["machine.m"]["before"] == in_force["machine.m"]
    made = running.json("get", "--changes")["sets"][-1]
    assert ([made["epoch"]], made["origin"]) == (again["applied"]["epochs"], "identify plant")


def test_friction_that_jumps_is_told_from_a_private_twin_with_nothing_to_set(tmp_path):
    words = ("identify", "presliding", RIG, "--twin", "--no-prepare", "--budget", "40", "--out", "c")
    shown = Shell(tmp_path).said(*words)
    assert "friction: static" in shown
    assert "at least" in shown and "advice: compensate with the static model" in shown
    assert "nothing to set" in shown
    assert json.loads((tmp_path / "c/presliding.json").read_text())["applied"] is None


@pytest.mark.parametrize(
    ("what", "changes", "says"),
    [
        ("plant", ["twin.faults.sensor=acceleration", "twin.faults.sensor_stuck_after_s=6"], "sensors.acceleration"),
        pytest.param("plant", ["law.feedback=pid"], "law.feedback", marks=ONE_OF_MANY),
        pytest.param("presliding", ["twin.faults.emergency_stop_after_s=8"], "emergency stop is open",
                     marks=ONE_OF_MANY),
        pytest.param("presliding", ["twin.faults.sensor=acceleration", "twin.faults.sensor_stuck_after_s=8",
                                    "limits.stuck.window_s=50"], "is dead",
                     marks=ONE_OF_MANY),
    ],
    ids=["dead", "pid", "emergency", "silent"],
)
def test_what_is_wrong_with_the_rig_is_said_in_a_line(what, changes, says, tmp_path):
    refused = Shell(tmp_path).refused("identify", what, RIG, "--twin", "--no-prepare", "--set", *changes)
    assert says in refused
    assert not list(tmp_path.glob(f"out/*/{what}.json"))


@pytest.mark.parametrize("what", ["presliding", "plant"])
@pytest.mark.parametrize(
    ("words", "says"),
    [((RIG,), "--twin"), ((RIG, "--twin", "--apply"), "--apply is for a running rig"), (("--twin",), "needs RIG")],
)
def test_a_command_that_makes_no_sense_is_refused(what, words, says, tmp_path):
    assert says in Shell(tmp_path).refused("identify", what, *words, code=2)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not a JSON file"), ('{"fit": null, "fit_refused": "too few points"}', "too few points"),
        ('{"fc": 1.0, "fs": 2.0}', "the sliding curve needs"), ("[1]", "holds no sliding curve"),
    ],
)  # fmt: skip
def test_a_file_without_a_curve_is_refused_before_anything_starts(content, says, tmp_path):
    (tmp_path / "c.json").write_text(content)
    words = ("identify", "presliding", RIG, "--twin", "--curve", "c.json")
    assert says in Shell(tmp_path).refused(*words, code=2)
