"""The life of a connection: found dead within seconds, made again at once; and why none comes about.

A service that does not admit a key says nothing: zmq ends the handshake. What can be seen of that from here is seen on
a connection of its own, made for nothing else.
"""

import time

import zmq
from zmq.utils.monitor import recv_monitor_message

from hilctl.client.access import Access

_PULSE_MS = 1_000  # a peer that answers no ping is gone after three of these
_AGAIN_MS, _AGAIN_MOST_MS = 20, 500
_LOOK_S = 1.0

_MISMATCH = int(zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)


def live(socket: "zmq.Socket[bytes]") -> None:
    """Options of every socket of a client."""
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.IPV6, True)
    socket.setsockopt(zmq.HEARTBEAT_IVL, _PULSE_MS)
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, 2 * _PULSE_MS)
    socket.setsockopt(zmq.RECONNECT_IVL, _AGAIN_MS)
    socket.setsockopt(zmq.RECONNECT_IVL_MAX, _AGAIN_MOST_MS)


def why_shut_out(endpoint: str, access: Access) -> str:
    """Why the handshake fails; empty where it does not, or nothing can be seen."""
    probe: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.DEALER)
    with probe:
        live(probe)
        access.put(probe)
        with probe.get_monitor_socket() as monitor:
            probe.connect(endpoint)
            until_s = time.monotonic() + _LOOK_S
            try:
                while (left_s := until_s - time.monotonic()) > 0 and monitor.poll(int(1000 * left_s) + 1):
                    said = recv_monitor_message(monitor)
                    if said["event"] == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                        return ""
                    if said["event"] == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL and said["value"] == _MISMATCH:
                        return _OTHER_WAY[access.key is not None]
                    if access.key is not None and said["event"] in _ENDED:
                        return (f"ends the handshake: the key of {access.key.name} is unknown or revoked there, "
                                "or it is the key of another service")  # fmt: skip
            finally:
                probe.disable_monitor()
    return ""


_ENDED = (zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL, zmq.EVENT_HANDSHAKE_FAILED_AUTH, zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL)
_OTHER_WAY = {
    False: "asks for a key: give --key FILE; `hilctl keys make` makes one on the rig's PC",
    True: "asks for no key (service.curve is false): leave --key out",
}
