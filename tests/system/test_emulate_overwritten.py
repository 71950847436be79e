"""Somebody else commands the same device, or it is no longer the one that was armed: the rig trips, and says why."""


import pytest
from pymodbus.client import ModbusTcpClient

from hilctl.client import Refused
from hilctl.client.status_text import link_text
from tests.system.emulate_parts import driven
from tests.system.service_parts import link_events, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

VALVE, UNIT = 0, 1


def armed(rig):
    """In hold, as soon as a host that stalls lets it."""

    def tried():
        try:
            rig.arm()
        except Refused:
            rig.wait_mode("off")
            if rig.status()["trip"] is not None:
                rig.reset()
            return False
        return True

    until(tried, "arming")


def test_a_second_master_that_goes_on_writing_the_valve_while_the_rig_tracks_trips_it():
    with driven("modbus-tcp") as (device, _, rig):
        armed(rig)
        motion = rig.track("sine", amplitude_m=0.005, frequency_hz=2.0, cycles=1000)
        other = ModbusTcpClient("127.0.0.1", port=device.port, timeout=2.0, retries=0)
        assert other.connect()
        try:
            for k in range(3000):  # on a host that gives it few turns a second, more of them
                assert not other.write_registers(VALVE, [3000 if k % 2 else 62000], device_id=UNIT).isError()
                if k % 60 == 59 and rig.status()["trip"]:
                    break
        finally:
            other.close()
        assert rig.wait(motion).trip == "overwritten"
        assert rig.wait_mode("off").mode == "off"
        status = until(lambda: (s := rig.status())["link"]["detail"].get("overwritten") and s, "the driver's count")
        assert status["trip"]["key"] == "limits.overwritten"
        assert status["link"]["errors"]["overwritten"] >= 3
        assert "valve held" in status["link"]["detail"]["overwritten"]
        assert f"{status['link']['errors']['overwritten']} overwritten" in link_text(status["link"])


def test_a_device_that_reboots_on_its_line_while_the_rig_holds_is_off_and_reached_anew_and_armed_by_a_person():
    """On a serial line nothing is unplugged: before, the next command enabled it again as if nothing had been."""
    with driven("modbus-rtu") as (device, _, rig):
        armed(rig)
        boots = device.seen["boots"]
        device.tell("reboot")
        assert device.seen["boots"] == boots + 1
        status = until(lambda: (s := rig.status())["trip"] and s, "the trip")
        assert status["trip"]["name"] in {"driver", "overwritten"}
        rig.wait_mode("off")
        back = until(lambda: (s := rig.status())["link"]["reconnects"] and s, "the link")
        assert (back["mode"], device.seen["enable"], device.seen["supply"]) == ("off", 0, 0)
        (lost, *_) = [event for event in link_events(rig) if event["kind"] == "link_lost"]
        assert "rebooted" in lost["reason"]
        armed(rig)
        assert device.seen["enable"] == 1
