"""Friction in steady sliding: from constant speeds in both directions to a static friction model.

In comes a rig in hold, or points (speed, force, standard error) from elsewhere; out comes a friction model with
intervals, the reason for it, and flags for what the points do not show.

    with Client() as rig:
        campaign = Campaign.begin(rig, "out/friction")
        for measured in campaign.run():
            print(campaign.progress)
        law = fit_friction(points_of(campaign))

plan       which triangles, one a speed
campaign   drives them, and keeps each in the folder
estimate   windows of constant speed, points of the curve, the mass that the corners show
judge      which windows count, which model the points ask for, how sure its parameters are
model      the curve, and the models that are held against it
fit        the least squares: variable projection, and the hybrid genetic algorithm beside it
"""

from hilctl.identify.friction.campaign import Campaign, Progress
from hilctl.identify.friction.estimate_speed import Measured
from hilctl.identify.friction.estimate_windows import Window
from hilctl.identify.friction.fit import fit_friction
from hilctl.identify.friction.fit_genetic import Evolution
from hilctl.identify.friction.fit_points import BadPoints, Points, TooFewPoints, check_points
from hilctl.identify.friction.model_ranges import PAPER, BadRanges, Ranges, check_ranges, ranges_for
from hilctl.identify.friction.plan import BUDGET_S, CannotPlan, Leg, Plan, log_spaced, plan
from hilctl.identify.friction.report import Signed, campaign_of, identified, points_of, signed, table
from hilctl.identify.friction.result import FrictionFit

__all__ = [
    "BUDGET_S", "PAPER", "BadPoints", "BadRanges", "Campaign", "CannotPlan", "Evolution", "FrictionFit", "Leg",
    "Measured", "Plan", "Points", "Progress", "Ranges", "Signed", "TooFewPoints", "Window", "campaign_of",
    "check_points", "check_ranges", "fit_friction", "identified", "log_spaced", "plan", "points_of", "ranges_for",
    "signed", "table",
]  # fmt: skip
