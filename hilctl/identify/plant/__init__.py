"""The machine: moving mass, flow gain, oil, leakage, valve and delays, from sines and chirps."""

from hilctl.identify.plant.judge import WORK, fit_plant, fit_stored, identify_plant
from hilctl.identify.plant.judge_told import PlantFit

__all__ = ["WORK", "PlantFit", "fit_plant", "fit_stored", "identify_plant"]
