"""How long a network card holds received frames back before it interrupts: asked of its driver, as `ethtool -c` does.

    SIOCETHTOOL, ETHTOOL_GCOALESCE, struct ethtool_coalesce      <linux/sockios.h>, <linux/ethtool.h>
"""

import array
import fcntl
import socket
import struct
from typing import NamedTuple

_SIOCETHTOOL, _GCOALESCE = 0x8946, 0x0000000E
_WORDS = 23  # of 32 bits: the command, then the settings
_RX_US, _RX_FRAMES, _ADAPTIVE_RX = 1, 2, 10


class Coalescing(NamedTuple):
    """Of received frames."""

    rx_us: int
    rx_frames: int
    adaptive: bool


def coalescing(interface: str) -> Coalescing | None:
    """None where the card's driver does not report it."""
    words = array.array("I", [_GCOALESCE, *[0] * (_WORDS - 1)])
    request = struct.pack("16sP", interface.encode()[:15], words.buffer_info()[0])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as asked:
            fcntl.ioctl(asked, _SIOCETHTOOL, request)
    except OSError:
        return None
    return Coalescing(words[_RX_US], words[_RX_FRAMES], bool(words[_ADAPTIVE_RX]))
