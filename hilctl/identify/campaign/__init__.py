"""The measurement of friction: constant speeds, both directions, one triangle a speed.

with Client() as rig:
    campaign = Campaign.begin(rig, "out/friction")
    for measured in campaign.run():
        print(campaign.progress)
    law = fit_friction(check_points(*signed(campaign.store.finished())))
"""

from hilctl.experiment.facts import Facts, read_facts
from hilctl.experiment.store import StoreError
from hilctl.identify.campaign.faults import CampaignFault
from hilctl.identify.campaign.planning import BUDGET_S, CannotPlan, Leg, Plan, log_spaced, plan
from hilctl.identify.campaign.report import Signed, as_object, campaign_of, signed, table
from hilctl.identify.campaign.running import Campaign, Progress, again, remarks_of
from hilctl.identify.campaign.store import Header, Measured, Store
from hilctl.identify.campaign.windows import Window

__all__ = [
    "BUDGET_S", "Campaign", "CampaignFault", "CannotPlan", "Facts", "Header", "Leg", "Measured", "Plan", "Progress",
    "Signed", "Store", "StoreError", "Window", "again", "as_object", "campaign_of", "log_spaced", "plan", "read_facts",
    "remarks_of", "signed", "table",
]  # fmt: skip
