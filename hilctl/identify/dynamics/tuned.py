"""Gains for the machine that a study identified, as `hilctl tune --from` computes them."""

from collections.abc import Callable
from dataclasses import replace

from hilctl.design.known import from_study
from hilctl.design.result import Tuning
from hilctl.design.search import design
from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.study import Study
from hilctl.identify.dynamics.written import plain_study
from hilctl.params import BadValues


def with_tuning(study: Study, facts: Facts | None, tell: Callable[[str], None] = lambda text: None) -> Study:
    """The study with gains for its machine, or with a remark why there are none. Nothing is set.

    A rig that closes its own loop has no such gains.
    """
    feedback = "" if facts is None else str(facts["law.feedback"])
    if facts is None or feedback == "rig" or study.grey is None or study.grey.fit is None:
        return study
    try:
        known = from_study(facts.controller, plain_study(study), "this study")
        found = design(known, facts.friction, facts.dt_s, feedback, tell=tell)
    except BadValues as refused:
        return replace(study, remarks=(*study.remarks, f"no gains are proposed: {refused}"))
    return replace(study, tuning=Tuning(study.rig, known, found))
