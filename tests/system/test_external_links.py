"""External references on the real clock: over a link between client and service that is slow, and over one to the
device that loses answers while the host stalls."""

import math

import numpy as np
import pytest

from hilctl.bench.slow_link import slow_link
from hilctl.client import Client, private_service
from hilctl.client.external import External
from tests.system.emulate_parts import driven
from tests.system.service_parts import ARMS_FAST, LATE_HOST, RIG, arms
from tests.system.test_commission_links import disturbed

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]
H, SECONDS = 0.005, 6.0
T = np.arange(0.0, SECONDS, H)
RISE = np.clip(np.minimum(T, SECONDS - T), 0, 1)
SENT = 0.005 * np.sin(2 * math.pi * T) * RISE**4 * (35 + RISE * (-84 + RISE * (70 - 20 * RISE)))
AHEAD_S = 0.7


def led(rig):
    """The table along all of it, as far ahead as is kept; how the motion ended, its samples, and the least ahead."""
    rig.run("move", position_m=0.0)
    reference, sent, least_s = External(rig, interval_s=H, buffer_s=AHEAD_S), 0, math.inf
    while sent < len(SENT):
        more = max(round((AHEAD_S - reference.fed.ahead_s) / H), 1)
        fed = reference.feed(SENT[sent : sent + more])
        sent, least_s = fed.next, min(least_s, fed.ahead_s)
    reference.feed([], last=True)
    outcome = rig.wait(reference.motion)
    return outcome, rig.samples(reference.motion.first, outcome.last, ["xr_m", "error_m"]), least_s


@pytest.mark.slow
def test_over_a_slow_link_to_the_service_it_does_not_run_dry():
    with private_service(RIG, clock="real", changes={**ARMS_FAST, **LATE_HOST}) as service:
        with slow_link(service.commands, held_share=0.05) as link, Client(link.endpoint) as rig:
            assert arms(rig)
            outcome, rows, least_s = led(rig)
        assert link.held > 0
    assert outcome.why == "done"
    assert least_s > 0.0
    assert np.ptp(rows["xr_m"]) == pytest.approx(np.ptp(SENT), rel=0.01)


@pytest.mark.slow
def test_over_a_device_that_loses_answers_while_the_host_stalls_it_is_tracked():
    with driven("modbus-tcp") as (device, service, rig):
        rig.arm()
        with disturbed(device, service):
            outcome, rows, _ = led(rig)
        status = rig.status()
    assert (outcome.why, status["trip"]) == ("done", None)
    assert sum(status["link"]["errors"].values()) > 0
    assert np.sqrt(np.mean(rows["error_m"] ** 2)) < 0.1 * np.ptp(SENT)
