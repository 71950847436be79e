"""The presets with a link, as twins whose link loses exchanges: triangles stay below limits.velocity."""

import numpy as np
import pytest

from hilctl.client import Client, private_service

LOSSES = {"twin.link.lost": 0.0125, "twin.link.lost_ticks": 3}
COUNT, LIMIT_M_S = 20, 0.2


def fastest_m_s(preset, speed_m_s, **changes):
    """Of so many triangles, without the limit that would end one."""
    wide = {"limits.velocity.max_m_s": 0.5, "loop.time_to_live_s": 0.04}
    with private_service(preset, changes={**LOSSES, **wide, **changes}) as service, Client(service.commands) as rig:
        rig.arm()
        most = []
        for _ in range(COUNT):
            motion = rig.track("triangle", amplitude_m=0.025, speed_m_s=speed_m_s, cycles=3)
            rows = rig.samples(motion.first, rig.wait(motion).last, ["velocity_m_s"])
            most.append(np.nanmax(np.abs(rows["velocity_m_s"])))
        assert rig.status()["trip"] is None
    return max(most)


@pytest.mark.parametrize("preset", ["table-500-modbus", "table-500-serial", "table-500-mixed", "table-500-rtu"])
def test_the_fastest_speed_of_a_campaign_leaves_room_for_losses(preset):
    sharp = fastest_m_s(preset, 0.17, **{"limits.shaping.corner_s": 0.02})
    assert fastest_m_s(preset, 0.17) < 0.95 * LIMIT_M_S < LIMIT_M_S < sharp
