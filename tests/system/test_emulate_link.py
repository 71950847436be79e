"""A device that trips, goes and comes back: the host says so, connects again, and only a person arms again."""

import socket
import statistics
import struct
import time

import pytest

from hilctl.client import Refused
from tests.system.emulate_parts import Emulation, driven
from tests.system.service_parts import arms, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(120)]
SLOW = pytest.mark.slow
ONE_OF_MANY = [SLOW, pytest.mark.many]

LOST = [
    pytest.param("modbus-tcp", "unplug 0.3", id="modbus-tcp: 16, 17 unplugged and plugged again"),
    pytest.param("modbus-tcp", "close", id="modbus-tcp: 16 cut", marks=ONE_OF_MANY),
    pytest.param("modbus-tcp", "half_open", id="modbus-tcp: 15 half-open", marks=ONE_OF_MANY),
    pytest.param("modbus-tcp", "reboot", id="modbus-tcp: 29 reboot", marks=ONE_OF_MANY),
    pytest.param("modbus-rtu", "unplug 0.3", id="modbus-rtu: 16, 17 unplugged and plugged again", marks=ONE_OF_MANY),
    pytest.param("text", "unplug 0.3", id="text: 16, 17 unplugged and plugged again", marks=ONE_OF_MANY),
    pytest.param("text", "half_open", id="text: 15 half-open", marks=ONE_OF_MANY),
    pytest.param("text", "reboot", id="text: 29 reboot", marks=ONE_OF_MANY),
    pytest.param("serial", "unplug 0.3", id="serial: 16, 17 unplugged and plugged again", marks=ONE_OF_MANY),
    pytest.param("serial", "reboot", id="serial: 29 reboot", marks=ONE_OF_MANY),
]


def reset(rig):
    """Whether a person's reset is taken; refused until the last of the fault has been seen to go."""
    try:
        rig.reset()
    except Refused:
        return False
    return True


def reconnected(rig):
    """Whether the link is open again; refused until the device is there."""
    try:
        return rig.reconnect()["state"] == "open"
    except Refused:
        return False


@pytest.mark.parametrize(("transport", "told"), LOST)
def test_a_device_that_is_lost_trips_and_comes_back_by_a_new_handshake_but_not_armed(transport, told):
    with driven(transport) as (device, _, rig):
        until(lambda: arms(rig), "arming")
        rig.track("sine", amplitude_m=0.005, frequency_hz=2.0, cycles=1000)
        device.tell(told)
        trip = until(lambda: rig.status()["trip"], "the trip")
        assert trip["name"] in {"driver", "supply_pressure", "tracking_error"}, trip
        assert rig.wait_mode("off").mode == "off"
        until(lambda: (link := rig.status()["link"])["state"] != "open" or link["reconnects"] > 0, "the link, lost")
        device.tell("clear")
        until(lambda: rig.status()["link"]["reconnects"] > 0, "the link, reconnected")
        assert rig.status()["mode"] == "off" and not device.seen["enable"]
        until(lambda: arms(rig), "arming by a person")
        core = rig.status()["core"]
        assert core["ran"] + core["missed"] == core["due"]


@pytest.mark.parametrize("transport", ["modbus-tcp", pytest.param("modbus-rtu", marks=SLOW),
                                       pytest.param("text", marks=SLOW)])  # fmt: skip
def test_a_devices_own_trip_is_reset_by_who_arms_again_and_by_nothing_before(transport):
    with driven(transport) as (device, _, rig):
        until(lambda: arms(rig), "arming")
        device.tell("watchdog")
        until(lambda: rig.status()["trip"], "the trip")
        until(lambda: rig.status()["mode"] == "off", "off")  # a stall of this host may stop it first
        until(lambda: not device.seen["enable"], "the device's null")
        assert device.seen["trip"] == "time_to_live"
        until(lambda: reset(rig), "the reset")
        assert device.seen["trip"] == "time_to_live"
        until(lambda: arms(rig), "arming by a person")
        assert device.seen["trip"] == "none"


@pytest.mark.slow
def test_a_link_is_opened_again_on_request_and_what_fails_is_answered():
    with driven("modbus-tcp") as (device, _, rig):
        until(lambda: arms(rig), "arming")
        with pytest.raises(Refused, match="`hilctl off` first"):
            rig.reconnect()
        rig.off()
        before = rig.status()["link"]["reconnects"]
        link = rig.reconnect()  # of a link that is open
        assert (link["state"], link["reconnects"]) == ("open", before + 1)
        lost = [event for event in rig.events() if event["kind"] == "link_lost"][-1]
        assert lost["asked"] and not [alarm for alarm in rig.alarms() if alarm["kind"] == "link_lost"]
        until(lambda: arms(rig), "arming by a person")
        rig.off()
        device.tell("unplug 6")
        until(lambda: rig.status()["link"]["state"] == "reconnecting", "the link, lost")
        with pytest.raises(Refused, match="the link to the device could not be opened"):
            rig.reconnect()
        until(lambda: rig.status()["link"]["state"] == "open" or reconnected(rig), "the link, again")
        assert rig.status()["mode"] == "off"


def _answered_s(line, *transactions):
    """How long until all these requests, sent one after another, are answered."""
    begun_s, heard = time.perf_counter(), b""
    for number in transactions:
        line.sendall(struct.pack(">HHHBBHH", number, 0, 6, 1, 3, 10, 2))
    while len(heard) < 13 * len(transactions):
        heard += line.recv(4096)
    assert [struct.unpack_from(">H", heard, 13 * k)[0] for k in range(len(transactions))] == list(transactions)
    return time.perf_counter() - begun_s


def test_of_two_requests_at_once_the_second_waits_for_no_third():
    with Emulation("modbus-tcp") as device, socket.create_connection(("127.0.0.1", device.port), timeout=5) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        one, two = [], []
        for number in range(0, 3000, 30):  # the other end delays its acknowledgements in between
            one += [_answered_s(line, number + k) for k in range(20)]
            two.append(_answered_s(line, number + 20, number + 21))
        assert statistics.mean(two) < 20 * statistics.median(one)  # every tenth waits for an acknowledgement, 400 times
