"""Friction before it slides: reversals driven under three-variable control, their mean cycle, and the friction model.

`identify_presliding` is the experiment as a client of the service, `judge` the same from cycles already measured.
"""

from hilctl.identify.presliding.judge import WORK, identify_presliding, judge, judge_stored
from hilctl.identify.presliding.judge_told import Presliding

__all__ = ["WORK", "Presliding", "identify_presliding", "judge", "judge_stored"]
