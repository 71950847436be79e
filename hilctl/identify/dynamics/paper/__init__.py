"""The paper's experiment (Zhao and Wang 2013) on a rig that closes its own loop, and its tables beside ours.

`ServoPlant` is such a rig in a study; `paper_of(study)` computes the figures of the paper's tables.
"""

from hilctl.identify.dynamics.paper.plant import SWEEP, ServoPlant
from hilctl.identify.dynamics.paper.tables import Paper, paper_of

__all__ = ["SWEEP", "Paper", "ServoPlant", "paper_of"]
