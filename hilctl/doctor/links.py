"""What stands between the loop and the devices of this rig's driver: serial adapters and network cards."""

import ipaddress
import socket
from collections.abc import Callable

from hilctl.doctor.ethtool import Coalescing
from hilctl.doctor.finding import Finding, Tree, Wish, Write

_TIMER_MS = 1  # the shortest that FTDI's chips have
_SHARE = 0.1  # of a period that a card may hold a frame back
Ask = Callable[[str], Coalescing | None]


def serial(tree: Tree, wish: Wish) -> Finding:
    """An FTDI adapter collects what it receives for 16 ms unless it is set otherwise."""
    wanted = f"a latency timer of {_TIMER_MS} ms in each USB adapter"
    if not wish.ports:
        return Finding("serial adapters", "good", "this rig has none", wanted)
    gone, slow, told = [], [], []
    for port in wish.ports:
        real = tree.target(port)
        if real is None:
            gone.append(port)
            continue
        path = f"/sys/bus/usb-serial/devices/{real.rpartition('/')[2]}/latency_timer"
        timer_ms = tree.number(path)
        told.append(f"{port} {'has no latency timer' if timer_ms is None else f'{timer_ms} ms'}")
        if timer_ms is not None and timer_ms > _TIMER_MS:
            slow.append(Write(path, str(_TIMER_MS)))
    if slow:
        how = f"{slow[0].command}; for good: deploy/udev/60-hilctl.rules"
        return Finding("serial adapters", "better", ", ".join(told), wanted, how, tuple(slow))
    if gone:
        how = "plug the device in, or name its port in the rig file's [driver]; see /dev/serial/by-id"
        return Finding("serial adapters", "unknown", f"not there: {', '.join(gone)}", wanted, how)
    return Finding("serial adapters", "good", ", ".join(told), wanted)


def network(tree: Tree, wish: Wish, ask: Ask) -> Finding:
    """A card that waits for more frames before it interrupts delays each answer by as much."""
    longest_us = _SHARE * wish.period_us
    wanted = f"received frames held back for at most {longest_us:g} µs, a tenth of a period"
    if not wish.hosts:
        return Finding("network card", "good", "this rig's driver uses none", wanted)
    told, unknown = [], []
    for host in wish.hosts:
        address = _address(host)
        if address is None:
            unknown.append(f"{host} has no address: check its name, or the name server")
            continue
        if address.is_loopback:
            told.append(f"{host} is this host")
            continue
        card = interface(tree, address)
        if not card:
            unknown.append(f"no route leads to {host}: see `ip route`")
            continue
        found = ask(card)
        if found is None:
            unknown.append(f"{card}, which leads to {host}, does not report it")
            continue
        text = f"{card}, which leads to {host}: rx-usecs {found.rx_us}" + ", adaptive" * found.adaptive
        if found.rx_us > longest_us or found.adaptive:
            how = f"ethtool -C {card} adaptive-rx off rx-usecs 0"
            return Finding("network card", "bad" if found.rx_us >= wish.period_us else "better", text, wanted, how)
        told.append(text)
    if unknown:
        return Finding("network card", "unknown", "; ".join(unknown), wanted)
    return Finding("network card", "good", "; ".join(told), wanted)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.ip_address(socket.getaddrinfo(host, None)[0][4][0])
    except (OSError, UnicodeError, ValueError):
        return None


def interface(tree: Tree, address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    """The card of the closest route to an address; empty where there is none."""
    best, found = -1, ""
    for prefix, card in _routes_4(tree) if address.version == 4 else _routes_6(tree):
        if address in prefix and prefix.prefixlen > best:
            best, found = prefix.prefixlen, card
    return found


def _routes_4(tree: Tree) -> list[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, str]]:
    found: list[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, str]] = []
    for line in (tree.text("/proc/net/route") or "").splitlines()[1:]:
        words = line.split()
        if len(words) > 7 and int(words[3], 16) & 1:  # RTF_UP
            to, mask = (int.from_bytes(bytes.fromhex(words[k]), "little") for k in (1, 7))
            found.append((ipaddress.IPv4Network((to, mask.bit_count())), words[0]))
    return found


def _routes_6(tree: Tree) -> list[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, str]]:
    found: list[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, str]] = []
    for line in (tree.text("/proc/net/ipv6_route") or "").splitlines():
        words = line.split()
        if len(words) > 9 and words[9] != "lo":
            found.append((ipaddress.IPv6Network((int(words[0], 16), int(words[1], 16))), words[9]))
    return found
