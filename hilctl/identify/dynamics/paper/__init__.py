"""The paper's experiment (Zhao and Wang 2013) on a rig that closes its own loop, and its tables beside ours.

`ServoPlant` is what a study knows of such a rig; `paper_of(study)` computes what the paper's tables hold.
"""

from hilctl.identify.dynamics.paper.plant import SWEEP, ServoPlant
from hilctl.identify.dynamics.paper.tables import Paper, paper_of

__all__ = ["SWEEP", "Paper", "ServoPlant", "paper_of"]
