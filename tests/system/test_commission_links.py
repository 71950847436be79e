"""Commissioning on the real clock, over links that lose answers and answer late, with spikes and a host that stalls.

The same rig is commissioned over each bridge and, for comparison, as its own twin: the same rate, limits and registers'
resolution, as the preset says. What is found may differ by the intervals that are told.
"""

import math
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How
from hilctl.commission.sines import sizes_of
from hilctl.experiment.prepare import prepare
from hilctl.identify.distortion import measure
from hilctl.identify.friction import Campaign
from tests.system.emulate_parts import BRIDGES, driven
from tests.system.service_parts import core_of

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(900)]

SHORT = {"warm_up_s": 2.0, "speeds_m_s": (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.14, 0.17), "campaign_s": 45.0,
         "sines_hz": (1.0, 2.0)}  # fmt: skip
FRICTION, CURVE = ("fc", "fs", "vs", "sigma"), (287.0, 3118.0, 0.115, 3251.0)  # of the emulated rig
# The limits that tests of the bridges set otherwise, as the presets have them.
AS_SHIPPED = {"limits__velocity__max_m_s": 0.2, "limits__position__min_m": -0.08, "limits__position__max_m": 0.08}
# Sines of 20 mm at 2 Hz, and twice as much beyond them: a table that a stall of this host left behind hurries.
WITH_ROOM = {"limits__velocity__max_m_s": 0.4, "limits__position__min_m": -0.06, "limits__position__max_m": 0.06}
TWIN_PERCENT = 58.6  # of the distortion of such a sine, without a link
SLOW_PRESSURES = "mixed"  # they are read forty times a second, which shows friction and no plant
LOSSES = ("lose 400", "delay 0.005 1000")
SPIKES = ("spike displacement 0.002", "spike acceleration 5", "spike pressure_a 2e6")
SPIKE_S, STALL_EVERY_S, STALL_S = 10.0, 60.0, 0.015


@contextmanager
def disturbed(device, service) -> Iterator[None]:
    """What a link and a host do to a rig in the course of a day, in a few minutes."""
    over = threading.Event()

    def disturb() -> None:
        passed, core = 0.0, core_of(service)
        while not over.wait(SPIKE_S):
            device.tell(SPIKES[int(passed / SPIKE_S) % len(SPIKES)])
            passed += SPIKE_S
            if passed % STALL_EVERY_S == 0.0:
                os.kill(core, signal.SIGSTOP)
                over.wait(STALL_S)
                os.kill(core, signal.SIGCONT)

    for fault in LOSSES:
        device.tell(fault)
    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        device.tell("clear")


def quantities(told):
    """What was identified of machine and friction, by key."""
    machine = {key: one for key, one in (told.plant or {}).items() if one.identified and one.before is not None}
    friction = {key: one for key, one in told.fit.parameters.items() if one.identified}
    return machine | friction


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("transport", BRIDGES)
def test_a_rig_is_commissioned_over_a_link_that_loses_answers_as_its_twin_is(transport, tmp_path):
    with private_service(BRIDGES[transport]) as service, Client(service.commands) as rig:
        twin = Commissioning(rig, How(tmp_path / "twin", **SHORT)).run()
    with driven(transport, **AS_SHIPPED) as (device, service, rig), disturbed(device, service):
        work = Commissioning(rig, How(tmp_path / "rig", **SHORT))
        told = work.run()
        status = rig.status()
    slow = transport == SLOW_PRESSURES
    assert list(told.missing) == (["plant"] if slow else []) and told.losses
    assert (status["mode"], status["trip"]) == ("hold", None)
    found = quantities(told)
    wanted = {key: one.value for key, one in quantities(twin).items()} | dict(zip(FRICTION, CURVE, strict=True))
    both = found.keys() & wanted.keys()
    assert len(both) >= (3 if slow else 8)
    off = {key: (wanted[key], found[key]) for key in both
           if abs(found[key].value - wanted[key]) > 0.75 * (found[key].high - found[key].low)}  # fmt: skip
    factors = {key: (one.factor, twin.thd[key].factor) for key, one in told.thd.items()}
    print(transport, factors, off, told.losses)
    assert len(off) <= 0.1 * len(both), off
    for key, one in told.thd.items():
        warned = any(f"the sine of {key} Hz is distorted more than before" in text for text in told.warnings)
        assert (one.factor < 1.0) == warned


@pytest.mark.slow
def test_over_a_link_that_loses_answers_a_rig_is_prepared_and_measured(tmp_path):
    with driven("modbus-tcp", **WITH_ROOM) as (device, service, rig), disturbed(device, service):
        made = prepare(rig, warm_up_s=1.0)
        assert {one.sensor for one in made.zeroed} == {"acceleration", "pressure_a", "pressure_b"}
        campaign = Campaign.begin(rig, tmp_path / "friction", [0.02, 0.1], 6.0)
        measured = list(campaign.run())
        size = next(one for one in sizes_of(rig, (2.0,)))
        seen = measure(rig, size.frequency_hz, size.amplitude_m, cycles=4)
    assert [m.pair is not None for m in measured] == [True, True]
    for one in measured:
        fc, fs, vs, sigma, v = *CURVE, one.pair.speed_m_s
        assert one.pair.force_n == pytest.approx(fc + (fs - fc) * math.exp(-((v / vs) ** 2)) + sigma * v, rel=0.02)
        assert 0.0 < one.lost < 0.1
    assert seen.percent == pytest.approx(TWIN_PERCENT, rel=0.1)
