"""Recordings from elsewhere, and ours: read, named and brought to SI, so that a study takes them like its own.

foreign = read_record("bench.csv", {"displacement": "Weg [mm]"})
experiment_of(foreign)
"""

from hilctl.identify.dynamics.intake.foreign import Foreign, IntakeFault, experiment_of
from hilctl.identify.dynamics.intake.reading import read_record

__all__ = ["Foreign", "IntakeFault", "experiment_of", "read_record"]
