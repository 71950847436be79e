"""A friction law from points: mean speed, mean force, and how sure of it one is. Needs no rig.

    fit_friction(check_points(speed_m_s, force_n, sd_n)) -> FrictionFit
"""

from hilctl.identify.friction_fit.fit import fit_friction
from hilctl.identify.friction_fit.hybrid import Evolution
from hilctl.identify.friction_fit.points import BadPoints, Points, TooFewPoints, check_points
from hilctl.identify.friction_fit.ranges import PAPER, BadRanges, Ranges, check_ranges, ranges_for
from hilctl.identify.friction_fit.result import FrictionFit

__all__ = [
    "PAPER",
    "BadPoints",
    "BadRanges",
    "Evolution",
    "FrictionFit",
    "Points",
    "Ranges",
    "TooFewPoints",
    "check_points",
    "check_ranges",
    "fit_friction",
    "ranges_for",
]
