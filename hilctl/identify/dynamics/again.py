"""A stored study evaluated again from its motions: a page needs the samples, which its JSON file leaves out."""

from dataclasses import replace
from pathlib import Path

from hilctl.errors import WrongUse
from hilctl.identify.dynamics.analyse import plant_of, study_of
from hilctl.identify.dynamics.study import Study
from hilctl.identify.dynamics.tuned import with_tuning
from hilctl.identify.dynamics.written import told
from hilctl.identify.frequency.drive import PLAN, Run
from hilctl.results.dynamics import Study as Stored


def again(folder: Path, stored: Stored) -> Study:
    """The study of the motions in this folder. WrongUse if they are not there."""
    if not (folder / PLAN).is_file():
        raise WrongUse(
            f"{folder}: the samples of this study are not in its folder, so that nothing can be drawn; run it again: "
            f"`{stored.command}`"
        )
    run = Run.resume(None, folder)
    made = judged(run, stored.command)
    if stored.tuning is not None:
        made = with_tuning(made, run.header.facts, lambda *_, **__: None)
    return replace(made, made=stored.made)


def judged(run: Run, command: str) -> Study:
    """The study of the motions that were driven, as it was asked for then."""
    header = run.header
    return study_of(
        run.experiments(), plant_of(header.facts), header.facts, header.asked, rig=header.facts.rig, command=command
    )


def agrees(study: Study, stored: Stored) -> bool:
    """Whether they hold the same responses and the same parameters."""
    now = told(study)
    return now.responses == stored.responses and now.parameters == stored.parameters
