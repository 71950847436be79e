"""Friction before it slides: reversals driven under three-variable control, their mean cycle, and the friction model.

`identify_presliding` is the experiment as a client of the service, `judge` the same from cycles already measured.
"""

from hilctl.identify.presliding.faults import ReversalFault
from hilctl.identify.presliding.identify import identify_presliding
from hilctl.identify.presliding.judge import judge
from hilctl.identify.presliding.result import Presliding

__all__ = ["Presliding", "ReversalFault", "identify_presliding", "judge"]
