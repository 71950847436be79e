"""The kinds of rig that a study knows, and which of them a rig is."""

from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.paper.plant import ServoPlant
from hilctl.identify.dynamics.plant_kind import Plant
from hilctl.identify.dynamics.rig_plant import RigPlant


def plant_of(facts: Facts) -> Plant:
    """The kind of a rig, from its rig file: most have valve, cylinder and table, and close no loop of their own."""
    if facts.values.get("law.feedback") == "rig":
        return ServoPlant()
    return RigPlant()
