"""On the real clock: blocks join without a gap or an overlap, in whichever rounds of the service they went out."""

from contextlib import closing
from itertools import islice, pairwise

import pytest

from hilctl.client import Client, private_service

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(120)]
_BLOCKS = 60


def test_blocks_join_whether_the_service_is_left_alone_or_asked_between_them():
    with private_service("table-500", clock="real") as service, Client(service.commands) as rig:
        with closing(rig.subscribe("block", timeout_s=30.0)) as telemetry:
            expected, ticks = None, []
            for k, block in enumerate(islice(telemetry, _BLOCKS)):
                assert expected in (None, block.first)
                expected = block.first + block.count
                ticks += block.columns["tick"].tolist()
                if k % 20 > 15:
                    assert rig.status()["history"]["end"] >= block.first
        assert all(after > before for before, after in pairwise(ticks))
