"""Experiments on a rig in hold: planned, driven motion by motion, each motion stored when it is finished.

with Client() as rig:
    run = Run.begin(rig, "out/dynamics", Asked())
    for done in run.drive():
        print(run.progress)
    run.experiments()
"""

from hilctl.experiment.store import StoreError
from hilctl.identify.dynamics.experiment.asked import EXCITATIONS, Asked, Excitation
from hilctl.identify.dynamics.experiment.drive import DynamicsFault
from hilctl.identify.dynamics.experiment.planning import Leg, legs_of
from hilctl.identify.dynamics.experiment.room import room_of
from hilctl.identify.dynamics.experiment.running import Progress, Run
from hilctl.identify.dynamics.experiment.store import Header, Store

__all__ = [
    "EXCITATIONS", "Asked", "DynamicsFault", "Excitation", "Header", "Leg", "Progress", "Run", "Store", "StoreError",
    "legs_of", "room_of",
]  # fmt: skip
