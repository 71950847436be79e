"""The grey box: the parameters of a physical model from records, and an honest account of what these can say.

See `identify`. No service is needed, and no rig.
"""

from hilctl.identify.dynamics.grey.chosen import chosen
from hilctl.identify.dynamics.grey.identify import identify
from hilctl.identify.dynamics.grey.model import CannotBe, Model, ServoModel
from hilctl.identify.dynamics.grey.parameters import Choice, Choices, Fixed, Free, Parameters, Tied, free_from
from hilctl.identify.dynamics.grey.record import Record
from hilctl.identify.dynamics.grey.result import Estimate, Fit, Flag, Invariant
from hilctl.identify.dynamics.grey.search import NoStart
from hilctl.identify.dynamics.grey.starts import NoMachine
from hilctl.identify.dynamics.grey.symmetry import Direction

__all__ = [
    "CannotBe",
    "Choice",
    "Choices",
    "Direction",
    "Estimate",
    "Fit",
    "Fixed",
    "Flag",
    "Free",
    "Invariant",
    "Model",
    "NoMachine",
    "NoStart",
    "Parameters",
    "Record",
    "ServoModel",
    "Tied",
    "chosen",
    "free_from",
    "identify",
]
