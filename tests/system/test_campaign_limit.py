"""Speeds that the table would overshoot beyond its limit are left out of a campaign, instead of a trip at its end."""

import pytest

from hilctl.client import Client, private_service
from hilctl.experiment.drive import holds
from hilctl.identify.friction.campaign import Campaign
from hilctl.identify.friction.report import campaign_of
from tests.system.test_valves_links import a_valve


@pytest.mark.parametrize(("overlap", "all_of_them"), [(0.0, True), (0.05, False)])
def test_it_ends_below_the_limit_says_what_is_left_out_and_says_the_same_when_it_is_opened_again(
    overlap, all_of_them, tmp_path
):
    changes = a_valve(overlap, 0.0)
    with private_service("table-500-modbus", changes=changes) as service, Client(service.commands) as rig:
        rig.arm()
        campaign = Campaign.begin(rig, tmp_path)
        driven = list(campaign.run())
        assert holds(rig)
    told = campaign_of(campaign)
    assert told.complete and told.speeds.finished == len(driven)
    assert (told.speeds.finished == told.speeds.planned) == all_of_them
    said = [remark for remark in told.remarks if "left out: behind its corners the table was up to" in remark]
    assert bool(said) != all_of_them
    assert all("0.16 m/s" in remark and "limits.velocity.max_m_s = 0.2 m/s" in remark for remark in said)
    assert campaign_of(Campaign.resume(None, tmp_path)) == told
