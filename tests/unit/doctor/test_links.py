"""The adapters and the card that lie between the loop and this rig's devices."""

import ipaddress
import json

import pytest

from hilctl.doctor.ethtool import Coalescing, coalescing
from hilctl.doctor.finding import Tree
from hilctl.doctor.links import interface, network, serial
from hilctl.doctor.wish import devices
from tests.unit.doctor.host import TIMER, WISH, fill

ROUTES_6 = (
    "fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 "
    "00000400 00000001 00000000 00000001 eth2\n"
    "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 "
    "00000400 00000001 00000000 00000003 eth0"
)


@pytest.mark.parametrize(
    ("address", "card"),
    [("192.168.5.9", "eth1"), ("192.168.6.9", "eth0"), ("8.8.8.8", "eth0"), ("fd00::9", "eth2"), ("fd01::9", "eth0")],
)
@pytest.mark.parametrize("turned", [False, True])
def test_the_closest_route_names_the_card_wherever_it_stands(address, card, turned, tmp_path):
    tree = fill(tmp_path, {"proc/net/ipv6_route": ROUTES_6})
    if turned:
        for name in ("proc/net/route", "proc/net/ipv6_route"):
            lines = (tmp_path / name).read_text().splitlines()
            head = lines[:1] if name.endswith("/route") else []
            (tmp_path / name).write_text("\n".join([*head, *reversed(lines[len(head):])]))
    assert interface(tree, ipaddress.ip_address(address)) == card


def test_no_route_and_no_name_are_unknown_and_this_host_needs_no_card(tmp_path):
    nothing = Tree(tmp_path)
    assert "no route leads to 192.168.5.9" in network(nothing, WISH, lambda card: None).found
    nameless = network(nothing, WISH._replace(hosts=("no-such-host.invalid",)), lambda card: None)
    assert nameless.verdict == "unknown" and "no address" in nameless.found
    assert network(nothing, WISH._replace(hosts=("127.0.0.1", "::1")), lambda card: None).verdict == "good"


def test_what_a_card_may_hold_back_follows_the_rate(tmp_path):
    tree = fill(tmp_path)
    for rate_hz, verdict in ((1000.0, "good"), (2000.0, "better"), (20_000.0, "bad")):
        wish = WISH._replace(rate_hz=rate_hz)
        assert network(tree, wish, lambda card: Coalescing(90, 1, False)).verdict == verdict


def test_this_hosts_own_cards_are_asked_without_an_error():
    assert coalescing("lo") is None
    assert coalescing("no-such-card-here") is None


def test_an_adapter_is_found_behind_its_lasting_name_and_a_line_of_the_board_has_no_timer(tmp_path):
    found = serial(fill(tmp_path, {TIMER: "16"}), WISH)
    assert [write.path for write in found.writes] == [f"/{TIMER}"]
    (tmp_path / "dev/ttyS0").write_text("")
    assert serial(Tree(tmp_path), WISH._replace(ports=("/dev/ttyS0",))).verdict == "good"


def test_the_devices_of_a_driver_are_found_in_any_table():
    table = json.loads("""{"amplifier": {"transport": "tcp", "host": "10.0.0.9", "port": 502, "serial": ""},
        "transducers": {"transport": "rtu", "host": "ignored", "serial": "/dev/ttyUSB0"},
        "parts": {"gauge": {"port": "/dev/ttyUSB1", "name": "serial"}, "second": {"port": "/dev/ttyUSB1"}}}""")
    assert devices(table) == (("/dev/ttyUSB0", "/dev/ttyUSB1"), ("10.0.0.9",))
