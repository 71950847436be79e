"""How far work on a rig is: by the rig time of its stages, forward only."""

from pathlib import Path

import pytest

from hilctl.cli.identify_dynamics_stages import EVALUATING_S, Study
from hilctl.experiment.stages import Stages

ROOT = Path(__file__).parents[3]


@pytest.fixture
def told():
    return []


def test_what_is_done_counts_by_the_time_that_it_takes(told):
    work = Stages({"preparing": 20.0, "driving": 60.0, "judging": 0.0}, lambda text, now: told.append((text, *now)))
    work.say("arming")
    work.begin("driving")
    work.say("leg 2", 0.5)
    work.say("leg 2, again")
    work.begin("judging", "comparing")
    assert told == [
        ("arming", 0.0, 80.0), ("driving", 0.25, 60.0), ("leg 2", 0.625, 30.0), ("leg 2, again", 0.625, 30.0),
        ("comparing", 1.0, 0.0),
    ]  # fmt: skip


def test_a_stage_that_is_planned_on_the_way_changes_what_is_left(told):
    work = Stages({"preparing": 20.0, "driving": 60.0}, lambda text, now: told.append(now))
    work.expect("driving", 180.0)
    work.begin("driving")
    assert told == [(0.1, 180.0)]


def test_a_study_counts_motions_by_their_time_and_then_what_is_evaluated(told):
    work = Study(25.0, lambda text, now: told.append((text, *now)))
    work.hear("zeroing acceleration")
    work.hear("multisine, 100 s", seconds_left=100.0, motion="multisine")
    work.hear("sweep, 25 s", seconds_left=25.0)
    for stage in EVALUATING_S:
        work.hear(f"{stage}, more")
    evaluated_s = sum(EVALUATING_S.values())
    assert told[1][2] == 100.0 + evaluated_s
    assert told[2][2] == 25.0 + evaluated_s
    shares = [share for _, share, _ in told]
    assert shares[1:] == sorted(shares[1:])
    assert told[-1][2] == EVALUATING_S["writing"]


def test_recordings_are_only_evaluated(told):
    Study(None, lambda text, now: told.append(now)).hear("reading bench.csv")
    assert told == [(0.0, sum(EVALUATING_S.values()))]


@pytest.mark.parametrize("stage", EVALUATING_S)
def test_the_stages_of_a_study_are_those_that_it_announces(stage):
    files = [ROOT / "hilctl" / "cli" / "identify_dynamics.py", ROOT / "hilctl" / "design" / "search.py"]
    sources = "".join(path.read_text() for path in [*files, *(ROOT / "hilctl/identify/dynamics").glob("*.py")])
    assert f'tell("{stage}' in sources or f'tell(f"{stage}' in sources


def test_a_stage_that_turns_out_longer_takes_nothing_back():
    told = []
    stages = Stages({"one": 10.0, "two": 10.0}, lambda text, now: told.append(now.fraction))
    stages.begin("one")
    stages.begin("two")
    stages.expect("two", 90.0)
    stages.say("half", 0.5)
    assert told == [0.0, 0.5, 0.55]
    stages.expect("two", 190.0)
    stages.say("still", 0.5)
    assert told[-1] == 0.55
