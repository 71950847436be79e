"""The paper's experiment, driven through a private service of the simulated servo, and its study."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hilctl.client import Client, private_service
from hilctl.experiment.facts import read_facts
from hilctl.experiment.prepare import prepare
from hilctl.identify.dynamics.analyse import plant_of, study_of
from hilctl.identify.dynamics.study import Study
from hilctl.identify.frequency.drive import Run
from hilctl.identify.frequency.plan import Asked
from hilctl.papers.declaration import Tell


def driven(rig_file: str, tell: Tell) -> Study:
    """The study of the sweep and the step."""
    asked = Asked(excitations=("plant",))
    with (
        TemporaryDirectory(prefix="hilctl-paper-") as folder,
        private_service(rig_file) as service,
        Client(service.commands, name="paper") as rig,
    ):
        prepared = prepare(rig, tell=tell)
        facts = read_facts(rig)
        plant = plant_of(facts)
        run = Run.begin(rig, Path(folder), asked, facts, list(plant.legs(rig, facts)), prepared=prepared)
        for _ in run.drive():
            tell(f"{run.progress.name or 'driven'}, {run.progress.seconds_left:.0f} s of the rig's time left")
        experiments = run.experiments()
    return study_of(experiments, plant, facts, asked, rig=facts.rig, tell=tell)
