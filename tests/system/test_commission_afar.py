"""A commissioning from another machine: over a link that is slow, and holds segments back, it finds the same."""

import pytest

from hilctl.bench.slow_link import slow_link
from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
SHORT = {"warm_up_s": 1.0, "speeds_m_s": (0.005, 0.02, 0.1, 0.3, 0.6), "campaign_s": 20.0, "sines_hz": (1.0,)}
LINK = {"delay_s": 0.02, "held_share": 0.01, "held_s": 0.2}  # of each way; segments of 1400 bytes


def commissioned(folder, afar):
    with private_service("table-500", changes={"twin.seed": 3}) as service, \
            slow_link(service.commands, **LINK) as link:  # fmt: skip
        with Client(link.endpoint if afar else service.commands) as rig:
            told = Commissioning(rig, How(folder, **SHORT)).run()
        return told, link.held


def test_over_a_slow_link_a_commissioning_finds_what_it_finds_on_the_rigs_computer(tmp_path):
    near, _ = commissioned(tmp_path / "near", afar=False)
    far, held = commissioned(tmp_path / "far", afar=True)
    assert held > 10
    assert far.complete and far.failed is None
    for key, one in near.fit.parameters.items():
        assert far.fit.parameters[key].value == one.value, key
    for key, one in near.plant.items():
        assert far.plant[key].value == one.value, key
    assert far.thd["1"].factor == near.thd["1"].factor > 4.0
