"""Where the service listens. A door keeps its listening descriptor, and lends it to the zmq socket behind it.

libzmq cannot end one connection by its key. So when a key is revoked, the socket is closed with all its connections,
and another one opened behind the same door. The descriptor stays: meanwhile nobody is refused, and no other program can
take the port.
"""

import ctypes
import ipaddress
import os
import socket
import struct
from collections.abc import Mapping

import zmq
from zmq.auth.thread import ThreadAuthenticator

from hilctl.access.keys import Pair

COMMANDS, TELEMETRY = "hilctl", "hilctl-telemetry"  # domains: a key may be admitted to one and not to the other
_BACKLOG = 64  # connections of each door that are made and not taken yet
_RETURN, _ATTACH_FILTER, _DETACH_FILTER = 0x06, 26, 27  # linux/bpf_common.h, asm-generic/socket.h
_HANDSHAKE_MS = 5_000  # a peer that takes longer to say who it is, is dropped
_PULSE_MS = 5_000  # a peer from which nothing is heard for three of these is gone


def is_loopback(address: str) -> bool:
    """Whether only this host can connect there."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def from_here(endpoints: Mapping[str, str]) -> dict[str, str]:
    """Where programs on this host connect: what is listened to on all addresses is no address to connect to."""
    here = {"//0.0.0.0:": "//127.0.0.1:", "//[::]:": "//[::1]:"}
    found = dict(endpoints)
    for all_of, one in here.items():
        found = {name: where.replace(all_of, one) for name, where in found.items()}
    return found


class Door:
    """One address and port; OSError where it cannot be opened."""

    def __init__(self, address: str, port: int, curve: Pair | None = None, domain: str = COMMANDS) -> None:
        self._domain = domain
        self.curve, six = curve, ":" in address
        self._address = f"[{address}]" if six else address
        family = socket.AF_INET6 if six else socket.AF_INET
        self._listening = socket.create_server((address, port), family=family, backlog=_BACKLOG)
        self._listening.setblocking(False)
        self.port: int = self._listening.getsockname()[1]

    @property
    def endpoint(self) -> str:
        """Where it is."""
        return f"tcp://{self._address}:{self.port}"

    def open(self, behind: "zmq.Socket[bytes]") -> None:
        """Puts this socket behind the door."""
        if self.curve is not None:
            behind.curve_server = True
            behind.curve_publickey, behind.curve_secretkey = (key.encode() for key in self.curve)
            behind.zap_domain = self._domain.encode()
            behind.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)  # if nobody answers for the guard, nobody comes in
        behind.setsockopt(zmq.HANDSHAKE_IVL, _HANDSHAKE_MS)
        behind.setsockopt(zmq.HEARTBEAT_IVL, _PULSE_MS)
        behind.setsockopt(zmq.HEARTBEAT_TIMEOUT, 2 * _PULSE_MS)
        behind.setsockopt(zmq.IPV6, ":" in self._address)
        behind.setsockopt(zmq.USE_FD, os.dup(self._listening.fileno()))
        behind.bind(self.endpoint)

    def shut(self) -> None:
        """Nobody new is let in; who is there stays. (To unbind a zmq socket would end its connections as well.)

        A filter drops what comes to the listening descriptor, and so who knocks goes on knocking, as TCP does.
        """
        program = ctypes.create_string_buffer(struct.pack("HBBI", _RETURN, 0, 0, 0))
        code = struct.pack("HL", 1, ctypes.addressof(program))
        self._listening.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, code)

    def let(self) -> None:
        """New connections are taken again."""
        self._listening.setsockopt(socket.SOL_SOCKET, _DETACH_FILTER, 0)

    def close(self) -> None:
        """Nobody can come in any more."""
        self._listening.close()


def guard(context: "zmq.Context[zmq.Socket[bytes]]", asked: object) -> ThreadAuthenticator:
    """Answers libzmq's questions who may connect, for the whole context. Without it CURVE would admit any key."""
    guard = ThreadAuthenticator(context)
    guard.start()
    for domain in (COMMANDS, TELEMETRY):
        guard.configure_curve_callback(domain=domain, credentials_provider=asked)
    return guard
