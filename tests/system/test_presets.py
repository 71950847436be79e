"""Every rig file that comes with the program arms, follows a triangle and switches off on its twin, without a trip."""


import numpy as np
import pytest

from hilctl import rig as rigs
from hilctl import rig_file
from hilctl.law.motions import check_plan, plan
from hilctl.law.requests import RequestKind
from hilctl.loop import inprocess
from hilctl.loop.options import CoreOptions
from hilctl.signals import Mode
from tests.system.core_parts import ask, settled, until

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("name", sorted(rig_file.presets()))
def test_a_preset_arms_tracks_and_switches_off_without_a_trip(name):
    rig = rigs.load(name, twin=True)
    assert rig.name == name
    limits = rigs.motion_limits(rig.controller, rig.dt_s)
    share = 0.01 if rig.tables.law.feedback == "rig" else 0.4  # a loop of its own follows as late as it does
    speed, amplitude = share * limits.velocity_m_s, 0.5 * limits.x_max_m
    options = CoreOptions(rate_hz=1 / rig.dt_s, clock="virtual", service_timeout_s=0)
    link = inprocess.start(
        rig.settings(),
        driver=rig.driver,
        driver_config=rig.driver_config,
        facts=rig.facts(virtual=True),
        options=options,
    )
    try:
        until(link, lambda: link.status.tick >= 0)
        rows = [link.drain(10)]
        assert ask(link, RequestKind.ARM).refusal == 0
        until(link, lambda: settled(link, rows))
        assert link.status.mode == Mode.HOLD, link.status
        here = float(np.concatenate(rows)["xr_m"][-1])
        planned = plan("triangle", {"amplitude_m": amplitude, "speed_m_s": speed, "cycles": 3}, limits, here, 1)
        check_plan(planned, limits, rigs.flow(rig.controller, rig.friction))
        assert ask(link, RequestKind.TRACK, planned.motion).refusal == 0
        until(link, lambda: settled(link, rows))
        assert ask(link, RequestKind.OFF).refusal == 0
        until(link, lambda: settled(link, rows))
    finally:
        link.stop(20.0)
        link.close()
    samples = np.concatenate(rows)
    moving = samples[samples["motion"] == 1]
    assert not samples["trip"].any()
    assert np.ptp(moving["position_m"]) == pytest.approx(2 * amplitude, rel=0.05)
    assert np.std(moving["error_m"]) < 0.05 * amplitude
    assert samples["mode"][-1] == Mode.OFF
