"""The kernel ends the core, or the service, for want of memory while the table moves: as if it had been killed."""

import pytest

from firmware_bridge.firmware.build import compiler
from firmware_bridge.serial_frame.messages import DeviceTrip, State
from tests.system.out_of_memory import killed_by_the_kernel, possible
from tests.system.serial_parts import TTL_TICKS, board, service_of, ticks_pass, tripped, under_way
from tests.system.service_parts import alive, core_of, until

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.fresh,
    pytest.mark.timeout(120),
    pytest.mark.skipif(compiler() is None, reason="needs a C compiler"),
    pytest.mark.skipif(not possible(), reason="no memory control group may be made here"),
]


@pytest.fixture
def moving():
    with board() as device, service_of(device) as (service, rig):
        under_way(rig, device)
        yield device, service


def test_a_core_that_the_kernel_ends_leaves_the_device_at_null_within_its_time_to_live(moving):
    device, service = moving
    killed_by_the_kernel(core_of(service))
    seen = tripped(device)
    assert seen["trip"] == DeviceTrip.TIME_TO_LIVE
    assert (seen["trip_tick"] - seen["good_tick"]) % 2**32 == seen["ttl_ticks"] == TTL_TICKS
    assert (seen["valve"], seen["enable"], seen["supply"]) == (0, 0, 0)
    ticks_pass(device, 2 * TTL_TICKS)
    assert device.seen()["state"] == State.TRIPPED


def test_a_service_that_the_kernel_ends_leaves_a_core_that_stops_the_table_and_switches_off(moving):
    device, service = moving
    core = core_of(service)
    killed_by_the_kernel(service.pid)
    until(lambda: not device.seen()["enable"], "the device switched off")
    assert device.seen()["trip"] == 0  # by the core, in order, and not by the device's own time-to-live
    assert device.seen()["valve"] == 0
    until(lambda: not alive(core), "the end of the core")
