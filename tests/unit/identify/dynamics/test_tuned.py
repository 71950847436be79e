"""A study proposes gains for the machine that it has identified, and says why where there are none."""

import json
from dataclasses import replace

import pytest

from hilctl.design.margins import Wanted
from hilctl.design.predict import predict, with_gains
from hilctl.design.search import Design
from hilctl.identify.dynamics import tuned
from hilctl.identify.dynamics.study import Study
from hilctl.identify.dynamics.written import plain_study
from hilctl.params import BadValues, Problem
from hilctl.report.dynamics.page import page
from tests.unit.design.test_design import facts_of
from tests.unit.report.conftest import study as paper_study  # noqa: F401, a fixture
from tests.unit.report.test_dynamics import words

GAINS = {"law.three_state.kd_per_m": 17.0}
VALVE = {"ws": "machine.wv", "xis": "machine.zv"}  # of the paper's servo, which is the reference rig's


@pytest.fixture
def study(paper_study):  # noqa: F811
    return replace(paper_study, grey=replace(paper_study.grey, keys=VALVE))


def test_what_was_identified_is_tuned_for_and_told(study, monkeypatch):
    seen = []

    def design(known, friction, dt_s, feedback, tell):
        seen.append(known)
        now = predict(with_gains(known, GAINS), friction, dt_s, feedback)
        return Design(feedback, GAINS, Wanted(), now, now, ("nominal",))

    monkeypatch.setattr(tuned, "design", design)
    made = tuned.with_tuning(study, facts_of())
    wv = study.grey.fit.estimate("ws")
    assert seen[0].spread["wv"] == (wv.low, wv.high)
    assert seen[0].controller.machine.wv == wv.value
    assert seen[0].assumed == ("m", "beta")
    told = json.loads(json.dumps(plain_study(made)))["tuning"]
    assert told["values"] == GAINS
    assert told["predicted"]["worst"]["modulus"] > 0.4
    said = words(page(made))
    for part in ("law.three_state.kd_per_m 17", "Proposed, not set", "crossover hz", "minus 3 db hz"):
        assert part in said, part
    assert study.tuning is None and plain_study(study)["tuning"] is None


def test_gains_that_cannot_be_had_are_a_remark(study, monkeypatch):
    def design(*given, **more):
        raise BadValues([Problem("law.three_state", "the best gains found", "gain margin 2 dB", "know more")])

    monkeypatch.setattr(tuned, "design", design)
    made = tuned.with_tuning(study, facts_of())
    assert made.tuning is None
    assert made.remarks[-1].startswith("no gains are proposed: law.three_state: 'the best gains found' refused")


def test_where_there_is_no_machine_or_no_loop_of_ours_nothing_is_computed(study):
    nothing = Study(rig="bare", rate_hz=1.0, made="", command="", experiments=())
    assert tuned.with_tuning(nothing, facts_of()) is nothing
    assert tuned.with_tuning(study, None) is study
    facts = facts_of()
    own = type(facts)(facts.rig, facts.rate_hz, 1, {**facts.values, "law.feedback": "rig"})
    assert tuned.with_tuning(study, own) is study
